// The environment of the provisioning scripts: what we inherited together with what the config makes.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sunup::controller {

// All "NAME=value" strings sorted by their bytes; of equal names the last stays. So an inherited variable beats a
// computed one exactly if its value sorts higher. Scripts have lived with this rule, so it is kept.
std::vector<std::string> merge_environments(const std::vector<std::string>& inherited,
                                            const std::map<std::string, std::string>& computed);

// This process's own, as "NAME=value".
std::vector<std::string> inherited_environment();

// Adds to it, or replaces; before there is a second thread.
void add_to_environment(const std::map<std::string, std::string>& variables);

// The same by name; of equal names the first counts, as getenv sees it.
std::map<std::string, std::string> by_name(const std::vector<std::string>& environment);

}  // namespace sunup::controller
