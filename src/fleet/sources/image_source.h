// Opens a source of image versions: empty for the built-in list, a file, or a URL.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "fleet/sources/image_versions.h"

namespace sunup::fleet {

Result<std::shared_ptr<const ImageVersions>> open_image_versions(const std::string& file_or_url);

}  // namespace sunup::fleet
