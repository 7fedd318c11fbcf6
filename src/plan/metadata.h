// The instance metadata service's answer, asked for once and handed to every step that needs it.
#pragma once

#include <string>

#include "render/node/imds.h"

namespace sunup::plan {

inline constexpr char kMetadataUrl[] = "http://169.254.169.254/metadata/instance?api-version=2021-02-01";

// What steps use of it, in the service's own form: it is kept in the journal, so it holds nothing else (the whole
// answer has the user data in it).
std::string reduced_metadata(const render::node::ImdsFacts& facts);

}  // namespace sunup::plan
