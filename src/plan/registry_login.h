// The login to the registry of a network-isolated cluster: its file and its permissions.
//
// A step that pulls needs "registry.login" if that step is part of the plan, and reads the file.
#pragma once

#include <string_view>

#include "plan/declaration.h"

namespace sunup::plan {

// {"auths": {"<host>": {"identitytoken": "..."}}}, 0600.
inline constexpr char kRegistryLogin[] = "/etc/oras/config.yaml";

// Whether the login is part of the plan.
bool logs_in(const Subject& s);

// A refresh token is a JWT. If it lists permissions, the read permission must be among them.
bool may_read(std::string_view refresh_token);

}  // namespace sunup::plan
