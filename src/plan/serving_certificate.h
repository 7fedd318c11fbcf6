// The certificate that kubelet serves with when the cluster does not issue one: RSA 2048, self-signed, 20 years.
#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace sunup::plan {

struct ServingPair {
  std::string certificate;  // PEM
  std::string key;          // PEM, PKCS #8; write it with mode 0600
};

// CN and DNS name are the host's name. Takes a tenth of a second and more: not on the loop's thread.
Result<ServingPair> make_serving_certificate(const std::string& hostname);

}  // namespace sunup::plan
