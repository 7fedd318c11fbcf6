// The login to a network-isolated cluster's registry: where it is kept, and whether it is good for anything.
//
// A step that pulls needs "registry.login" where that step is part of the plan, and reads the file.
#pragma once

#include <string_view>

#include "plan/declaration.h"

namespace sunup::plan {

// {"auths": {"<host>": {"identitytoken": "..."}}}, 0600.
inline constexpr char kRegistryLogin[] = "/etc/oras/config.yaml";

// Is it part of the plan?
bool logs_in(const Subject& s);

// A refresh token is a JWT. One that lists its permissions must have the one to read; others say nothing about them.
bool may_read(std::string_view refresh_token);

}  // namespace sunup::plan
