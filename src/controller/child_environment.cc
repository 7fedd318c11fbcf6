#include "controller/child_environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace sunup::controller {
namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

std::vector<std::string> merge_environments(const std::vector<std::string>& inherited,
                                            const std::map<std::string, std::string>& computed) {
  std::vector<std::string> all = inherited;
  all.reserve(all.size() + computed.size());
  for (const auto& [name, value] : computed) all.push_back(name + "=" + value);
  std::sort(all.begin(), all.end());

  // Strings of one name share the prefix "NAME=", so they are neighbours.
  std::vector<std::string> merged;
  merged.reserve(all.size());
  for (std::string& variable : all) {
    if (!merged.empty() && name_of(merged.back()) == name_of(variable)) merged.pop_back();
    merged.push_back(std::move(variable));
  }
  return merged;
}

std::vector<std::string> inherited_environment() {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
  return out;
}

void add_to_environment(const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables)
    ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): says the header
}

std::map<std::string, std::string> by_name(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> out;
  for (const std::string& variable : environment) {
    const size_t equals = variable.find('=');
    if (equals != std::string::npos) out.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return out;
}

}  // namespace sunup::controller
