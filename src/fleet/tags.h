// Azure resource tags of a node's VM, and the hash that says whether tags or identities have to be updated in place.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/node_class.h"
#include "fleet/provenance.h"
#include "fleet/schema.h"
#include "fleet/settings.h"

namespace sunup::fleet {

inline constexpr std::string_view kInPlaceHashAnnotation = "karpenter.azure.com/in-place-update-hash";

// How many tags Azure lets a VM have.
inline constexpr size_t kMaxTags = 50;

// Settings, then node class, then the fixed tags. '/' in a key becomes '_', so that no user's tag can pass for a fixed
// one. What users set and does not stay as they set it is found: a fixed tag, a name in two spellings.
ValueMap node_tags(const Settings& settings, const NodeClass& node_class, const std::string& pool, Findings& findings);

// FNV-1a 32 over the compact JSON {"identities":{id:{}},"tags":{...}}, empty parts left out, as a decimal number.
std::string in_place_update_hash(const std::map<std::string, std::string>& tags,
                                 const std::vector<std::string>& identities);

}  // namespace sunup::fleet
