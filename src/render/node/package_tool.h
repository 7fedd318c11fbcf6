// The command lines of the distribution's package tool for a package that is not in the image, and the parser of its
// output. The package is only downloaded; nothing is installed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/distro.h"

namespace sunup::render::node {

using Argv = std::vector<std::string>;

// Updates the list of one repository; `sources` is its file, or empty for all repositories. The result is empty if the
// tool updates its lists by itself.
Argv refresh_command(PackageTool tool, std::string_view sources);

// Lists the available versions of a package.
Argv list_command(PackageTool tool, std::string_view package);

// The newest version in that list that is any revision of `version`. Empty if there is none.
std::string newest_listed(PackageTool tool, std::string_view list, std::string_view package, std::string_view version);

// Downloads a package to a directory. apt downloads to its working directory.
Argv download_command(PackageTool tool, std::string_view package, std::string_view version, std::string_view folder);

// The files that may define Microsoft's repository, depending on the requested version.
std::vector<std::string> microsoft_sources(std::string_view version);

}  // namespace sunup::render::node
