#include "render/node/motd.h"

#include "render/node/decode.h"

namespace sunup::render::node {
namespace {

constexpr const char* kDnfConf = "/etc/dnf/automatic.conf";
constexpr const char* kUpdateMotd = "/etc/update-motd.d";
constexpr std::string_view kByMotd = "emit_via = motd";
constexpr std::string_view kByOutput = "emit_via = stdio";

}  // namespace

std::string without_motd_emitter(std::string_view automatic_conf) {
  std::string out(automatic_conf);
  for (size_t at = out.find(kByMotd); at != std::string::npos; at = out.find(kByMotd, at + kByOutput.size()))
    out.replace(at, kByMotd.size(), kByOutput);
  return out;
}

Result<NodeFiles> motd_files(const Configuration& config, const NodeFacts& facts) {
  if (config.message_of_the_day().empty()) return NodeFiles{};
  NodeFiles files = {{"/etc/motd", 0644, decode_text_field(config.message_of_the_day())}};
  if (traits(facts.distro).upgrades == UpgradeTool::kDnfAutomatic && facts.has(kDnfConf)) {
    const std::string_view before = facts.text(kDnfConf);
    if (std::string after = without_motd_emitter(before); after != before) {
      files.push_back(edited_file(kDnfConf, facts.mode(kDnfConf), std::move(after)));
    }
  }
  // Ubuntu builds its message from the output of the programs in a directory and reads the file only afterwards.
  if (traits(facts.distro).packages == PackageFormat::kDeb && facts.has(kUpdateMotd)) {
    files.push_back({std::string(kUpdateMotd) + "/99-aks-custom-motd", 0755, "#!/bin/sh\nexec cat /etc/motd\n"});
  }
  return files;
}

}  // namespace sunup::render::node
