// Credentials that are planted in every secret field of a config must not come out of native provisioning: not in its
// log, its events, its result, its records, in what a program is given, or in a file that others can read. All of the
// controller runs here, on the simulated machine, on good days and on bad ones. The same with the real program is in
// tests/dropin/native_secrets_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/base64.h"
#include "base/node_paths.h"
#include "contract/fields.h"
#include "contract/write.h"
#include "controller/provision.h"
#include "native.h"

namespace sunup::simulation {
namespace {

using host::FileKind;
using host::sim::EndOfRun;
using host::sim::World;

// The planted value of each field, and the part of it that must not be visible. The names are those of the contract's
// fields.
struct Planted {
  std::string value;
  std::string needle;
};
const std::map<std::string, Planted>& planted() {
  static const std::map<std::string, Planted> kAll = {
      {"http_proxy", {"http://joe:planted-Proxy-1%21@proxy.example:3128/", "planted-Proxy-1"}},
      {"https_proxy", {"http://joe:planted-Proxy-2@proxy.example:3129/", "planted-Proxy-2"}},
      {"realm_password", {"planted-Realm-3", "planted-Realm-3"}},
      {"kubelet_client_key", {base64_encode("planted-Kubelet-4-key-of-some-length"), "planted-Kubelet-4"}},
      {"service_principal_secret", {base64_encode("planted-Principal-5 & more"), "planted-Principal-5"}},
      {"tls_bootstrapping_token", {"planted.6tokentokentoken", "6tokentokentoken"}},
      {"secure_tls_bootstrapping_custom_client_download_url",
       {"https://x.example/c?sv=1&sig=planted-Signature-7&se=2", "planted-Signature-7"}},
      {"custom_kube_binary_url", {"https://x.example/k.tar.gz?sig=planted-Signature-8", "planted-Signature-8"}},
      {"containerd_package_url", {"https://x.example/d?sig=planted-Signature-9", "planted-Signature-9"}},
      {"runc_package_url", {"https://x.example/r?sig=planted-Signature-10", "planted-Signature-10"}},
      {"custom_env_json_content", {R"({"name":"n","clientSecret":"planted-Cloud-11"})", "planted-Cloud-11"}},
      {"private_egress_proxy_address", {"http://joe:planted-Egress-12@proxy.example", "planted-Egress-12"}},
  };
  return kAll;
}

bool holds_secrets(const contract::MessageFields& fields) {
  for (const contract::Field& field : fields.all())
    if (field.secret || (field.message != nullptr && holds_secrets(*field.message))) return true;
  return false;
}

// Fills every secret field, and the messages that contain them, and collects their names.
void plant(google::protobuf::Message& message, const contract::MessageFields& fields, bool downloads,
           std::set<std::string>& names) {
  const auto* reflection = message.GetReflection();
  for (const contract::Field& field : fields.all()) {
    const auto* as = message.GetDescriptor()->FindFieldByNumber(field.number);
    if (as->is_repeated()) {
      ASSERT_FALSE(field.secret) << as->full_name() << " is a list of secrets: plant it";
    } else if (field.message != nullptr) {
      if (!holds_secrets(*field.message)) continue;
      plant(*reflection->MutableMessage(&message, as), *field.message, downloads, names);
    } else if (field.secret) {
      const std::string name(as->name());
      names.insert(name);
      const auto found = planted().find(name);
      ASSERT_NE(found, planted().end()) << name << " is not planted";
      if (downloads || found->second.value.find("sig=") == std::string::npos)
        reflection->SetString(&message, as, found->second.value);
    }
  }
}

struct Life {
  EndOfRun end = EndOfRun::kHung;
  std::optional<controller::Outcome> outcome;
  std::string said;                // log
  std::vector<std::string> given;  // argv and environment of every program
};

Life provision(World& world) {
  Life life;
  world.on_spawn = [&life](const host::Command& command) {
    life.given.insert(life.given.end(), command.argv.begin(), command.argv.end());
    life.given.insert(life.given.end(), command.env.begin(), command.env.end());
  };
  host::sim::Machine machine(world);
  host::Host& host = machine.host();
  redaction::Redactor redactor;
  report::Log log([&] { return host.loop.wall().time_since_epoch().count(); },
                  [&](std::string_view line) { life.said += line; });
  log.redact_with(redactor);
  controller::Node node{.loop = host.loop,
                        .files = host.files,
                        .callers_files = host.files,
                        .processes = host.processes,
                        .watch = host.watch,
                        .host = host,
                        .log = log,
                        .redactor = redactor,
                        .root = "",
                        .version = "1.2.3"};
  controller::ProvisionOptions options;
  options.config = paths::kNodeConfig;
  options.mode = controller::Mode::kNative;
  auto task = controller::provision(node, std::move(options));
  life.end = machine.loop().run(std::move(task), &life.outcome);
  world.on_spawn = nullptr;
  return life;
}

// Searches for them as written, in base64, and as part of a JSON text: the marks contain no character that JSON
// escapes.
std::string found_in(std::string_view text) {
  for (const auto& [field, secret] : planted())
    for (const std::string& form : {secret.needle, base64_encode(secret.needle).substr(0, secret.needle.size())})
      if (text.find(form) != std::string_view::npos) return field;
  return "";
}

void expect_clean(const Life& life, const World& world) {
  EXPECT_EQ(found_in(life.said), "") << "in the log";
  for (const std::string& word : life.given) EXPECT_EQ(found_in(word), "") << "given to a program: " << word;
  for (const auto& [path, node] : world.disk) {
    if (node.kind != FileKind::kRegular) continue;
    const bool log = path.starts_with("/var/log/");
    if (!log && (node.mode & 0077) == 0) continue;
    EXPECT_EQ(found_in(node.content), "") << "in " << path << (log ? ", a log" : ", which others can read");
  }
  const report::ProvisionResult told = life.outcome ? life.outcome->result : report::ProvisionResult();
  EXPECT_EQ(found_in(told.error + told.output), "") << "in the result";
}

class Secrets : public testing::TestWithParam<NativeCase> {
 protected:
  NativeCase planted_case(bool downloads) {
    NativeCase which = GetParam();
    std::set<std::string> names;
    plant(which.config, contract::configuration_fields(), downloads, names);
    EXPECT_EQ(names.size(), planted().size());
    return which;
  }

  static void furnish_with_config(World& world, const NativeCase& which) {
    furnish(world, which);
    world.disk[paths::kNodeConfig] = {FileKind::kRegular, 0600, contract::to_json(which.config)};
  }
};

TEST_P(Secrets, StayWhereTheyBelongOnAGoodDay) {
  const NativeCase which = planted_case(false);
  World world(1);
  furnish_with_config(world, which);
  const Life life = provision(world);
  ASSERT_EQ(life.end, EndOfRun::kDone);
  EXPECT_TRUE(life.outcome->ok()) << life.outcome->result.error;
  expect_clean(life, world);
  // The node needs the secrets: if they were nowhere, this test would prove nothing.
  std::set<std::string> holders;
  for (const auto& [path, node] : world.disk)
    if (!found_in(node.content).empty()) holders.insert(path);
  EXPECT_TRUE(holders.contains("/etc/environment") || which.facts.base_prep_done);
  EXPECT_TRUE(holders.contains("/etc/kubernetes/azure.json") || which.config.pre_provision_only());
}

TEST_P(Secrets, StayWhereTheyBelongWhenSignedDownloadsFail) {
  const NativeCase which = planted_case(true);
  World world(1);
  furnish_with_config(world, which);
  const Life life = provision(world);
  ASSERT_EQ(life.end, EndOfRun::kDone);
  expect_clean(life, world);
}

TEST_P(Secrets, StayWhereTheyBelongWhenThingsGoWrong) {
  const NativeCase which = planted_case(false);
  World calm(1);
  furnish(calm, which);
  const NativeLife usual = live(calm, which);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    World world(seed);
    furnish_with_config(world, which);
    host::sim::Random random(seed);
    draw_faults(world, random, usual);
    expect_clean(provision(world), world);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Secrets, testing::ValuesIn(native_cases()), [](const auto& param) {
  std::string name = param.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace sunup::simulation
