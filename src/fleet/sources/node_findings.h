// Findings about valid settings that do not reach the node. Each function adds to the node's findings: a warning if the
// setting has no effect, a note if nothing is lost.
#pragma once

#include <string>
#include <string_view>

#include "fleet/sources/node_class.h"
#include "fleet/sources/schema.h"

namespace sunup::fleet {

void warn(Findings& findings, std::string path, std::string_view rule, std::string message, std::string hint = "");
void note(Findings& findings, std::string path, std::string_view rule, std::string message);

// Settings that the first generation of images has no variable for.
void warn_of_uncarried(const NodeClass& node_class, Findings& findings);
// Network policies that an AKSNodeConfig cannot express.
void warn_of_unnamed_policy(const std::string& policy, Findings& findings);

}  // namespace sunup::fleet
