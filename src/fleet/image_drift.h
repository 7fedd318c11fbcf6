// Whether a node's image has been left behind. A class offers a whole list of images, one for each architecture and
// generation, and a node that started from any of them is up to date, also where the next one would start from another.
#pragma once

#include <string_view>

namespace sunup::fleet {

// Are these the IDs of images of one gallery, family, kind (FIPS, trusted launch) and version?
bool of_one_release(std::string_view image_id, std::string_view other);

}  // namespace sunup::fleet
