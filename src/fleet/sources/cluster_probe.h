// Queries a cluster's API server for facts that nodes need: the Kubernetes version, the CA bundle and the DNS service's
// address. A fact that cannot be determined is left empty, with a note. Only a server that does not respond is an
// error.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/sources/http_client.h"
#include "fleet/sources/patient_client.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

struct ClusterAccess {
  std::string url = {};         // https://host[:port][/path]; the path is prepended to every requested path
  std::string ca_file = {};     // PEM; without it the server's own chain is trusted
  std::string token_file = {};  // a bearer token; without it only public paths are requested
  int timeout_seconds = 15;     // for everything; an API server that is just starting is queried again until then
};

struct Probed {
  Detected detected;
  std::vector<std::string> notes;  // how the facts were determined, for people
};

// The validated parameters of the queries. Nothing has been requested yet.
struct ClusterDoor {
  std::string text;  // the URL as given
  HttpUrl url;
  HttpOptions options;
  std::chrono::milliseconds time;  // for everything
};
// An Error means that the parameters cannot be used: not an https URL, or a file that cannot be read or has other
// content.
Result<ClusterDoor> open_door(const ClusterAccess& access);

Result<Probed> probe_cluster(const ClusterDoor& door);
Result<Probed> probe_cluster(const ClusterAccess& access);
// The queries are sent by `client`, whatever the options of the door are.
Result<Probed> probe_cluster(const ClusterDoor& door, const PatientClient& client);

// The certificates of a chain that are certificate authorities, as one PEM text.
std::string authorities_of(const std::vector<std::string>& chain_pem);

}  // namespace sunup::fleet
