#include "fleet/image_drift.h"

#include <optional>

#include "fleet/image_family.h"
#include "fleet/patterns.h"

namespace sunup::fleet {
namespace {

struct ImageId {
  std::string_view gallery;
  std::string_view definition;
  std::string_view version;
};

std::optional<ImageId> parse_image_id(std::string_view id) {
  constexpr std::string_view kImages = "/images/";
  constexpr std::string_view kVersions = "/versions/";
  const size_t images = id.find(kImages);
  if (images == id.npos) return std::nullopt;
  const std::string_view rest = id.substr(images + kImages.size());
  const size_t versions = rest.find(kVersions);
  if (versions == rest.npos) return std::nullopt;
  return ImageId{id.substr(0, images), rest.substr(0, versions), rest.substr(versions + kVersions.size())};
}

const ImageDefinition* find_definition(const ImageFamily& family, std::string_view name) {
  for (const ImageDefinition& definition : family.images)
    if (equal_ignoring_case(definition.name, name)) return &definition;
  return nullptr;
}

}  // namespace

bool of_one_release(std::string_view image_id, std::string_view other) {
  const auto a = parse_image_id(image_id);
  const auto b = parse_image_id(other);
  if (!a || !b || !equal_ignoring_case(a->gallery, b->gallery) || a->version != b->version) return false;
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
