// What is to be said about a node whose settings are right and do not all reach it. Each of these adds what it finds to
// the node's findings: a warning where somebody will wait in vain, a note where nothing is lost.
#pragma once

#include <string>
#include <string_view>

#include "fleet/node_class.h"
#include "fleet/schema.h"

namespace sunup::fleet {

void warn(Findings& findings, std::string path, std::string_view rule, std::string message, std::string hint = "");
void note(Findings& findings, std::string path, std::string_view rule, std::string message);

// Settings that the first generation of images has no variable for.
void warn_of_uncarried(const NodeClass& node_class, Findings& findings);
// An AKSNodeConfig names fewer network policies than there are.
void warn_of_unnamed_policy(const std::string& policy, Findings& findings);

}  // namespace sunup::fleet
