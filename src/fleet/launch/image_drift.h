// Whether a node's image is outdated. A class has a list of images, one for each architecture and generation, and a
// node that uses any of them is up to date, even if the next node would use another one.
#pragma once

#include <string_view>

namespace sunup::fleet {

// Whether these IDs have the same gallery, family, kind (FIPS, trusted launch) and version.
bool of_one_release(std::string_view image_id, std::string_view other);

}  // namespace sunup::fleet
