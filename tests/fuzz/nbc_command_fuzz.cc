// The reader of bootstrap commands: any file is refused with a position, or read completely. Nothing is guessed: with
// an additional statement or expansion the file is refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "contract/write.h"
#include "render/nbc_config.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using sunup::render::read_nbc_command;
  using sunup::render::read_nbc_config;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto command = read_nbc_command(text);
  const auto config = read_nbc_config(text);
  if (!command) {
    require(command.error().what.find("column ") != std::string::npos, "a refusal has a place");
    require(!config, "what is no command has no config");
    return 0;
  }
  size_t total = 0;
  for (const auto& variable : command->variables) total += variable.name.size() + 1 + variable.value.size();
  require(total <= size, "all that is read stands in the text");
  require(!read_nbc_command(text + "; true"), "another statement at the end is refused");
  require(!read_nbc_command("true; " + text), "another statement at the start is refused");
  std::string expanded = text;
  const size_t end = expanded.rfind("/usr/bin/nohup");
  require(end != std::string::npos, "the script is at the end");
  require(!read_nbc_command(expanded.insert(end, "LOCATION=\"$(id)\" ")), "a command substitution is refused");
  if (!config) {
    require(config.error().what.find("column ") != std::string::npos, "a refusal has a place");
    return 0;
  }
  const std::string json = sunup::contract::to_json(config->loaded.config);
  const auto again = sunup::contract::load_text(json, "");
  require(again.ok() && sunup::contract::to_json(again->config) == json, "the config that is printed can be read");
  return 0;
}
