// Azure resource tags of a node's VM.
#pragma once

#include <string>

#include "fleet/sources/crd_rules.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/provenance.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

// The maximum number of tags of a VM.
inline constexpr size_t kMaxTags = 50;

// Settings, then node class, then the fixed tags. '/' in a key becomes '_', so no user tag can be mistaken for a fixed
// one. A user tag that is changed is reported: a fixed tag, or a name in two spellings.
ValueMap node_tags(const Settings& settings, const NodeClass& node_class, const std::string& pool, Findings& findings);

}  // namespace sunup::fleet
