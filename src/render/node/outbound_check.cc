#include "render/node/outbound_check.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace sunup::render::node {

Result<std::optional<OutboundCheck>> outbound_check(std::string_view command) {
  const auto parts = unicode::words(command);
  if (parts.empty()) return std::optional<OutboundCheck>();
  const Error refused = Error("outbound_command is not a curl command with one URL")
                            .with_hint("it is not run as shell text; expected: curl -v --insecure https://HOST/PATH");
  constexpr std::array<std::string_view, 9> kHarmless = {"-v", "--verbose",  "-s", "--silent",        "-S",
                                                         "-k", "--insecure", "-f", "--proxy-insecure"};
  if (parts[0] != "curl") return refused;
  OutboundCheck check;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].starts_with("https://") || parts[i].starts_with("http://")) {
      if (!check.url.empty() || parts[i].find_first_of("\"'`$;&|<>(){}\\") != std::string_view::npos) return refused;
      check.url = parts[i];
    } else if (std::find(kHarmless.begin(), kHarmless.end(), parts[i]) == kHarmless.end()) {
      return refused;
    } else if (parts[i] == "-k" || parts[i] == "--insecure") {
      check.verifies_certificate = false;
    }
  }
  if (check.url.empty()) return refused;
  return std::optional<OutboundCheck>(check);
}

}  // namespace sunup::render::node
