#include "render/nbc_secrets.h"

#include <algorithm>

#include "render/cse_variables.h"
#include "render/nbc_env.h"

namespace sunup::render {
namespace {

// Of older commands; the environment made from a config has no such variable.
constexpr std::string_view kRetiredSecretVariable = "SERVICE_PRINCIPAL_CLIENT_SECRET";

void add_with_urls(std::vector<Secret>& out, std::string_view value) {
  if (value.empty()) return;
  out.emplace_back(std::string(value));
  for (size_t mark = value.find("://"); mark != std::string_view::npos; mark = value.find("://", mark + 1)) {
    const size_t before = value.find_last_of(" \t\n;\"'=", mark);
    const size_t start = before == std::string_view::npos ? 0 : before + 1;
    out.emplace_back(std::string(value.substr(start, value.find_first_of(" \t\n;\"'", mark) - start)));
  }
}

}  // namespace

bool is_secret_variable(std::string_view name) {
  if (name == kRetiredSecretVariable) return true;
  const auto variables = cse_variables();
  const auto found = std::ranges::lower_bound(variables, name, {}, &CseVariable::name);
  return found != variables.end() && found->name == name && may_hold_secret(*found);
}

std::vector<Secret> nbc_secrets(std::string_view text) {
  std::vector<Secret> out;
  for (const auto& [name, value] : nbc_environment(text))
    if (is_secret_variable(name)) add_with_urls(out, value);
  return out;
}

}  // namespace sunup::render
