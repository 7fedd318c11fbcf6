#include "render/sysctl.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "render/number_text.h"

namespace sunup::render {
namespace {

using aksnodeconfig::v1::SysctlConfig;

// One key: its field, and its value if the field is unset (if empty, the key is omitted).
struct Row {
  std::string_view key;
  bool (SysctlConfig::*has)() const = nullptr;
  int32_t (SysctlConfig::*get)() const = nullptr;
  std::string_view otherwise = {};
};

using S = SysctlConfig;
constexpr std::string_view kPortRange = "net.ipv4.ip_local_port_range";
constexpr std::string_view kReservedPorts = "net.ipv4.ip_local_reserved_ports";
constexpr std::string_view kReuseTimeWait = "net.ipv4.tcp_tw_reuse";

constexpr Row kRows[] = {
    {"fs.aio-max-nr", &S::has_fs_aio_max_nr, &S::fs_aio_max_nr},
    {"fs.file-max", &S::has_fs_file_max, &S::fs_file_max},
    {"fs.inotify.max_user_watches", &S::has_fs_inotify_max_user_watches, &S::fs_inotify_max_user_watches},
    {"fs.nr_open", &S::has_fs_nr_open, &S::fs_nr_open},
    {"kernel.threads-max", &S::has_kernel_threads_max, &S::kernel_threads_max},
    {"net.core.message_burst", nullptr, nullptr, "80"},
    {"net.core.message_cost", nullptr, nullptr, "40"},
    {"net.core.netdev_max_backlog", &S::has_net_core_netdev_max_backlog, &S::net_core_netdev_max_backlog},
    {"net.core.optmem_max", &S::has_net_core_optmem_max, &S::net_core_optmem_max},
    {"net.core.rmem_default", &S::has_net_core_rmem_default, &S::net_core_rmem_default},
    {"net.core.rmem_max", &S::has_net_core_rmem_max, &S::net_core_rmem_max},
    {"net.core.somaxconn", &S::has_net_core_somaxconn, &S::net_core_somaxconn, "16384"},
    {"net.core.wmem_default", &S::has_net_core_wmem_default, &S::net_core_wmem_default},
    {"net.core.wmem_max", &S::has_net_core_wmem_max, &S::net_core_wmem_max},
    {kPortRange},
    {kReservedPorts},
    {"net.ipv4.neigh.default.gc_thresh1", &S::has_net_ipv4_neigh_default_gc_thresh1,
     &S::net_ipv4_neigh_default_gc_thresh1, "4096"},
    {"net.ipv4.neigh.default.gc_thresh2", &S::has_net_ipv4_neigh_default_gc_thresh2,
     &S::net_ipv4_neigh_default_gc_thresh2, "8192"},
    {"net.ipv4.neigh.default.gc_thresh3", &S::has_net_ipv4_neigh_default_gc_thresh3,
     &S::net_ipv4_neigh_default_gc_thresh3, "16384"},
    {"net.ipv4.tcp_fin_timeout", &S::has_net_ipv4_tcp_fin_timeout, &S::net_ipv4_tcp_fin_timeout},
    {"net.ipv4.tcp_keepalive_intvl", &S::has_net_ipv4_tcpkeepalive_intvl, &S::net_ipv4_tcpkeepalive_intvl},
    {"net.ipv4.tcp_keepalive_probes", &S::has_net_ipv4_tcp_keepalive_probes, &S::net_ipv4_tcp_keepalive_probes},
    {"net.ipv4.tcp_keepalive_time", &S::has_net_ipv4_tcp_keepalive_time, &S::net_ipv4_tcp_keepalive_time},
    {"net.ipv4.tcp_max_syn_backlog", &S::has_net_ipv4_tcp_max_syn_backlog, &S::net_ipv4_tcp_max_syn_backlog, "16384"},
    {"net.ipv4.tcp_max_tw_buckets", &S::has_net_ipv4_tcp_max_tw_buckets, &S::net_ipv4_tcp_max_tw_buckets},
    {"net.ipv4.tcp_retries2", nullptr, nullptr, "8"},
    {kReuseTimeWait},
    {"net.netfilter.nf_conntrack_buckets", &S::has_net_netfilter_nf_conntrack_buckets,
     &S::net_netfilter_nf_conntrack_buckets},
    {"net.netfilter.nf_conntrack_max", &S::has_net_netfilter_nf_conntrack_max, &S::net_netfilter_nf_conntrack_max},
    {"vm.max_map_count", &S::has_vm_max_map_count, &S::vm_max_map_count},
    {"vm.swappiness", &S::has_vm_swappiness, &S::vm_swappiness},
    {"vm.vfs_cache_pressure", &S::has_vm_vfs_cache_pressure, &S::vm_vfs_cache_pressure},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::key));

// A decimal 64-bit integer with an optional sign, or the reason why the text is not one.
struct Number {
  std::optional<int64_t> value;
  std::string_view problem;
};

Number parse_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return {std::nullopt, "invalid syntax"};
  if (text.starts_with('+')) text = digits;
  int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    return {std::nullopt, "value out of range"};
  return {value, {}};
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
      constexpr char kHex[] = "0123456789abcdef";
      ((out += "\\x") += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

// Whether a usable range includes ports above 65330, which the platform reserves. Adds a remark if the range is not
// usable.
bool covers_platform_port(std::string_view range, std::vector<std::string>* remarks) {
  const auto remark = [&](std::string text) {
    if (remarks) remarks->push_back(std::move(text));
    return false;
  };
  const size_t space = range.find(' ');
  if (space == std::string_view::npos || range.find(' ', space + 1) != std::string_view::npos) return false;
  const std::string_view parts[] = {range.substr(0, space), range.substr(space + 1)};
  int64_t bounds[2];
  for (int i = 0; i < 2; ++i) {
    const Number number = parse_number(parts[i]);
    if (!number.value) {
      return remark(std::string("error converting port range ") + (i == 0 ? "start" : "end") +
                    " value to int: strconv.Atoi: parsing " + in_quotes(parts[i]) + ": " + std::string(number.problem));
    }
    bounds[i] = *number.value;
  }
  if (bounds[0] <= 0 || bounds[1] <= 0)
    return remark("port range values should be greater than 0: " + number_text(bounds[0]));
  if (bounds[0] >= bounds[1]) {
    return remark("port range end value should be greater than the start value: " + number_text(bounds[0]) +
                  " >= " + number_text(bounds[1]));
  }
  return bounds[1] > 65330;
}

std::string value_of(const Row& row, const SysctlConfig& config, std::vector<std::string>* remarks) {
  if (row.has) return (config.*row.has)() ? number_text(int64_t{(config.*row.get)()}) : std::string(row.otherwise);
  if (row.key == kPortRange) return config.net_ipv4_ip_local_port_range();
  if (row.key == kReservedPorts)
    return covers_platform_port(config.net_ipv4_ip_local_port_range(), remarks) ? "65330" : "";
  if (row.key == kReuseTimeWait)
    return !config.has_net_ipv4_tcp_tw_reuse() ? "" : config.net_ipv4_tcp_tw_reuse() ? "1" : "0";
  return std::string(row.otherwise);
}

}  // namespace

std::vector<Sysctl> sysctl_settings(const SysctlConfig& config, std::vector<std::string>* remarks) {
  std::vector<Sysctl> settings;
  settings.reserve(std::size(kRows));
  for (const Row& row : kRows)
    if (std::string value = value_of(row, config, remarks); !value.empty())
      settings.push_back({row.key, std::move(value)});
  return settings;
}

std::string sysctl_file(const std::vector<Sysctl>& settings) {
  std::string out;
  for (const auto& [key, value] : settings) out.append(key).append("=").append(value).append("\n");
  return out;
}

}  // namespace sunup::render
