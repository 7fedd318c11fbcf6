#include "fleet/launch/image_drift.h"

#include "base/text.h"
#include "fleet/sources/image_family.h"
#include "fleet/sources/image_id.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

const ImageDefinition* find_definition(const ImageFamily& family, std::string_view name) {
  for (const ImageDefinition& definition : family.images)
    if (equal_ignoring_case(definition.name, name)) return &definition;
  return nullptr;
}

}  // namespace

bool of_one_release(std::string_view image_id, std::string_view other) {
  const auto a = parse_image_id(image_id);
  const auto b = parse_image_id(other);
  if (!a || !b || a->version.empty() || !equal_ignoring_case(a->gallery, b->gallery) || a->version != b->version)
    return false;
  for (const ImageFamily* family : image_families()) {
    const ImageDefinition* left = find_definition(*family, a->definition);
    const ImageDefinition* right = find_definition(*family, b->definition);
    if (left != nullptr && right != nullptr && left->fips == right->fips &&
        left->trusted_launch == right->trusted_launch)
      return true;
  }
  return false;
}

}  // namespace sunup::fleet
