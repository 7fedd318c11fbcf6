#include "controller/child_environment.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "render/cse_env.h"

namespace sunup::controller {
namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

std::vector<std::string> merge_environments(const std::vector<std::string>& inherited,
                                            const std::map<std::string, std::string>& computed) {
  std::vector<std::string> all;
  all.reserve(inherited.size() + computed.size());
  std::set<std::string_view> names;  // of equal inherited names the first is used, as by getenv
  for (const std::string& variable : inherited)
    if (!computed.contains(std::string(name_of(variable))) && names.insert(name_of(variable)).second)
      all.push_back(variable);
  for (const auto& [name, value] : computed) all.push_back(name + "=" + value);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> overruled(const std::vector<std::string>& inherited,
                                   const std::map<std::string, std::string>& computed) {
  std::set<std::string> names;
  for (const std::string& variable : inherited) {
    const std::string name(name_of(variable));
    const auto ours = computed.find(name);
    if (ours != computed.end() && variable != name + "=" + ours->second) names.insert(name);
  }
  return {names.begin(), names.end()};
}

Result<void> fits_the_kernel(const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment)
    if (auto fits = render::fits_the_kernel(name, value); !fits) return fits;
  return {};
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
