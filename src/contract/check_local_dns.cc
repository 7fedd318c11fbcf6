// Rules for the DNS cache on the node. Kubelet waits for it, so with an invalid Corefile the node does not start.
#include <algorithm>
#include <map>
#include <string>

#include "base/duration.h"
#include "base/text.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

using aksnodeconfig::v1::LocalDnsOverrides;

const std::string kPath = "$.local_dns_profile";

// Calls visit(path of the override, domain, override) for all overrides of an enabled profile.
template <class Visit>
void each_override(const Judge& judge, Visit&& visit) {
  const auto& profile = judge.config.local_dns_profile();
  if (!profile.enable_local_dns()) return;
  for (const auto& [domain, override] : sorted(profile.vnet_dns_overrides()))
    visit(path_of_key(kPath + ".vnet_dns_overrides", domain), domain, override);
  for (const auto& [domain, override] : sorted(profile.kube_dns_overrides()))
    visit(path_of_key(kPath + ".kube_dns_overrides", domain), domain, override);
}

void numbers(Judge& judge) {
  each_override(judge, [&](const std::string& path, const std::string&, const LocalDnsOverrides& override) {
    const auto want = [&](const char* field, bool needed, bool given, int value) {
      if (needed && !given)
        judge.error(path + "." + field, "the DNS cache requires this number and does not start without it");
      else if (given && value < 0)
        judge.error(path + "." + field, "must not be negative");
    };
    const bool stale = override.serve_stale() == "Verify" || override.serve_stale() == "Immediate";
    want("max_concurrent", true, override.has_max_concurrent(), override.max_concurrent());
    want("cache_duration_in_seconds", true, override.has_cache_duration_in_seconds(),
         override.cache_duration_in_seconds());
    if (override.has_cache_duration_in_seconds() && override.cache_duration_in_seconds() == 0)
      judge.error(path + ".cache_duration_in_seconds", "the DNS cache does not start with a duration of 0");
    want("serve_stale_duration_in_seconds", stale, override.has_serve_stale_duration_in_seconds(),
         override.serve_stale_duration_in_seconds());
  });
}

void words(Judge& judge) {
  each_override(judge, [&](const std::string& path, const std::string&, const LocalDnsOverrides& override) {
    const auto want = [&](const char* field, const std::string& value, std::initializer_list<std::string_view> known) {
      if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) return;
      std::string hint = "one of:";
      for (const std::string_view word : known) hint += " " + std::string(word);
      judge.warning(path + "." + field, quoted_excerpt(value) + " is unknown and has no effect", hint);
    };
    want("query_logging", override.query_logging(), {"Log", "Error"});
    want("protocol", override.protocol(), {"PreferUDP", "ForceTCP"});
    want("forward_destination", override.forward_destination(), {"ClusterCoreDNS", "VnetDNS"});
    want("forward_policy", override.forward_policy(), {"Sequential", "RoundRobin", "Random"});
    want("serve_stale", override.serve_stale(), {"Verify", "Immediate", "Disable"});
  });
}

// Domains that differ only in case or by the final dot are the same zone.
std::string zone_of(std::string_view domain) {
  if (domain.size() > 1 && domain.ends_with('.')) domain.remove_suffix(1);
  return lowered(domain);
}

void domains(Judge& judge) {
  each_override(judge, [&](const std::string& path, const std::string& domain, const LocalDnsOverrides& override) {
    // Underscores are not allowed in host names, but occur in names that DNS serves.
    std::string name = domain;
    std::replace(name.begin(), name.end(), '_', 'x');
    if (domain != "." && !is_host_name(name)) judge.error(path, quoted_excerpt(domain) + " is not a domain");
    const std::string& duration = override.health_check().duration();
    if (!duration.empty() && parse_go_duration(duration).value_or(std::chrono::seconds(0)) <= std::chrono::seconds(0))
      judge.error(path + ".health_check.duration", quoted_excerpt(duration) + " is not a duration", "such as 5s");
    if (!override.health_check().domain().empty() && override.health_check().domain() != "." &&
        !is_host_name(override.health_check().domain()))
      judge.error(path + ".health_check.domain", quoted_excerpt(override.health_check().domain()) + " is not a domain");
  });
  const auto& profile = judge.config.local_dns_profile();
  if (!profile.enable_local_dns()) return;
  for (const auto& [field, map] : {std::pair(".vnet_dns_overrides", &profile.vnet_dns_overrides()),
                                   std::pair(".kube_dns_overrides", &profile.kube_dns_overrides())}) {
    if (!map->contains("."))
      judge.warning(kPath + field, "there is no override for \".\": names outside the listed domains do not resolve");
    std::map<std::string, std::string> zones;
    for (const auto& [domain, override] : sorted(*map))
      if (const auto [twin, first] = zones.emplace(zone_of(domain), domain); !first)
        judge.error(path_of_key(kPath + field, domain), "the same zone as " + quoted_excerpt(twin->second) +
                                                            ": the DNS cache does not start if a zone is given twice");
  }
}

void limits(Judge& judge) {
  const auto& profile = judge.config.local_dns_profile();
  if (!profile.enable_local_dns()) return;
  if (profile.cpu_limit_in_milli_cores() < 0) judge.error(kPath + ".cpu_limit_in_milli_cores", "must not be negative");
  if (profile.memory_limit_in_mb() < 0) judge.error(kPath + ".memory_limit_in_mb", "must not be negative");
  if (profile.memory_limit_in_mb() > 0 && profile.memory_limit_in_mb() < 32)
    judge.warning(kPath + ".memory_limit_in_mb", "too little memory for a DNS server", "128 is the default");
}

void hosts_plugin(Judge& judge) {
  const auto& profile = judge.config.local_dns_profile();
  const std::string names = kPath + ".critical_fqdns";
  if (profile.enable_hosts_plugin() && !profile.enable_local_dns())
    judge.warning(kPath + ".enable_hosts_plugin", "without enable_local_dns the hosts plugin has no effect");
  if (!profile.enable_hosts_plugin() || !profile.enable_local_dns()) return;
  if (profile.critical_fqdns().empty()) judge.warning(names, "the hosts plugin has no names", "add critical_fqdns");
  for (int i = 0; i < profile.critical_fqdns_size(); ++i)
    if (profile.critical_fqdns(i).find_first_of("\r\n") != std::string::npos)
      judge.error(path_of_item(names, static_cast<size_t>(i)),
                  "the name contains a line break: the node refuses the list");
    else if (!is_host_name(profile.critical_fqdns(i)))
      judge.warning(path_of_item(names, static_cast<size_t>(i)),
                    quoted_excerpt(profile.critical_fqdns(i)) + " is not a host name");
  if (profile.has_hosts_plugin_refresh_interval_in_seconds() && profile.hosts_plugin_refresh_interval_in_seconds() < 5)
    judge.warning(kPath + ".hosts_plugin_refresh_interval_in_seconds",
                  "values below 5 seconds mean 5, and 0 means unset");
}

constexpr Rule kRules[] = {
    {"local-dns-number", "a number that the DNS cache requires is missing or negative", numbers},
    {"local-dns-word", "a keyword that the DNS cache's config does not know", words},
    {"local-dns-domain", "an invalid domain or duration, or no override for the root domain", domains},
    {"local-dns-limit", "an invalid CPU or memory limit", limits},
    {"local-dns-hosts", "a hosts plugin without names, or with invalid names", hosts_plugin},
};

}  // namespace

std::span<const Rule> local_dns_rules() {
  return kRules;
}

}  // namespace sunup::contract
