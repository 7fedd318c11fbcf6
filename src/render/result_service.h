// The file that tells a node where to send the result of its provisioning: paths::kResultService. Custom data writes it
// before the config. It contains no credential: the node authenticates with its bootstrap token, or with kubelet's
// client certificate if there is no token.
//
//   {"url":"https://sunup.example:8443","ca":"-----BEGIN CERTIFICATE-----\n..."}
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render {

struct ResultService {
  std::string url;  // https://host[:port][/prefix], without a trailing '/'
  std::string ca;   // PEM; empty: the certificates that the image trusts

  bool operator==(const ResultService&) const = default;
};

inline constexpr size_t kLongestResultServiceCa = 16u << 10;

// Refuses what a node could not use safely: a URL that is not https or has credentials, a query or a fragment, and a CA
// that is not in PEM form, contains a private key or is longer than kLongestResultServiceCa. A trailing '/' of the URL
// is removed.
Result<ResultService> make_result_service(std::string_view url, std::string_view ca);

// The text of the file, and its reader. Unknown members are ignored.
std::string to_json(const ResultService& service);
Result<ResultService> parse_result_service(std::string_view json);

}  // namespace sunup::render
