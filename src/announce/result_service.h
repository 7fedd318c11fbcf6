// Sends a result to the service that writes it to the cluster (`sunup serve`, POST /v1/nodes/NAME/result). The node
// authenticates with its bootstrap token, or with kubelet's client certificate if there is no token.
//
// Nothing waits for it. It tries again while the failure may pass, for ten seconds at most.
#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "host/loop.h"
#include "host/network.h"
#include "host/task.h"

namespace sunup::announce {

struct ResultService {
  std::string url;                      // https://host[:port][/prefix], without a trailing '/'
  std::string ca = {};                  // PEM; empty: the certificates that the image trusts
  Secret token = {};                    // the bootstrap token
  std::string client_certificate = {};  // the file with the certificate and its key; used without a token
};

// `node` is the name in the cluster, `body` a report::SentResult. Errors contain no credential.
host::Task<Result<void>> send_result(host::Loop& loop, host::Network& network, ResultService service, std::string node,
                                     std::string body);

}  // namespace sunup::announce
