// Where image versions come from: a recorded list that is built in, a file, or a gallery's HTTP endpoint (whose answer
// is read by the same function as a file).
#pragma once

#include <map>
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
  // The newest version of a definition; nothing when the source does not know it.
  virtual std::optional<std::string> latest(const Gallery& gallery, std::string_view definition) const = 0;
  // Names the source for explanations.
  virtual std::string_view name() const = 0;
};

// The versions current when this program was made.
const ImageVersions& recorded_image_versions();

// Reads what is said of image versions, in any of these forms:
//   {"values": [{"os": "AKSUbuntu", "sku": "2204gen2containerd", "version": "202608.14.0"}]}
//       the list of node image versions of a region, or the same with "definition" in place of "sku"
//   {"value": [{"name": "202608.20.0", "properties": {"publishedDate": "2026-08-21T00:00:00Z"},
//               "identifier": {"uniqueId": "/CommunityGalleries/g/Images/2204gen2containerd/Versions/202608.20.0"}}]}
//       a gallery's own list of the versions of a definition, which its identifier, its id or the name of the source
//       (the URL it was asked by) tells
//   {"2204gen2containerd": "202608.14.0"}
//       a plain map
// Of several versions of a definition the one published last counts; where nobody says when, the highest.
Result<std::unique_ptr<ImageVersions>> parse_image_versions(std::string_view text, std::string name);

// The parts of an image ID (in any letter case) of a shared gallery, of a community gallery, or of a gallery's URL.
struct ImageId {
  std::string_view gallery;     // all before "/images/"
  std::string_view definition;  // "2204gen2containerd"
  std::string_view version;     // empty if there is none
};

// Points into `id`. Empty if it does not name an image.
std::optional<ImageId> parse_image_id(std::string_view id);

// Numbers between dots, and nothing else: it becomes a part of an image's ID.
bool is_image_version(std::string_view text);

// Is `a` newer than `b`? Part by part as whole numbers; of two that agree the longer is newer. A text that is no
// version is never newer.
bool newer_image_version(std::string_view a, std::string_view b);

}  // namespace sunup::fleet
