// Checks whether the API server would let a node with this config join. `sunup config check --cluster` does this before
// a node is created: it checks the server's name, its certificate (with the config's CA and this machine's clock) and
// the bootstrap token.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/secret.h"

namespace sunup::fleet {

struct JoinQuestion {
  std::string url;     // "https://name:443"
  std::string ca_pem;  // the only trusted certificates
  Secret token;        // empty: only the server is checked
  std::chrono::milliseconds timeout{15000};
};

struct JoinProblem {
  enum class About { kServer, kCertificate, kClock, kToken };
  About about = About::kServer;
  std::string message;  // never contains the token
  std::string hint;
};

// Empty if the node could join.
std::optional<JoinProblem> check_join(const JoinQuestion& question);

}  // namespace sunup::fleet
