// A declaration of a hook (docs/hooks.md), as custom data delivers it. plan/hook.h reads its content.
#pragma once

#include <string>
#include <string_view>

namespace sunup::render {

struct HookFile {
  std::string name;  // of the hook: that of the file, without ".json"
  std::string text;  // JSON

  bool operator==(const HookFile&) const = default;
};

// At most 63 characters of a-z, 0-9, '.', '_' and '-', the first of them none of '.' and '-'. Such a name needs no
// quoting anywhere.
bool is_hook_name(std::string_view name);

// "/etc/aks-node-controller/steps.d/NAME.json"
std::string hook_path(std::string_view name);

}  // namespace sunup::render
