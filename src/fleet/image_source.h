// Opens the source of image versions a person named: nothing for the recorded list, a file, or a URL.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "fleet/image_versions.h"

namespace sunup::fleet {

Result<std::shared_ptr<const ImageVersions>> open_image_versions(const std::string& file_or_url);

}  // namespace sunup::fleet
