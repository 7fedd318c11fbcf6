// What the distribution's package tool is asked for a package that is not in the image: the command lines, and what its
// answer says. Only the file is fetched; nothing is installed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/distro.h"

namespace sunup::render::node {

using Argv = std::vector<std::string>;

// Brings the list of one repository up to date; `sources` is its file, empty: all of them. Empty: the tool does it by
// itself.
Argv refresh_command(PackageTool tool, std::string_view sources);

// Lists what there is of a package.
Argv list_command(PackageTool tool, std::string_view package);

// The newest version in that list which is `version` in some revision. Empty when there is none.
std::string newest_listed(PackageTool tool, std::string_view list, std::string_view package, std::string_view version);

// Fetches a package to a folder: for apt the folder it runs in.
Argv download_command(PackageTool tool, std::string_view package, std::string_view version, std::string_view folder);

// The files that may name Microsoft's repository, by the version that is wanted.
std::vector<std::string> microsoft_sources(std::string_view version);

}  // namespace sunup::render::node
