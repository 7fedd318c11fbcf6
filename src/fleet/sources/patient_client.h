// Asks again where asking again can help: a lost packet, or a server that is just starting, must not fail a resolve.
#pragma once

#include <functional>

#include "base/result.h"
#include "fleet/sources/http_client.h"

namespace sunup::fleet {

class PatientClient {
 public:
  // The options' deadline is the last moment for all of it; their timeout is for one try.
  explicit PatientClient(HttpOptions options);
  // Each try is a call of `ask`, which gives errors as HttpClient does.
  using Ask = std::function<Result<HttpAnswer>(const HttpUrl&)>;
  PatientClient(Clock::time_point deadline, Ask ask) : deadline_(deadline), ask_(std::move(ask)) {}

  // An answer below 500, but for 429; pauses that grow and differ are between tries. `refusal_may_pass` says that a 403
  // may be a server's that has not read its own rules yet. An Error says how often it was asked, and what became of the
  // last try that was not cut short by the deadline; one that no other try can mend has os_errno kNotTrusted.
  Result<HttpAnswer> get(const HttpUrl& url, bool refusal_may_pass = false) const;

 private:
  Clock::time_point deadline_;
  Ask ask_;
};

}  // namespace sunup::fleet
