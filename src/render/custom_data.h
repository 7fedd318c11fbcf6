// The custom data of a VM, which passes the config to the node at first boot and starts the controller. The same input
// gives the same bytes.
//
//   Result<std::string> data = custom_data(config, {.form = CustomDataForm::kBoothook});
//   request.os_profile.custom_data = base64_encode(*data);
//
// It must fit Azure's limit, 65,535 bytes before base64 ("the maximum length of the binary array is 65535 bytes" of
// osProfile.customData). A larger document is compressed with gzip where the consumer can decompress it: cloud-init
// decompresses the whole document, Ignition the files inside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "base/result.h"
#include "contract/load.h"
#include "render/node_files.h"
#include "render/result_service.h"

namespace sunup::render {

enum class CustomDataForm {
  kBoothook,    // cloud-init: MIME with a boothook that starts the controller immediately
  kIgnition,    // Flatcar, Azure Container Linux
  kWriteFiles,  // cloud-init on old images: a plain cloud-config
};

// The form for an operating system of an image: "ubuntu2204", "azurelinux3", "flatcar", "acl" ...
Result<CustomDataForm> form_for_os(std::string_view os);

enum class Compression { kIfNeeded, kNever, kAlways };

// The names that users give forms and compressions. No form: that of the operating system.
inline constexpr std::pair<std::string_view, std::optional<CustomDataForm>> kFormNames[] = {
    {"auto", std::nullopt},
    {"boothook", CustomDataForm::kBoothook},
    {"ignition", CustomDataForm::kIgnition},
    {"write-files", CustomDataForm::kWriteFiles},
};
inline constexpr std::pair<std::string_view, Compression> kCompressionNames[] = {
    {"auto", Compression::kIfNeeded},
    {"always", Compression::kAlways},
    {"never", Compression::kNever},
};
// For any other name, the first row applies.
CustomDataForm form_named(std::string_view name, CustomDataForm of_the_os);
Compression compression_named(std::string_view name);

struct CustomDataOptions {
  CustomDataForm form = CustomDataForm::kBoothook;
  Compression compression = Compression::kIfNeeded;
  // Unknown fields from a newer control plane, for images that support them.
  contract::UnknownMembers unknown = {};
  // The text of the config, embedded byte for byte instead of its canonical form.
  std::optional<std::string> verbatim = {};
  // A text in the config that a client replaces before the data reaches the node, such as a template of the bootstrap
  // token. It must appear literally in the data, so the data is not compressed, and the config is not encoded as a
  // whole. An error if the config does not contain it.
  std::string_view placeholder = {};
  // The address to which the node sends its result; empty: it does not.
  std::optional<ResultService> results = {};
  // Declarations of hooks (docs/hooks.md). Their content is not checked here.
  std::vector<HookFile> hooks = {};
};

inline constexpr size_t kMaxCustomDataBytes = 65535;

// The bytes before base64. If they are too large, the error gives the excess and the largest fields.
Result<std::string> custom_data(const aksnodeconfig::v1::Configuration& config, const CustomDataOptions& options = {});

}  // namespace sunup::render
