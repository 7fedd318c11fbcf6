#include "render/sysctl.h"

#include <gmock/gmock.h>

namespace sunup::render {
namespace {

using aksnodeconfig::v1::SysctlConfig;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Sysctl, HasDefaultsWithoutAConfig) {
  EXPECT_EQ(sysctl_file(sysctl_settings({})), R"(net.core.message_burst=80
net.core.message_cost=40
net.core.somaxconn=16384
net.ipv4.neigh.default.gc_thresh1=4096
net.ipv4.neigh.default.gc_thresh2=8192
net.ipv4.neigh.default.gc_thresh3=16384
net.ipv4.tcp_max_syn_backlog=16384
net.ipv4.tcp_retries2=8
)");
}

TEST(Sysctl, TakesAnExplicitZeroAtItsWord) {
  SysctlConfig config;
  config.set_net_core_somaxconn(0);
  config.set_vm_swappiness(0);
  config.set_net_ipv4_tcp_tw_reuse(false);
  const auto settings = sysctl_settings(config);
  for (const auto* key : {"net.core.somaxconn", "vm.swappiness", "net.ipv4.tcp_tw_reuse"})
    EXPECT_THAT(settings, Contains(Sysctl{key, "0"}));
}

// Every field of the contract is written under a key of its own.
TEST(Sysctl, LeavesNoFieldOut) {
  SysctlConfig config;
  const auto* reflection = SysctlConfig::GetReflection();
  const auto* type = SysctlConfig::descriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* field = type->field(i);
    if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_INT32) {
      reflection->SetInt32(&config, field, 1000 + i);
    } else if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_BOOL) {
      reflection->SetBool(&config, field, true);
    } else {
      reflection->SetString(&config, field, "1024 65000");
    }
  }
  const auto file = sysctl_file(sysctl_settings(config));
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_INT32) continue;
    EXPECT_THAT(file, HasSubstr("=" + std::to_string(1000 + i) + "\n")) << type->field(i)->name();
  }
  EXPECT_THAT(file, HasSubstr("net.ipv4.tcp_tw_reuse=1\n"));
  EXPECT_THAT(file, HasSubstr("net.ipv4.ip_local_port_range=1024 65000\n"));
}

struct Range {
  std::string_view text;
  bool reserved;
  std::string_view remark;
};

TEST(Sysctl, ReservesThePlatformPortWhenAUsableRangeCoversIt) {
  for (
      const auto& [text, reserved, remark] : {
          Range{"1024 65535", true, ""},
          Range{"+1024 65331", true, ""},
          Range{"1024 65330", false, ""},
          Range{"1024  65535", false, ""},
          Range{"1024\t65535", false, ""},
          Range{"65535", false, ""},
          Range{"a b", false,
                R"(error converting port range start value to int: strconv.Atoi: parsing "a": invalid syntax)"},
          Range{
              "1 99999999999999999999", false,
              R"(error converting port range end value to int: strconv.Atoi: parsing "99999999999999999999": value out of range)"},
          Range{"1 ", false,
                R"(error converting port range end value to int: strconv.Atoi: parsing "": invalid syntax)"},
          Range{"5 -1", false, "port range values should be greater than 0: 5"},
          Range{"65535 65535", false, "port range end value should be greater than the start value: 65535 >= 65535"},
      }) {
    SysctlConfig config;
    config.set_net_ipv4_ip_local_port_range(std::string(text));
    std::vector<std::string> remarks;
    const auto settings = sysctl_settings(config, &remarks);
    EXPECT_THAT(settings, Contains(Sysctl{"net.ipv4.ip_local_port_range", std::string(text)})) << "kept as given";
    const Sysctl line{"net.ipv4.ip_local_reserved_ports", "65330"};
    if (reserved) {
      EXPECT_THAT(settings, Contains(line)) << text;
    } else {
      EXPECT_THAT(settings, Not(Contains(line))) << text;
    }
    if (remark.empty()) {
      EXPECT_THAT(remarks, IsEmpty()) << text;
    } else {
      EXPECT_THAT(remarks, ElementsAre(remark));
    }
  }
}

TEST(Sysctl, HasNoLineForAnEmptyRange) {
  SysctlConfig config;
  config.set_net_ipv4_ip_local_port_range("");
  EXPECT_EQ(sysctl_settings(config), sysctl_settings({}));
}

}  // namespace
}  // namespace sunup::render
