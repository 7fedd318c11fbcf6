#include "fleet/patient_client.h"

#include <fmt/format.h>
#include <poll.h>

#include <random>

#include "fleet/backoff.h"

namespace sunup::fleet {

PatientClient::PatientClient(HttpOptions options) : deadline_(options.deadline), client_(std::move(options)) {}

Result<HttpAnswer> PatientClient::get(const Url& url, bool refusal_may_pass) const {
  Backoff backoff(std::chrono::milliseconds(100), std::chrono::seconds(2), std::random_device{}());
  for (int tries = 1;; ++tries) {
    auto answer = client_.get(url);
    const bool refused = answer && refusal_may_pass && answer->status == 403;
    if (answer && answer->status < 500 && answer->status != 429 && !refused) return answer;
    Error why =
        answer ? Error(fmt::format("{} answered {} to {}", url.host, answer->status, url.path)) : answer.error();
    if (why.os_errno == kNotTrusted) return why;
    const auto pause = backoff.next();
    if (Clock::now() + pause >= deadline_) {
      if (refused) return answer;
      why.what += fmt::format(" (asked {} time{})", tries, tries == 1 ? "" : "s");
      return why;
    }
    poll(nullptr, 0, static_cast<int>(pause.count()));
  }
}

}  // namespace sunup::fleet
