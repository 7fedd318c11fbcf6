// The instance metadata service's answer, asked for once and handed to every step that needs it.
#pragma once

#include <string>

#include "host/network.h"
#include "render/node/imds.h"

namespace sunup::plan {

inline constexpr char kMetadataUrl[] = "http://169.254.169.254/metadata/instance?api-version=2021-02-01";

// One question. The error is ENOTSUP where the machine is left alone (--root).
host::Task<Result<render::node::ImdsFacts>> ask_metadata_service(host::Network& network, host::Duration limit);

// What steps use of it, in the service's own form: it is kept in the journal, so it holds nothing else (the whole
// answer has the user data in it).
std::string reduced_metadata(const render::node::ImdsFacts& facts);

}  // namespace sunup::plan
