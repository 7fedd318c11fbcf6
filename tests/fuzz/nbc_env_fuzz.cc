// The nbc parser reads a command file that it did not write: whatever is in it, names stay names and nothing crashes.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "render/nbc_env.h"

namespace {

void require(bool held, const char* promise) {
  if (held) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

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
  require(compare_environments(variables, variables, {}).empty(), "an environment does not differ from itself");
  require(compare_environments(variables, {}, {}).size() == variables.size(), "all of it is missing from an empty one");
  return 0;
}
