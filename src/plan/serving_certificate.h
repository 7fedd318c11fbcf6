// kubelet's serving certificate if the cluster does not issue one: RSA 2048, self-signed, valid for 20 years.
#pragma once

#include <string>

#include "base/result.h"

namespace sunup::plan {

struct ServingPair {
  std::string certificate;  // PEM
  std::string key;          // PEM, PKCS #8; write it with mode 0600
};

// CN and DNS name are the name of the host. This takes a tenth of a second or more, so it must not run on the thread of
// the event loop.
Result<ServingPair> make_serving_certificate(const std::string& hostname);

}  // namespace sunup::plan
