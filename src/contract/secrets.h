// The credentials of a config, so that whoever writes text for others to read can take them out first.
#pragma once

#include <vector>

#include "base/secret.h"
#include "contract/load.h"

namespace sunup::contract {

// Shorter values stay in logs: they would also be found in innocent text ("true", "azure").
constexpr size_t kShortestHidden = 6;

// Every non-empty value of a field marked (sunup.secret) and the text behind its base64; of every field, the passwords
// and signatures of the URLs in it, as they stand there and decoded.
std::vector<Secret> secrets_of(const Configuration& config);

}  // namespace sunup::contract
