#include "plan/unused_fields.h"

#include <google/protobuf/descriptor.h>

namespace sunup::plan {
namespace {

constexpr std::string_view kImagesOwn =
    "the image's own is used: packages are not exchanged while a node is provisioned";
constexpr std::string_view kNobody = "no step of a node reads it";

constexpr UnusedField kUnused[] = {
    {"containerd_config.containerd_package_url", kImagesOwn},
    {"containerd_config.containerd_version", kImagesOwn},
    {"runc_config.runc_package_url", kImagesOwn},
    {"runc_config.runc_version", kImagesOwn},
    {"kube_proxy_url", "kube-proxy is a pod, and its image is pulled like any other"},
    {"azure_private_registry_server", "the credential provider knows every Azure registry"},
    {"private_egress_proxy_address", kNobody},
    {"workload_runtime", kNobody},
    {"gpu_config.enable_amd_gpu", "AMD's drivers are part of the images that have them"},
    {"gpu_config.gpu_device_plugin", "enable_managed_gpu is what offers GPUs to pods"},
    {"gpu_config.managed_gpu_experience_afec_enabled", kNobody},
};

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Set to something other than its default.
bool is_set(const Message& message, std::string_view path) {
  const size_t dot = path.find('.');
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(std::string(path.substr(0, dot)));
  if (field == nullptr) return false;
  const auto* access = message.GetReflection();
  if (field->is_repeated()) return access->FieldSize(message, field) > 0;
  if (!access->HasField(message, field)) return false;
  if (dot != std::string_view::npos) return is_set(access->GetMessage(message, field), path.substr(dot + 1));
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return !access->GetString(message, field).empty();
    case FieldDescriptor::CPPTYPE_BOOL:
      return access->GetBool(message, field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return access->GetEnumValue(message, field) != 0;
    default:
      return true;
  }
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
