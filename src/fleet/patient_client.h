// Asks again where asking again can help: a lost packet, or a server that is just starting, must not fail a resolve.
#pragma once

#include "base/result.h"
#include "fleet/http_client.h"

namespace sunup::fleet {

class PatientClient {
 public:
  // The options' deadline is the last moment for all of it; their timeout is for one try.
  explicit PatientClient(HttpOptions options);

  // An answer below 500, but for 429; pauses that grow and differ are between tries. `refusal_may_pass` says that a 403
  // may be a server's that has not read its own rules yet. An Error says how often it was asked; one that no other try
  // can mend has os_errno kNotTrusted.
  Result<HttpAnswer> get(const Url& url, bool refusal_may_pass = false) const;

 private:
  Clock::time_point deadline_;
  HttpClient client_;
};

}  // namespace sunup::fleet
