// Rules for kernel parameters, swap, limits and GPU: settings that the machine must support.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <tuple>

#include "base/text.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/kubelet_flag_values.h"
#include "contract/kubelet_flags.h"
#include "contract/message_view.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

using aksnodeconfig::v1::SysctlConfig;

const std::string kOs = "$.custom_linux_os_config";
const std::string kSysctl = kOs + ".sysctl_config";

void port_range(Judge& judge) {
  const std::string& range = judge.config.custom_linux_os_config().sysctl_config().net_ipv4_ip_local_port_range();
  const std::string path = kSysctl + ".net_ipv4_ip_local_port_range";
  if (range.empty()) return;
  if (!is_port_range(range)) {
    judge.error(path, quoted_excerpt(range) + " is not a range of ports: the kernel parameters cannot be set",
                "the first and the last port, not below 1024, separated by one space, such as \"32768 60999\"");
    return;
  }
  const auto first = as_number<int64_t>(range.substr(0, range.find_first_of(" \t")));
  const auto last = as_number<int64_t>(range.substr(range.find_last_of(" \t") + 1));
  if (*first <= 32767 && *last >= 30000) {
    judge.warning(path, "the range overlaps the ports of NodePort services, 30000 to 32767", "such as \"32768 60999\"");
  }
}

void sysctl_value(Judge& judge) {
  const SysctlConfig& sysctl = judge.config.custom_linux_os_config().sysctl_config();
  // The bounds of the kernel. If one value exceeds them, setting all values fails.
  static constexpr struct {
    std::string_view field;
    int least;
    int most = std::numeric_limits<int>::max();
  } kBounds[] = {{"net_core_rmem_default", 2304},
                 {"net_core_rmem_max", 2304},
                 {"net_core_wmem_default", 4608},
                 {"net_core_wmem_max", 4608},
                 {"kernel_threads_max", 20},
                 {"fs_nr_open", 64, 2147483584},
                 {"net_ipv4_tcp_keepalive_probes", 1, 255},
                 {"net_ipv4_tcp_keepalive_time", 1},
                 {"net_ipv4_tcpkeepalive_intvl", 1}};
  const std::string wire = sysctl.SerializeAsString();
  const MessageView given(wire, *field_at("custom_linux_os_config.sysctl_config")->message);
  for (const Field& field : given.type().all()) {
    if (field.kind != FieldKind::kInt32 || !given.has(field)) continue;
    const int value = given.get(field).integer();
    int least = 0;
    int most = std::numeric_limits<int>::max();
    for (const auto& bound : kBounds)
      if (bound.field == field.name) std::tie(least, most) = std::tie(bound.least, bound.most);
    if (value > most)
      judge.error(kSysctl + "." + std::string(field.name),
                  std::to_string(value) + " is above what the kernel accepts: the parameters cannot be set",
                  "at most " + std::to_string(most));
    if (value < least)
      judge.error(kSysctl + "." + std::string(field.name),
                  std::to_string(value) + " is below what the kernel accepts: the parameters cannot be set",
                  "at least " + std::to_string(least));
  }
  if (sysctl.vm_swappiness() > 200) judge.error(kSysctl + ".vm_swappiness", "must be between 0 and 200");
  const int threshold1 =
      sysctl.has_net_ipv4_neigh_default_gc_thresh1() ? sysctl.net_ipv4_neigh_default_gc_thresh1() : 4096;
  const int threshold2 =
      sysctl.has_net_ipv4_neigh_default_gc_thresh2() ? sysctl.net_ipv4_neigh_default_gc_thresh2() : 8192;
  const int threshold3 =
      sysctl.has_net_ipv4_neigh_default_gc_thresh3() ? sysctl.net_ipv4_neigh_default_gc_thresh3() : 16384;
  if (threshold1 > threshold2 || threshold2 > threshold3)
    judge.warning(kSysctl, "the neighbour thresholds gc_thresh1, 2 and 3 are not ascending");
}

void swap(Judge& judge) {
  const auto& os = judge.config.custom_linux_os_config();
  if (os.enable_swap_config() && os.swap_file_size() <= 0)
    judge.error(kOs + ".swap_file_size", "swap is enabled without a size: no swap file is created",
                "megabytes, such as 1500");
  if (!os.enable_swap_config() && os.swap_file_size() != 0)
    judge.warning(kOs + ".swap_file_size", "without enable_swap_config there is no swap file");
  if (!os.enable_swap_config() || os.swap_file_size() <= 0) return;
  const auto fail = kubelet_setting(judge.config, "--fail-swap-on");
  if (fail && as_go_bool(fail->value) == false) return;
  const bool flag = fail ? !fail->from_file : !judge.config.kubelet_config().enable_kubelet_config_file();
  judge.error(fail ? fail->path : path_for_kubelet_setting(judge.config, "--fail-swap-on"),
              "kubelet does not start when swap is on",
              flag ? "set \"--fail-swap-on\": \"false\" in kubelet_flags" : "set fail_swap_on to false");
}

void huge_pages(Judge& judge) {
  const auto& os = judge.config.custom_linux_os_config();
  const auto want = [&](const std::string& path, const std::string& value,
                        std::initializer_list<std::string_view> known) {
    if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) return;
    std::string hint = "one of:";
    for (const std::string_view word : known) hint += " " + std::string(word);
    judge.error(path, quoted_excerpt(value) + " is not known to the kernel", hint);
  };
  want(kOs + ".transparent_hugepage_support", os.transparent_hugepage_support(), {"always", "madvise", "never"});
  want(kOs + ".transparent_defrag", os.transparent_defrag(), {"always", "defer", "defer+madvise", "madvise", "never"});
}

void ulimit(Judge& judge) {
  const auto& limits = judge.config.custom_linux_os_config().ulimit_config();
  const auto want = [&](const char* field, bool given, const std::string& value, bool bytes) {
    if (given && !is_limit(value, bytes))
      judge.error(kOs + ".ulimit_config." + field, quoted_excerpt(value) + " is not a limit that systemd knows",
                  "a number, soft:hard, or infinity");
    const size_t colon = value.find(':');
    const auto soft = as_number<int64_t>(std::string_view(value).substr(0, colon));
    const auto hard = colon == value.npos ? soft : as_number<int64_t>(std::string_view(value).substr(colon + 1));
    if (soft && hard && *soft > *hard)
      judge.warning(kOs + ".ulimit_config." + field, "the soft limit is above the hard one: systemd ignores both");
  };
  want("no_file", limits.has_no_file(), limits.no_file(), false);
  want("max_locked_memory", limits.has_max_locked_memory(), limits.max_locked_memory(), true);
}

bool is_mig_profile(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kProfiles = {"MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g"};
  return std::find(kProfiles.begin(), kProfiles.end(), text) != kProfiles.end();
}

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return equal_ignoring_case(text.substr(0, start.size()), start);
}

// Sizes of the N family have GPUs, except the FPGAs of NP.
bool has_gpu(std::string_view size) {
  return starts_with_ignoring_case(size, "Standard_N") && !starts_with_ignoring_case(size, "Standard_NP");
}

void mig(Judge& judge) {
  const auto& gpu = judge.config.gpu_config();
  const std::string path = "$.gpu_config";
  const std::string& profile = gpu.gpu_instance_profile();
  if (!profile.empty()) {
    const std::string& size = judge.config.vm_size();
    if (!gpu.enable_nvidia() || (!size.empty() && !has_gpu(size)))
      judge.error(path + ".gpu_instance_profile", "a MIG profile on a node without GPU",
                  gpu.enable_nvidia() ? quoted_excerpt(size) + " has none" : "set enable_nvidia");
    if (!is_mig_profile(profile))
      judge.error(path + ".gpu_instance_profile", quoted_excerpt(profile) + " is not a MIG profile",
                  "one of: MIG1g MIG2g MIG3g MIG4g MIG7g");
  } else if (gpu.mig_profile_layout_size() > 0) {
    judge.warning(path + ".mig_profile_layout",
                  "without gpu_instance_profile only native provisioning partitions; the scripts partition nothing");
  }
  for (int i = 0; i < gpu.mig_profile_layout_size(); ++i)
    if (!is_mig_profile(gpu.mig_profile_layout(i)))
      judge.error(path_of_item(path + ".mig_profile_layout", static_cast<size_t>(i)),
                  quoted_excerpt(gpu.mig_profile_layout(i)) + " is not a MIG profile",
                  "one of: MIG1g MIG2g MIG3g MIG4g MIG7g");
  const std::string& strategy = gpu.mig_strategy();
  if (!strategy.empty() && !gpu.enable_nvidia())
    judge.warning(path + ".mig_strategy", "a MIG strategy on a node without GPU", "set enable_nvidia, or leave it out");
  if (!strategy.empty() && strategy != "Single" && strategy != "Mixed" && strategy != "None")
    judge.warning(path + ".mig_strategy", quoted_excerpt(strategy) + " acts like \"Single\"",
                  "one of: None Single Mixed");
}

void gpu(Judge& judge) {
  const auto& gpu = judge.config.gpu_config();
  const std::string path = "$.gpu_config";
  if (gpu.enable_managed_gpu() && gpu.enable_managed_gpu_dra())
    judge.error(path + ".enable_managed_gpu_dra",
                "device plugin and dynamic resource allocation cannot both manage GPUs", "leave one out");
  if ((gpu.enable_managed_gpu() || gpu.enable_managed_gpu_dra()) && !gpu.enable_nvidia())
    judge.warning(path + ".enable_nvidia", "managed GPUs on a node without GPU");
  const std::string& size = judge.config.vm_size();
  const bool gpu_size = has_gpu(size);
  if (gpu.enable_nvidia() && !size.empty() && !gpu_size)
    judge.warning("$.vm_size", quoted_excerpt(size) + " has no GPU, and enable_nvidia is set");
  if (gpu_size && !gpu.enable_nvidia() && !gpu.enable_amd_gpu())
    judge.warning(path + ".enable_nvidia", quoted_excerpt(size) + " has GPUs that are not used",
                  "set enable_nvidia (or enable_amd_gpu)");
}

void cse_timeout(Judge& judge) {
  if (!judge.config.has_cse_timeout()) return;
  const int seconds = judge.config.cse_timeout();
  if (seconds < 1 || seconds > 21600)
    judge.warning("$.cse_timeout", std::to_string(seconds) + " counts as 900", "1 to 21600 seconds");
  else if (seconds < 60)
    judge.warning("$.cse_timeout", "no node is provisioned in " + std::to_string(seconds) + " seconds reliably");
}

void enabled_feature(Judge& judge) {
  for (const auto& [name, value] : sorted(judge.config.enabled_features())) {
    const std::string path = path_of_key("$.enabled_features", name);
    if (!is_identifier(name))
      judge.warning(path, quoted_excerpt(name) + " is ignored: it is not a valid variable name",
                    "letters, digits and underscores, not starting with a digit");
    else if (value.find_first_of("\r\n") != std::string::npos)
      judge.warning(path, "it is ignored: its value has more than one line");
  }
}

void search_domain(Judge& judge) {
  const auto& search = judge.config.custom_search_domain_config();
  const int given = !search.domain_name().empty() + !search.realm_user().empty() + !search.realm_password().empty();
  if (given > 0 && given < 3)
    judge.warning("$.custom_search_domain_config",
                  "has no effect: domain_name, realm_user and realm_password are all needed");
}

void data_dir(Judge& judge) {
  const std::string& dir = judge.config.kubelet_config().container_data_dir();
  if (!dir.empty() && !dir.starts_with('/'))
    judge.error("$.kubelet_config.container_data_dir", quoted_excerpt(dir) + " is not an absolute path");
}

void admin_user(Judge& judge) {
  const std::string& name = judge.config.linux_admin_username();
  if (!name.empty() && !is_user_name(name))
    judge.error("$.linux_admin_username", quoted_excerpt(name) + " is not a valid user name",
                "a letter or '_', then at most 31 letters, digits, '-', '_' or '.'");
}

constexpr Rule kRules[] = {
    {"port-range", "an invalid range of local ports, or one that overlaps NodePort services", port_range},
    {"sysctl-value", "a kernel parameter outside the range that the kernel accepts", sysctl_value},
    {"swap", "swap without a size, a size without swap, or a kubelet that refuses to run with swap", swap},
    {"huge-pages", "a huge-page setting that the kernel does not know", huge_pages},
    {"ulimit", "a limit that systemd does not know", ulimit},
    {"mig", "a MIG profile without a GPU, or one that does not exist", mig},
    {"gpu", "GPU settings that contradict each other or the VM size", gpu},
    {"cse-timeout", "a time limit that is not used or too short", cse_timeout},
    {"enabled-feature", "a feature switch that is ignored", enabled_feature},
    {"search-domain", "an incomplete custom search domain", search_domain},
    {"admin-user", "an administrator's name that is not a valid Linux user name", admin_user},
    {"container-data-dir", "a container directory that is not an absolute path", data_dir},
};

}  // namespace

std::span<const Rule> system_rules() {
  return kRules;
}

}  // namespace sunup::contract
