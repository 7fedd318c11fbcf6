#include "guest/azure_vm.h"

#include "azure/instance.h"
#include "base/text.h"

namespace sunup::guest {
namespace {

constexpr char kAssetTag[] = "/sys/class/dmi/id/chassis_asset_tag";
constexpr char kProductUuid[] = "/sys/class/dmi/id/product_uuid";
constexpr char kUefi[] = "/sys/firmware/efi";
constexpr char kAzureTag[] = "7783-7084-3265-9085-8269-3286-77";
constexpr uint64_t kLongestDmiText = 4096;

}  // namespace

Result<bool> is_azure(host::Files& files) {
  const auto tag = files.read_if_there(kAssetTag, kLongestDmiText);
  if (!tag) return tag.error();
  if (*tag && trimmed(**tag) == kAzureTag) return true;
  return files.exists(kSeed);
}

Result<std::string> vm_id(host::Files& files) {
  const auto uuid = files.read_if_there(kProductUuid, kLongestDmiText);
  if (!uuid) return uuid.error();
  if (!*uuid) return std::string();
  const auto uefi = files.exists(kUefi);
  if (!uefi) return uefi.error();
  return azure::vm_id_of(**uuid, *uefi);
}

}  // namespace sunup::guest
