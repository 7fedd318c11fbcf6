#include "fleet/sources/image_family.h"

namespace sunup::fleet {
namespace {

constexpr const ImageFamily* kFamilies[] = {
    &kUbuntu2204, &kUbuntu2404, &kUbuntu2004, &kAzureLinux3, &kAzureLinux2,
};

}  // namespace

std::span<const ImageFamily* const> image_families() {
  return kFamilies;
}

const ImageFamily* find_image_family(const FamilyQuery& query, std::span<const ImageFamily* const> families) {
  for (const ImageFamily* family : families)
    if (family->serves(query)) return family;
  return nullptr;
}

}  // namespace sunup::fleet
