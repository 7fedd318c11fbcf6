// The reply of the instance metadata service, which one step requests for all steps that need it.
#pragma once

#include <string>

#include "host/network.h"
#include "render/node/imds.h"

namespace sunup::plan {

inline constexpr char kMetadataUrl[] = "http://169.254.169.254/metadata/instance?api-version=2021-02-01";

// One request. The error is ENOTSUP if the machine must not be touched (--root).
host::Task<Result<render::node::ImdsFacts>> ask_metadata_service(host::Network& network, host::Duration limit);

// An error if the reply contains no address of this machine, which may happen early in a boot.
Result<render::node::ImdsFacts> with_address(Result<render::node::ImdsFacts> facts);

// The part of the reply that steps use, in the service's own form. It is kept in the journal, so the rest is dropped:
// the complete reply contains the user data.
std::string reduced_metadata(const render::node::ImdsFacts& facts);

}  // namespace sunup::plan
