#include "engine/step.h"

#include <fmt/format.h>

#include <algorithm>

namespace sunup::engine {
namespace {

bool has(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

Result<void> Context::give(std::string_view name, std::string value) {
  if (name != step.name && !has(step.provides, name))
    return Error(fmt::format("step '{}' gives '{}', which it does not provide", step.name, name));
  facts_[std::string(name)] = value;
  given_[std::string(name)] = std::move(value);
  return {};
}

Result<std::string> Context::fact(std::string_view name) const {
  if (!has(step.needs, name) && !has(step.after, name))
    return Error(fmt::format("step '{}' asks for '{}', which it does not need", step.name, name));
  const auto found = facts_.find(std::string(name));
  if (found == facts_.end()) return Error(fmt::format("nobody gave '{}'", name));
  return found->second;
}

}  // namespace sunup::engine
