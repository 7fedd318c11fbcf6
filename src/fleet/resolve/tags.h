// Azure resource tags of a node's VM, and the hash that tells whether tags or identities must be updated in place.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/sources/node_class.h"
#include "fleet/sources/provenance.h"
#include "fleet/sources/schema.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

inline constexpr std::string_view kInPlaceHashAnnotation = "karpenter.azure.com/in-place-update-hash";

// The maximum number of tags of a VM.
inline constexpr size_t kMaxTags = 50;

// Settings, then node class, then the fixed tags. '/' in a key becomes '_', so no user tag can be mistaken for a fixed
// one. A user tag that is changed is reported: a fixed tag, or a name in two spellings.
ValueMap node_tags(const Settings& settings, const NodeClass& node_class, const std::string& pool, Findings& findings);

// FNV-1a 32 over the compact JSON {"identities":{id:{}},"tags":{...}}, without empty parts, as a decimal number.
std::string in_place_update_hash(const std::map<std::string, std::string>& tags,
                                 const std::vector<std::string>& identities);

}  // namespace sunup::fleet
