#include "render/config_or_command.h"

#include "base/text.h"
#include "render/nbc_command.h"

namespace sunup::render {
namespace {

// Converts the prefix "column 812: ..." or "line 2, column 5: ..." of an error to a position.
Position place_in(std::string_view error) {
  const auto number = [&](std::string_view before) {
    const size_t at = error.find(before);
    if (at == std::string_view::npos) return 1;
    const std::string_view digits = error.substr(at + before.size());
    return static_cast<int>(as_number<int64_t>(digits.substr(0, digits.find_first_not_of("0123456789"))).value_or(1));
  };
  return {error.starts_with("line ") ? number("line ") : 1, number("column ")};
}

}  // namespace

Result<contract::Loaded> load_only_config(std::string_view text, std::string_view name, contract::Details* details) {
  auto loaded = contract::load_text(text, name, details);
  if (!loaded && looks_like_nbc_command(text))
    return Error(std::string(name) + ": this is a command, not a config")
        .with_hint("'sunup config from-nbc' prints the config that it stands for");
  return loaded;
}

Result<contract::Loaded> load_config_or_command(std::string_view text, std::string_view name, NbcConfig& command,
                                                contract::Details* details) {
  if (!looks_like_nbc_command(text)) return load_only_config(text, name, details);
  auto read = read_nbc_config(text);
  if (!read) {
    if (details) {
      details->refusal = {};
      details->refusal.rule = "refused";
      details->refusal.at = place_in(read.error().what);
      details->refusal.path = "$";
      details->refusal.message = read.error().what;
      details->refusal.hint = read.error().hint.empty()
                                  ? "the image's scripts run this command; the built-in steps do not"
                                  : read.error().hint;
    }
    return std::move(read).error().in(name);
  }
  command = *std::move(read);
  if (details) details->places = command.places;
  return command.loaded;
}

}  // namespace sunup::render
