#include "plan/unused_fields.h"

#include "contract/message_view.h"

namespace sunup::plan {
namespace {

constexpr std::string_view kImagesOwn =
    "the version in the image is used: packages are not replaced during provisioning";

// Fields that the image's scripts use and the built-in steps do not. Fields that nothing uses are not listed.
constexpr UnusedField kUnused[] = {
    {"containerd_config.containerd_package_url", kImagesOwn},
    {"containerd_config.containerd_version", kImagesOwn},
    {"runc_config.runc_package_url", kImagesOwn},
    {"runc_config.runc_version", kImagesOwn},
};

bool is_set(contract::MessageView message, std::string_view path) {
  while (true) {
    const size_t dot = path.find('.');
    const contract::Field& field = *message.type().find(path.substr(0, dot));
    if (dot == std::string_view::npos) return !message.get(field).text().empty();
    message = message.get(field).message();
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

std::vector<UnusedField> unused_fields(const aksnodeconfig::v1::Configuration& config) {
  const std::string wire = config.SerializeAsString();
  const contract::MessageView view(wire, contract::configuration_fields());
  std::vector<UnusedField> set;
  for (const UnusedField& field : kUnused)
    if (is_set(view, field.path)) set.push_back(field);
  return set;
}

}  // namespace sunup::plan
