// Any bytes are a hook's declaration or are refused: no crash, a refusal names the step, and an accepted declaration is
// within the limits of docs/hooks.md.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plan/hook.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::plan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto hook = parse_hook("a.hook", text);
  if (!hook) {
    require(hook.error().what.starts_with("step a.hook: "), "a refusal names the step");
    return 0;
  }
  require(!hook->argv.empty() && hook->argv[0].starts_with('/'), "a program has an absolute path");
  require(hook->deadline > sunup::engine::Duration::zero() && hook->deadline <= std::chrono::hours(1),
          "a deadline is positive and at most an hour");
  require(hook->retries >= 0 && hook->retries <= 100, "retries are bounded");
  require(!(hook->deferred && hook->fatal), "a deferred hook is not fatal");
  for (const auto* list : {&hook->argv, &hook->needs, &hook->after, &hook->before, &hook->environment}) {
    require(list->size() <= 64, "a list is bounded");
    for (const std::string& item : *list)
      require(item.size() <= 4096 && item.find('\0') == std::string::npos, "a string is bounded and has no NUL");
  }
  require(parse_hook("a.hook", text)->argv == hook->argv, "reading is stable");
  return 0;
}
