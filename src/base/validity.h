// Describes why a certificate is not valid at a given time, in a text that names the clock, so that the reader suspects
// the clock and not the certificate authority.
//
//   validity_problem({.not_before = ..., .not_after = ...}, now)
//     == "the clock says 2026-11-18 05:30:00 UTC, but the certificate is not valid before 2027-01-01 00:00:00 UTC"
#pragma once

#include <ctime>
#include <string>

namespace sunup {

struct Validity {
  std::time_t not_before = 0;
  std::time_t not_after = 0;
};

// The beginning of each such text.
inline constexpr char kClockWord[] = "the clock says";

// Returns an empty text if the certificate is valid at that time.
std::string validity_problem(const Validity& validity, std::time_t now);

// "2026-11-18 05:30:00 UTC"
std::string utc_text(std::time_t time);

inline constexpr char kClockHint[] =
    "compare `date -u` with the validity of the certificate: correct the clock (time service), or renew the "
    "certificate";
inline constexpr char kTokenRefused[] =
    "the cluster does not know the bootstrap token of the config, or the token has expired (HTTP status 401)";
inline constexpr char kTokenHint[] =
    "create a new bootstrap token (the secret bootstrap-token-<the first six characters> in kube-system) and put it "
    "into the config of new nodes";

}  // namespace sunup
