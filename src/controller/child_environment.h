// The environment of the provisioning scripts: the variables of the config, and the other inherited variables.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace sunup::controller {

// All "NAME=value" strings, sorted by their bytes. A computed variable replaces an inherited one of the same name.
std::vector<std::string> merge_environments(const std::vector<std::string>& inherited,
                                            const std::map<std::string, std::string>& computed);

// The names of the inherited variables that a computed variable with another value replaces, sorted.
std::vector<std::string> overruled(const std::vector<std::string>& inherited,
                                   const std::map<std::string, std::string>& computed);

// An error that names the first variable that the kernel does not pass to a program because it is too long.
Result<void> fits_the_kernel(const std::map<std::string, std::string>& environment);

// The environment of this process, as "NAME=value".
std::vector<std::string> inherited_environment();

// Adds or replaces a variable. Must be called before a second thread exists.
void add_to_environment(const std::map<std::string, std::string>& variables);

// The same as a map; of equal names the first is used, as by getenv.
std::map<std::string, std::string> by_name(const std::vector<std::string>& environment);

}  // namespace sunup::controller
