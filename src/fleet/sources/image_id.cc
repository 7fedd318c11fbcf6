#include "fleet/sources/image_id.h"

#include <algorithm>

#include "base/text.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {

std::optional<ImageId> parse_image_id(std::string_view id) {
  constexpr std::string_view kImages = "/images/";
  constexpr std::string_view kVersions = "/versions/";
  id = id.substr(0, std::min(id.find('?'), id.size()));
  const size_t images = lowered(id).find(kImages);
  if (images == std::string::npos) return std::nullopt;
  const std::string_view rest = id.substr(images + kImages.size());
  const std::string_view definition = rest.substr(0, std::min(rest.find('/'), rest.size()));
  if (definition.empty()) return std::nullopt;
  std::string_view version = rest.substr(definition.size());
  if (equal_ignoring_case(version.substr(0, kVersions.size()), kVersions))
    version.remove_prefix(kVersions.size());
  else
    version = {};
  return ImageId{id.substr(0, images), definition, version};
}

}  // namespace sunup::fleet
