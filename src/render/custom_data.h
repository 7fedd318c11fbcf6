// A VM's custom data: what hands a node its config at first boot and gets its controller started. Same input, same
// bytes.
//
//   Result<std::string> data = custom_data(config, {.form = CustomDataForm::kBoothook});
//   request.os_profile.custom_data = base64_encode(*data);
//
// It must fit Azure's limit, 65,535 bytes before base64 ("the maximum length of the binary array is 65535 bytes" of
// osProfile.customData). A document that would not is packed with gzip where its consumer unpacks it: cloud-init
// unpacks the whole, Ignition the files inside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "base/result.h"
#include "contract/load.h"
#include "render/node_files.h"

namespace sunup::render {

enum class CustomDataForm {
  kBoothook,    // cloud-init: MIME with a boothook that starts the controller at once
  kIgnition,    // Flatcar, Azure Container Linux
  kWriteFiles,  // cloud-init on old images: a plain cloud-config
};

// By the name of an image's operating system: "ubuntu2204", "azurelinux3", "flatcar", "acl" ...
Result<CustomDataForm> form_for_os(std::string_view os);

enum class Compression { kIfNeeded, kNever, kAlways };

struct CustomDataOptions {
  CustomDataForm form = CustomDataForm::kBoothook;
  Compression compression = Compression::kIfNeeded;
  // What a newer control plane put into the config that this version does not know, for images that do.
  contract::UnknownMembers unknown = {};
  // The config's own text, to be embedded byte for byte instead of its canonical form.
  std::optional<std::string> verbatim = {};
};

inline constexpr size_t kMaxCustomDataBytes = 65535;

// The bytes before base64. Too big is an error that says by how much and which fields are the biggest.
Result<std::string> custom_data(const aksnodeconfig::v1::Configuration& config, const CustomDataOptions& options = {});

// What custom_data() made, in any form, packed or not: the files as the node will see them.
struct CustomDataContent {
  CustomDataForm form = CustomDataForm::kBoothook;
  NodeFiles files;
};
Result<CustomDataContent> read_custom_data(std::string_view bytes);

}  // namespace sunup::render
