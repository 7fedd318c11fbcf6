#include "load_config.h"

#include <cstdio>
#include <utility>

namespace sunup {
namespace {

const char* word(contract::Severity severity) {
  switch (severity) {
    case contract::Severity::kError:
      return "error";
    case contract::Severity::kWarning:
      return "warning";
    case contract::Severity::kNote:
      return "note";
  }
  return "";
}

void tell(const std::string& file, const contract::Finding& finding) {
  std::string line = file;
  if (finding.at.line > 0) line += ":" + std::to_string(finding.at.line) + ":" + std::to_string(finding.at.column);
  line += ": " + std::string(word(finding.severity)) + ": " + finding.path + ": " + finding.message;
  if (!finding.hint.empty()) line += " (" + finding.hint + ")";
  std::fprintf(stderr, "%s\n", line.c_str());
}

std::optional<contract::Loaded> told(Result<contract::Loaded> loaded, const std::string& file, int& exit_code) {
  if (!loaded) {
    std::fprintf(stderr, "sunup: %s\n", loaded.error().what.c_str());
    exit_code = loaded.error().os_errno != 0 ? 2 : 1;
    return std::nullopt;
  }
  for (const contract::Finding& finding : loaded->findings) tell(file, finding);
  return *std::move(loaded);
}

}  // namespace

std::optional<contract::Loaded> load_config_text(std::string_view text, const std::string& file, int& exit_code) {
  return told(contract::load_text(text, file), file, exit_code);
}

std::optional<contract::Configuration> load_config(const std::string& file, int& exit_code) {
  auto loaded = told(contract::load_file(file), file, exit_code);
  if (!loaded) return std::nullopt;
  return std::move(loaded->config);
}

std::optional<std::string> read_input(const std::string& file, int& exit_code) {
  auto text = contract::read_config_file(file);
  if (text) return *std::move(text);
  std::fprintf(stderr, "sunup: %s\n", text.error().what.c_str());
  exit_code = text.error().os_errno != 0 ? 2 : 1;
  return std::nullopt;
}

}  // namespace sunup
