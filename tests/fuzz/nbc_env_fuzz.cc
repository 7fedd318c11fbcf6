// The nbc parsers read a foreign command file: for any content, names are valid, no secret in it is missed, and nothing
// crashes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/nbc_env.h"
#include "render/nbc_secrets.h"
#include "require.h"

namespace {

bool is_name(std::string_view name) {
  return !name.empty() && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string_view::npos &&
         (name[0] < '0' || name[0] > '9');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto variables = sunup::render::nbc_environment(text);

  size_t total = 0;
  for (const auto& [name, value] : variables) {
    require(is_name(name), "names are names");
    total += name.size() + 1 + value.size();
  }
  require(total <= size, "all that is found stands in the text");

  using sunup::render::compare_environments;
  require(compare_environments(variables, variables).empty(), "an environment does not differ from itself");
  require(compare_environments(variables, {}).size() == variables.size(), "all of it is missing from an empty one");

  using sunup::render::nbc_secrets;
  for (const sunup::Secret& secret : nbc_secrets(text))
    require(!secret.empty() && secret.reveal().size() <= size, "a secret stands in the text");
  const auto planted = nbc_secrets(std::string(text) + "\nexport TLS_BOOTSTRAP_TOKEN='it'\\''s planted' go\n");
  require(std::ranges::find(planted, std::string_view("it's planted"), &sunup::Secret::reveal) != planted.end(),
          "no text keeps a secret in the lines behind it from being found");
  return 0;
}
