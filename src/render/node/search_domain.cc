#include "render/node/search_domain.h"

#include <algorithm>

#include "base/exit_code.h"
#include "base/text.h"

namespace sunup::render::node {
namespace {

constexpr const char* kInterfaces = "/etc/network/interfaces.d/50-cloud-init.cfg";

bool is_domain(std::string_view name) {
  return !name.starts_with('-') && std::all_of(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
  });
}

bool has_line(std::string_view text, std::string_view line) {
  while (!text.empty()) {
    if (unicode::trimmed(take_until(text, '\n')) == line) return true;
  }
  return false;
}

}  // namespace

bool has_search_domain(const Configuration& config) {
  const auto& search = config.custom_search_domain_config();
  return !search.domain_name().empty() && !search.realm_user().empty() && !search.realm_password().empty();
}

std::string realm_of(const Configuration& config) {
  return uppered(config.custom_search_domain_config().domain_name());
}

Result<NodeFiles> search_domain_files(const Configuration& config, const NodeFacts& facts) {
  if (!has_search_domain(config)) return NodeFiles{};
  const std::string& domain = config.custom_search_domain_config().domain_name();
  if (!is_domain(domain))
    return Error("the custom search domain is not a valid domain name")
        .with_hint("custom_search_domain_config.domain_name may contain only letters, digits, dots and dashes")
        .with_code(exit_code::kCustomSearchDomainsFail);
  std::string text(facts.text(kInterfaces));
  const std::string line = "dns-search " + domain;
  if (!has_line(text, line)) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += "  " + line + "\n";
  }
  return NodeFiles{edited_file(kInterfaces, facts.mode(kInterfaces), std::move(text))};
}

}  // namespace sunup::render::node
