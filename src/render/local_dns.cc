#include "render/local_dns.h"

#include <cstdlib>

#include "base/text.h"
#include "render/number_text.h"

namespace sunup::render {

using aksnodeconfig::v1::LocalDnsProfile;

std::string local_dns_cpu_limit(const LocalDnsProfile& profile) {
  const int64_t milli_cores = profile.cpu_limit_in_milli_cores();
  if (!profile.enable_local_dns() || milli_cores == 0) return "200.0%";
  const int64_t size = std::abs(milli_cores);
  return (milli_cores < 0 ? "-" : "") + number_text(size / 10) + "." + number_text(size % 10) + "%";
}

std::string local_dns_memory_limit(const LocalDnsProfile& profile) {
  const int64_t megabytes = profile.memory_limit_in_mb();
  if (!profile.enable_local_dns() || megabytes == 0) return "128M";
  return number_text(megabytes) + "M";
}

std::string local_dns_critical_names(const LocalDnsProfile& profile) {
  std::string out;
  for (const std::string& item : profile.critical_fqdns()) {
    const std::string_view name = unicode::trimmed(item);
    if (name.empty()) continue;
    if (!out.empty()) out += ',';
    out += name;
  }
  return out;
}

}  // namespace sunup::render
