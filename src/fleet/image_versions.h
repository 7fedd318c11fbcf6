// Where image versions come from: a recorded list that is built in, a file, or a gallery's HTTP endpoint (whose answer
// is read by the same function as a file).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/image_family.h"

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

// Reads what galleries answer: {"values": [{"os": "AKSUbuntu", "sku": "2204gen2containerd", "version": "202608.14.0"}]}
// (the list of node image versions of a region), the same with "definition" in place of "sku", or a plain map
// {"2204gen2containerd": "202608.14.0"}. Of several versions the newest counts.
Result<std::unique_ptr<ImageVersions>> parse_image_versions(std::string_view text, std::string name);

// Is `a` newer than `b`? Part by part as whole numbers; a part that is no number is never newer; of two that agree the
// longer is newer.
bool newer_image_version(std::string_view a, std::string_view b);

}  // namespace sunup::fleet
