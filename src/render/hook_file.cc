#include "render/hook_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/node_paths.h"

namespace sunup::render {

bool is_hook_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 63 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

std::string hook_path(std::string_view name) {
  return fmt::format("{}/{}.json", paths::kHooks, name);
}

}  // namespace sunup::render
