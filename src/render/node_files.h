// The files that custom data writes on a node: paths::kNodeConfig, paths::kFeatures,
// paths::kResultService and the declarations of hooks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sunup::render {

// A declaration of a hook (docs/hooks.md). plan/hook.h reads its content.
struct HookFile {
  std::string name;  // of the hook: that of the file, without ".json"
  std::string text;  // JSON

  bool operator==(const HookFile&) const = default;
};

struct NodeFiles {
  std::string config_json;
  std::string features = {};  // empty: there is no features file
  std::string results = {};   // render/result_service.h; empty: there is no such file

  // Written before the config: the controller, which the config starts, reads them once.
  std::vector<HookFile> hooks = {};

  bool operator==(const NodeFiles&) const = default;
};

// At most 63 characters of a-z, 0-9, '.', '_' and '-', the first of them none of '.' and '-'. Such a name needs no
// quoting anywhere.
bool is_hook_name(std::string_view name);

// "/etc/aks-node-controller/steps.d/NAME.json"
std::string hook_path(std::string_view name);

// The boothook: the shell script that cloud-init runs in its init stage, long before the boot has finished. It writes
// the config and starts the controller immediately.
//
// All texts are encoded in base64, so the script is plain ASCII for any content. A file with an empty text is not
// written, except for the config. With `readable`, the config, which must be ASCII, is literally part of the script.
std::string boothook(const NodeFiles& files, bool readable = false);

// Custom data for Flatcar and Azure Container Linux: an Ignition config that writes the node config (0600) before the
// first boot and contains the unit that starts the controller.
//
// Spec 3.3.0, because both old and new releases of Ignition read it.
//
// `compressed`: the files inside the document are compressed with gzip; the document itself must be JSON. `plain` is a
// text of the config that must appear literally in the document.
std::string ignition_config(const NodeFiles& files, bool compressed, std::string_view plain = {});

}  // namespace sunup::render
