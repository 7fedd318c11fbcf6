// Asks a cluster's API server what nodes have to know of it: the Kubernetes version, the CA bundle and the DNS
// service's address. What cannot be found out is left open, with a note; only a server that does not answer is an
// error.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/sources/http_client.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

struct ClusterAccess {
  std::string url;           // https://host[:port][/path], the path before every one that is asked for
  std::string ca_file;       // PEM; without it the server's own chain is taken on trust
  std::string token_file;    // a bearer token; without it only what is public is asked for
  int timeout_seconds = 15;  // for everything; an API server that is just starting is asked again until then
};

struct Probed {
  Detected detected;
  std::vector<std::string> notes;  // what a person should know about how this was found out
};

// How to ask, once everything that was given has been read. Nothing has been asked yet.
struct ClusterDoor {
  std::string text;  // the URL as it was given
  HttpUrl url;
  HttpOptions options;
  std::chrono::milliseconds time;  // for everything
};
// An Error means that what was given cannot be used: no https URL, a file that cannot be read or holds something else.
Result<ClusterDoor> open_door(const ClusterAccess& access);

Result<Probed> probe_cluster(const ClusterDoor& door);
Result<Probed> probe_cluster(const ClusterAccess& access);

// The certificates of a chain that are certificate authorities, as one PEM text.
std::string authorities_of(const std::vector<std::string>& chain_pem);

}  // namespace sunup::fleet
