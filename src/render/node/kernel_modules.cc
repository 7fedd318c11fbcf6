#include "render/node/kernel_modules.h"

#include <algorithm>

#include "base/version.h"

namespace sunup::render::node {
namespace {

struct FixedKernel {
  std::string_view release;
  std::string_view suffix;  // flavour
  std::string_view fixed;
};

// The first kernel of each Ubuntu release and flavour that has the fixes.
constexpr FixedKernel kFixed[] = {
    {"22.04", "-azure", "5.15.0-1116-azure"},      {"22.04", "-azure-fde", "5.15.0-1116-azure"},
    {"22.04", "-azure-fips", "5.15.0-1116-azure"}, {"22.04", "-generic", "5.15.0-181-generic"},
    {"24.04", "-azure", "6.8.0-1058-azure"},       {"24.04", "-azure-fde", "6.8.0-1058-azure"},
    {"24.04", "-azure-fips", "6.8.0-1058-azure"},  {"24.04", "-generic", "6.8.0-124-generic"},
};

// "5.15.0-1116-azure-fde" without its flavour; kernels of one flavour are ordered by this.
std::string_view build_of(std::string_view kernel, std::string_view suffix) {
  return kernel.substr(0, kernel.size() - suffix.size());
}

Mitigation by_kernel(const std::string& release, std::string_view kernel) {
  if (release.empty() || kernel.empty() || release == "20.04") return Mitigation::kApply;
  if (release != "22.04" && release != "24.04") return Mitigation::kRemove;
  for (const FixedKernel& row : kFixed) {
    if (row.release != release || !kernel.ends_with(row.suffix)) continue;
    const std::string_view fixed = row.fixed.substr(0, row.fixed.rfind('-'));
    return natural_order(build_of(kernel, row.suffix), fixed) >= 0 ? Mitigation::kRemove : Mitigation::kApply;
  }
  return Mitigation::kApply;
}

// Whether the line is "install MODULE /bin/false" or "blacklist MODULE" for one of the modules, possibly followed by
// white space and more text.
bool is_deny_rule(std::string_view line) {
  const auto next_word = [&line] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
  };
  const std::string_view verb = next_word();
  if (verb != "install" && verb != "blacklist") return false;
  const std::string_view module = next_word();
  const auto& ours = vulnerable_modules();
  if (std::find(ours.begin(), ours.end(), module) == ours.end()) return false;
  return verb == "blacklist" || next_word() == "/bin/false";
}

std::string deny_path(std::string_view module) {
  return std::string("/etc/modprobe.d/disable-").append(module).append(".conf");
}

}  // namespace

std::vector<std::string_view> modules_to_load(const Configuration& config) {
  std::vector<std::string_view> modules = {"overlay", "br_netfilter", "nf_conntrack"};
  if (config.ipv6_dual_stack_enabled()) modules.push_back("ip6_tables");
  return modules;
}

Result<NodeFiles> module_load_files(const Configuration&, const NodeFacts&) {
  return NodeFiles{{"/etc/modules-load.d/br_netfilter.conf", 0644, "br_netfilter"},
                   {"/etc/modules-load.d/nf_conntrack.conf", 0644, "nf_conntrack"}};
}

Mitigation module_mitigation(const NodeFacts& facts) {
  switch (traits(facts.distro).mitigation) {
    case ModuleMitigation::kAlways:
      return Mitigation::kApply;
    case ModuleMitigation::kNever:
      return Mitigation::kNone;
    case ModuleMitigation::kByKernel:
      break;
  }
  return by_kernel(facts.os_version, facts.kernel_release);
}

const std::vector<std::string_view>& vulnerable_modules() {
  static const std::vector<std::string_view> kModules = {"algif_aead", "esp4", "esp6", "rxrpc"};
  return kModules;
}

std::string without_deny_rules(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    if (!is_deny_rule(line.ends_with('\n') ? line.substr(0, line.size() - 1) : line)) out.append(line);
  }
  return out;
}

Result<NodeFiles> module_mitigation_files(const Configuration&, const NodeFacts& facts) {
  NodeFiles files;
  switch (module_mitigation(facts)) {
    case Mitigation::kNone:
      break;
    case Mitigation::kApply:
      for (const auto module : vulnerable_modules()) {
        const std::string name(module);
        files.push_back({deny_path(module), 0644, "install " + name + " /bin/false\nblacklist " + name + "\n"});
      }
      break;
    case Mitigation::kRemove:
      for (const std::string& name : facts.names_in("/etc/modprobe.d")) {
        if (!name.ends_with(".conf")) continue;
        const std::string path = "/etc/modprobe.d/" + name;
        const std::string_view text = facts.text(path);
        std::string cleaned = without_deny_rules(text);
        if (cleaned != text) files.push_back(edited_file(path, facts.mode(path), std::move(cleaned)));
      }
      break;
  }
  return files;
}

}  // namespace sunup::render::node
