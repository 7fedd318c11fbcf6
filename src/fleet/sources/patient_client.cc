#include "fleet/sources/patient_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <optional>

namespace sunup::fleet {

PatientClient::PatientClient(HttpOptions options)
    : deadline_(options.deadline),
      ask_([client = HttpClient(std::move(options))](const HttpUrl& url) { return client.get(url); }) {}

Result<HttpAnswer> PatientClient::get(const HttpUrl& url, bool refusal_may_pass) const {
  // Not std::random_device: that of libstdc++ 12 needs arc4random(), which glibc has since 2.36.
  unsigned seed = 0;
  if (::getentropy(&seed, sizeof seed) != 0) seed = static_cast<unsigned>(Clock::now().time_since_epoch().count());
  Backoff backoff(std::chrono::milliseconds(100), std::chrono::seconds(2), seed);
  std::optional<Result<HttpAnswer>> before;
  for (int tries = 1;; ++tries) {
    auto answer = ask_(url);
    const bool out_of_time = !answer && answer.error().os_errno == kOutOfTime;
    if (out_of_time && before) answer = *std::move(before);  // more informative than an expired deadline
    const bool refused = answer && refusal_may_pass && answer->status == 403;
    if (answer && answer->status < 500 && answer->status != 429 && !refused) return answer;
    Error why =
        answer ? Error(fmt::format("{} answered {} to {}", url.host, answer->status, url.target)) : answer.error();
    if (why.os_errno == kNotTrusted) return why;
    const auto pause = backoff.next();
    if (out_of_time || Clock::now() + pause >= deadline_) {
      if (refused) return answer;
      why.what += fmt::format(" (asked {} time{})", tries, tries == 1 ? "" : "s");
      return why;
    }
    before = std::move(answer);
    poll(nullptr, 0, static_cast<int>(pause.count()));
  }
}

}  // namespace sunup::fleet
