// The credentials of a config, for redaction.
#pragma once

#include <vector>

#include "base/secret.h"
#include "contract/load.h"

namespace sunup::contract {

// Every non-empty value of a field marked (sunup.secret) and its base64-decoded text; for every field, the passwords
// and signatures of the URLs in it, as written and decoded.
std::vector<Secret> secrets_of(const Configuration& config);

}  // namespace sunup::contract
