#include "fleet/sources/join_check.h"

#include <fmt/format.h>

#include "base/url.h"
#include "base/validity.h"
#include "fleet/sources/patient_client.h"

namespace sunup::fleet {
namespace {

using About = JoinProblem::About;

JoinProblem no_answer(const Error& error) {
  if (error.os_errno != kNotTrusted)
    return {About::kServer, "the API server does not respond: " + error.what,
            "check the name, and that this machine can reach it; nodes may be in another network"};
  if (error.what.find(kClockWord) != std::string::npos)
    return {About::kClock, "the clock makes the API server's certificate invalid: " + error.what, kClockHint};
  return {About::kCertificate, "the config's CA does not vouch for the API server: " + error.what,
          "use the CA of this cluster"};
}

}  // namespace

std::optional<JoinProblem> check_join(const JoinQuestion& question) {
  auto url = parse_http_url(question.url + "/version");
  if (!url || !url->tls) return JoinProblem{About::kServer, question.url + " is not an https URL", ""};
  HttpOptions options;
  options.timeout = question.timeout / 3;
  options.deadline = Clock::now() + question.timeout;
  options.ca_pem = question.ca_pem;
  options.bearer_token = question.token;
  const auto answer = PatientClient(std::move(options)).get(*url);
  if (!answer) return no_answer(answer.error());
  if (answer->status == 401 && !question.token.empty()) return JoinProblem{About::kToken, kTokenRefused, kTokenHint};
  if (answer->status == 404 || answer->status / 100 == 3)
    return JoinProblem{About::kServer, fmt::format("this is no API server: HTTP status {}", answer->status),
                       "check the name of the API server"};
  return std::nullopt;
}

}  // namespace sunup::fleet
