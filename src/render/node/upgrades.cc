#include "render/node/upgrades.h"

namespace sunup::render::node {
namespace {

constexpr const char* kPeriodic = "/etc/apt/apt.conf.d/99periodic";
constexpr std::string_view kLines[] = {"APT::Periodic::Update-Package-Lists \"1\";",
                                       "APT::Periodic::Unattended-Upgrade \"1\";"};

UpgradeTool tool(const Configuration& config, const NodeFacts& facts) {
  if (!config.enable_unattended_upgrade()) return UpgradeTool::kNone;
  const UpgradeTool has = traits(facts.distro).upgrades;
  // The kernel and hypervisor of a Kata host are upgraded together, as part of an image.
  return has == UpgradeTool::kDnfAutomatic && config.is_kata() ? UpgradeTool::kNone : has;
}

}  // namespace

UpgradeUnits upgrade_units(const Configuration& config, const NodeFacts& facts) {
  switch (tool(config, facts)) {
    case UpgradeTool::kApt: {
      const std::vector<std::string_view> all = {"apt-daily.service", "apt-daily-upgrade.service", "apt-daily.timer",
                                                 "apt-daily-upgrade.timer"};
      return {.disable = {},
              .unmask = all,
              .enable = all,
              .start = {"apt-daily.timer", "apt-daily-upgrade.timer", "apt-daily.service"}};
    }
    case UpgradeTool::kDnfAutomatic:
      return {.disable = {"dnf-automatic-notifyonly.timer"},
              .unmask = {"dnf-automatic-install.service", "dnf-automatic-install.timer"},
              .enable = {"dnf-automatic-install.timer"},
              .start = {"dnf-automatic-install.timer"}};
    case UpgradeTool::kNone:
      break;
  }
  return {};
}

Result<NodeFiles> upgrade_files(const Configuration& config, const NodeFacts& facts) {
  if (tool(config, facts) != UpgradeTool::kApt) return NodeFiles{};
  std::string text(facts.text(kPeriodic));
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  for (const auto line : kLines) {
    const std::string whole = std::string(line) + "\n";
    if (text.starts_with(whole) || text.find("\n" + whole) != std::string::npos) continue;
    text += whole;
  }
  return NodeFiles{edited_file(kPeriodic, 0644, std::move(text))};
}

}  // namespace sunup::render::node
