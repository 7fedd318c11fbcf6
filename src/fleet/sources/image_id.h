// The parts of an image ID (in any letter case) of a shared gallery, of a community gallery, or of a gallery's URL.
#pragma once

#include <optional>
#include <string_view>

namespace sunup::fleet {

struct ImageId {
  std::string_view gallery;     // all before "/images/"
  std::string_view definition;  // "2204gen2containerd"
  std::string_view version;     // empty if there is none
};

// Points into `id`. Empty if it does not name an image.
std::optional<ImageId> parse_image_id(std::string_view id);

}  // namespace sunup::fleet
