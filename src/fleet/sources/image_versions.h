// Sources of image versions: a built-in recorded list, a file, or the HTTP endpoint of a gallery (whose response is
// parsed by the same function as a file).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/sources/image_family.h"

namespace sunup::fleet {

class ImageVersions {
 public:
  virtual ~ImageVersions() = default;
  // The newest version of a definition; empty if the source does not know it.
  virtual std::optional<std::string> latest(const Gallery& gallery, std::string_view definition) const = 0;
  // Names the source for explanations.
  virtual std::string_view name() const = 0;
};

// The versions that were current when this program was built.
const ImageVersions& recorded_image_versions();

// Parses image versions in any of these formats:
//   {"values": [{"os": "AKSUbuntu", "sku": "2204gen2containerd", "version": "202608.14.0"}]}
//       the list of node image versions of a region, or the same with "definition" instead of "sku"
//   {"value": [{"name": "202608.20.0", "properties": {"publishedDate": "2026-08-21T00:00:00Z"},
//               "identifier": {"uniqueId": "/CommunityGalleries/g/Images/2204gen2containerd/Versions/202608.20.0"}}]}
//       a gallery's own list of the versions of a definition, which is named by its identifier, its id or the
//       source's name (the requested URL)
//   {"2204gen2containerd": "202608.14.0"}
//       a plain map
// Of several versions of a definition the one published last is used; if no dates are given, the highest.
Result<std::unique_ptr<ImageVersions>> parse_image_versions(std::string_view text, std::string name);

// The parts of an image ID (case-insensitive) of a shared gallery, of a community gallery, or of a gallery's URL.
struct ImageId {
  std::string_view gallery;     // everything before "/images/"
  std::string_view definition;  // "2204gen2containerd"
  std::string_view version;     // empty if there is none
};

// Points into `id`. Empty if it does not name an image.
std::optional<ImageId> parse_image_id(std::string_view id);

// Numbers separated by dots and nothing else, because it becomes part of an image ID.
bool is_image_version(std::string_view text);

// Whether `a` is newer than `b`. The parts are compared as whole numbers; if they are equal, the longer version is
// newer. Text that is not a version is never newer.
bool newer_image_version(std::string_view a, std::string_view b);

}  // namespace sunup::fleet
