#include "render/node/sshd_config.h"

#include <algorithm>

#include "base/node_paths.h"
#include "base/text.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kPath = paths::kSshdConfig;
constexpr std::string_view kOff = "PubkeyAuthentication no\n";

// sshd separates keyword and argument by white space or '=', and keywords are case-insensitive.
std::string keyword(std::string_view line) {
  line = unicode::trimmed(line);
  return unicode::lowered(line.substr(0, line.find_first_of(" \t=")));
}

}  // namespace

std::string without_pubkey_auth(std::string_view sshd_config) {
  std::string out;
  bool said = false;
  bool in_match = false;
  while (!sshd_config.empty()) {
    const size_t end = std::min(sshd_config.find('\n'), sshd_config.size() - 1);
    const std::string_view line = sshd_config.substr(0, end + 1);
    sshd_config.remove_prefix(end + 1);
    const std::string word = keyword(line);
    if (word == "match") {
      if (!said) out.append(kOff);
      said = in_match = true;
    }
    if (word == "pubkeyauthentication" && !in_match) {
      out.append(kOff);
      said = true;
    } else {
      out.append(line);
    }
  }
  if (said) return out;
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out.append(kOff);
}

bool disables_ssh(const Configuration& config) {
  return config.has_enable_ssh() && !config.enable_ssh();
}

Result<NodeFiles> sshd_config_files(const Configuration& config, const NodeFacts& facts) {
  if (!config.disable_pubkey_auth() || disables_ssh(config)) return NodeFiles{};
  return NodeFiles{edited_file(std::string(kPath), 0600, without_pubkey_auth(facts.text(std::string(kPath))))};
}

}  // namespace sunup::render::node
