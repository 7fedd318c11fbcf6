// The parts of the ID of an image, which Azure spells in any letter case: of a shared gallery, of a community gallery,
// or of the URL that a gallery is asked by.
#pragma once

#include <optional>
#include <string_view>

namespace sunup::fleet {

struct ImageId {
  std::string_view gallery;     // all before "/images/"
  std::string_view definition;  // "2204gen2containerd"
  std::string_view version;     // empty where none is named
};

// Points into `id`. Nothing when it names no image.
std::optional<ImageId> parse_image_id(std::string_view id);

}  // namespace sunup::fleet
