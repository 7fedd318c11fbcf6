#include "render/env_text.h"

#include <nlohmann/json.hpp>

#include "base/shell_word.h"

namespace sunup::render {

std::string environment_json(const Environment& environment) {
  // A component list may contain bytes that are not UTF-8. The output must be valid JSON nevertheless.
  return nlohmann::json(environment).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<std::string> environment_shell(const Environment& environment) {
  std::string out;
  for (const auto& [name, value] : environment) {
    if (value.find('\0') != std::string::npos)
      return Error(name + " would contain a NUL character, which an environment cannot contain");
    out.append("export ").append(name).append("=");
    append_shell_word(out, value, ShellQuoting::kSingle);
    out += '\n';
  }
  return out;
}

}  // namespace sunup::render
