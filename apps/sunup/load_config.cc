#include "load_config.h"
#include "base/text.h"

#include <cstdio>
#include <ctime>
#include <utility>

#include "base/input.h"
#include "contract/check.h"
#include "render/config_or_command.h"
#include "render/node/config_judgement.h"

namespace sunup {
namespace {

using contract::Finding;
using contract::Severity;

void tell(const std::string& name, const Finding& finding) {
  std::string line = name;
  if (finding.at.line > 0) line += ":" + std::to_string(finding.at.line) + ":" + std::to_string(finding.at.column);
  line +=
      ": " + std::string(render::node::severity_name(finding.severity)) + ": " + finding.path + ": " + finding.message;
  if (!finding.hint.empty()) line += " (" + finding.hint + ")";
  std::fprintf(stderr, "%s\n", line.c_str());
}

// Prints the errors that the check finds and returns their number.
int tell_errors(const std::string& name, const contract::Configuration& config, const contract::Places& places) {
  int errors = 0;
  for (const Finding& finding : contract::check(config, places, {.now = std::time(nullptr)})) {
    if (finding.severity != Severity::kError) continue;
    tell(name, finding);
    ++errors;
  }
  if (errors > 0)
    std::fprintf(
        stderr,
        "sunup: %s: %d error%s; a node with this config does not become Ready (details: `sunup config check`)\n",
        name.c_str(), errors, errors == 1 ? "" : "s");
  return errors;
}

}  // namespace

namespace {

// The bytes of a config. An error with os_errno set means that the file could not be read.
Result<std::string> read_bytes(const std::string& file, contract::Details* details) {
  auto bytes = sunup::read_input(file, contract::kMaxConfigBytes);
  if (!bytes && bytes.error().os_errno == 0) return contract::refused_as_too_large(input_name(file), details);
  return bytes;
}

}  // namespace

Result<contract::Loaded> read_config_or_command(const std::string& file, render::NbcConfig& command,
                                                contract::Details* details) {
  const auto bytes = read_bytes(file, details);
  if (!bytes) return bytes.error();
  return render::load_config_or_command(*bytes, input_name(file), command, details);
}

Result<contract::Loaded> read_config(const std::string& file, contract::Details* details, std::string* text) {
  auto bytes = read_bytes(file, details);
  if (!bytes) return std::move(bytes).error();
  auto loaded = render::load_only_config(*bytes, input_name(file), details);
  if (text != nullptr) *text = *std::move(bytes);
  return loaded;
}

std::optional<LoadedConfig> load_config(const std::string& file, Checked checked, int& exit_code) {
  contract::Details details;
  LoadedConfig out;
  auto loaded = read_config(file, &details, &out.text);
  if (!loaded) {
    const std::string& hint = loaded.error().hint;
    std::fprintf(stderr, "sunup: %s%s\n", loaded.error().what.c_str(), hint.empty() ? "" : (" (" + hint + ")").c_str());
    exit_code = loaded.error().os_errno != 0 ? 2 : 1;
    return std::nullopt;
  }
  const std::string name = input_name(file);
  for (const Finding& finding : loaded->findings) tell(name, finding);
  if (checked != Checked::kNot && tell_errors(name, loaded->config, details.places) > 0 &&
      checked == Checked::kStrict) {
    exit_code = 1;
    return std::nullopt;
  }
  out.config = std::move(loaded->config);
  out.unknown = std::move(loaded->unknown);
  return out;
}

void remark_on_containerd_version(const std::string& given) {
  const auto digit = [&](size_t at) { return at < given.size() && is_digit(given[at]); };
  for (size_t dot = given.find('.'); dot != given.npos; dot = given.find('.', dot + 1))
    if (dot > 0 && digit(dot - 1) && digit(dot + 1)) return;
  std::fprintf(stderr, "sunup: --containerd-version: no version in '%s'; 1.x is assumed\n", given.c_str());
}

std::optional<std::string> read_input(const std::string& file, int& exit_code) {
  auto text = sunup::read_input(file);
  if (text) return *std::move(text);
  std::fprintf(stderr, "sunup: %s\n", text.error().what.c_str());
  exit_code = text.error().os_errno != 0 ? 2 : 1;
  return std::nullopt;
}

}  // namespace sunup
