#include "base/validity.h"

namespace sunup {

std::string utc_text(std::time_t time) {
  struct tm parts = {};
  char text[64];
  if (gmtime_r(&time, &parts) == nullptr) return std::to_string(time) + " s";
  return {text, strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string validity_problem(const Validity& validity, std::time_t now) {
  const bool early = now < validity.not_before;
  if (!early && now <= validity.not_after) return "";
  return std::string(kClockWord) + " " + utc_text(now) + ", but the certificate is " +
         (early ? "not valid before " + utc_text(validity.not_before)
                : "valid only until " + utc_text(validity.not_after));
}

}  // namespace sunup
