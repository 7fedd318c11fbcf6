#include "plan/unused_fields.h"

#include <google/protobuf/descriptor.h>

namespace sunup::plan {
namespace {

constexpr std::string_view kImagesOwn =
    "the image's own is used: packages are not exchanged while a node is provisioned";

// What the image's scripts act upon and the built-in steps do not. Fields that nobody reads are not worth a word.
constexpr UnusedField kUnused[] = {
    {"containerd_config.containerd_package_url", kImagesOwn},
    {"containerd_config.containerd_version", kImagesOwn},
    {"runc_config.runc_package_url", kImagesOwn},
    {"runc_config.runc_version", kImagesOwn},
};

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool is_set(const Message& message, std::string_view path) {
  const size_t dot = path.find('.');
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(std::string(path.substr(0, dot)));
  const auto* access = message.GetReflection();
  if (!access->HasField(message, field)) return false;
  if (dot != std::string_view::npos) return is_set(access->GetMessage(message, field), path.substr(dot + 1));
  return !access->GetString(message, field).empty();
}

}  // namespace

std::span<const UnusedField> all_unused_fields() {
  return kUnused;
}

std::vector<UnusedField> unused_fields(const aksnodeconfig::v1::Configuration& config) {
  std::vector<UnusedField> set;
  for (const UnusedField& field : kUnused)
    if (is_set(config, field.path)) set.push_back(field);
  return set;
}

}  // namespace sunup::plan
