#include "render/local_dns.h"

#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "render/number_text.h"
#include "render/sorted.h"

namespace sunup::render {
namespace {

using aksnodeconfig::v1::LocalDnsOverrides;
using aksnodeconfig::v1::LocalDnsProfile;

constexpr std::string_view kNodeListener = "169.254.10.10", kClusterListener = "169.254.10.11";
constexpr std::string_view kAzureDns = "168.63.129.16", kDefaultCoreDns = "10.0.0.10";

// AKS's defaults for values that an override omits. CoreDNS does not start without a number there.
constexpr int kDefaultMaxConcurrent = 1000, kDefaultCacheSeconds = 3600, kDefaultStaleSeconds = 3600;

struct Part {
  bool node;  // for the names of the node, otherwise for those of the pods
  std::string_view listener, name;
  std::string_view core_dns;
  HostsPlugin hosts;
  ClusterNames names;
};

class Writer {
 public:
  template <class... Pieces>
  void line(const Pieces&... pieces) {
    out_.append(indent_, ' ');
    (out_.append(pieces), ...);
    out_ += '\n';
  }
  template <class... Pieces>
  void open(const Pieces&... pieces) {
    line(pieces..., " {");
    indent_ += 4;
  }
  void close() {
    indent_ -= 4;
    line("}");
  }
  std::string take() && { return std::move(out_); }

 private:
  std::string out_;
  size_t indent_ = 0;
};

std::string_view upstream(const Part& part, std::string_view domain, const LocalDnsOverrides& override) {
  if (part.node && domain == ".") return kAzureDns;
  const bool of_cluster = part.names == ClusterNames::kAnySuffix
                              ? domain.ends_with("cluster.local")
                              : domain == "cluster.local" || domain.ends_with(".cluster.local");
  if (of_cluster || override.forward_destination() == "ClusterCoreDNS") return part.core_dns;
  return kAzureDns;
}

std::string_view policy_word(std::string_view policy) {
  if (policy == "RoundRobin") return "round_robin";
  if (policy == "Random") return "random";
  return "sequential";
}

void forward(Writer& file, const Part& part, std::string_view domain, const LocalDnsOverrides& override) {
  file.open("forward . ", upstream(part, domain, override));
  if (override.protocol() == "ForceTCP") file.line("force_tcp");
  if (override.protocol() == "PreferUDP") file.line("prefer_udp");
  file.line("policy ", policy_word(override.forward_policy()));
  const int64_t max_concurrent = override.has_max_concurrent() ? override.max_concurrent() : kDefaultMaxConcurrent;
  file.line("max_concurrent ", number_text(max_concurrent));
  if (const auto& check = override.health_check(); !check.duration().empty()) {
    file.line("health_check ", check.duration(), check.no_rec() ? " no_rec" : "",
              check.domain().empty() ? "" : " domain ", check.domain());
  }
  if (override.failfast_all_unhealthy_upstreams()) file.line("failfast_all_unhealthy_upstreams");
  file.close();
}

void cache(Writer& file, const LocalDnsOverrides& override) {
  const int64_t seconds =
      override.has_cache_duration_in_seconds() ? override.cache_duration_in_seconds() : kDefaultCacheSeconds;
  const int64_t stale = override.has_serve_stale_duration_in_seconds() ? override.serve_stale_duration_in_seconds()
                                                                       : kDefaultStaleSeconds;
  file.open("cache ", number_text(seconds));
  file.line("success 9984");
  file.line("denial 9984");
  if (override.serve_stale() == "Verify") file.line("serve_stale ", number_text(stale), "s verify");
  if (override.serve_stale() == "Immediate") file.line("serve_stale ", number_text(stale), "s immediate");
  file.line("servfail 0");
  file.close();
}

// Azure's internal names never have that many labels. An answer from here prevents network queries that result only
// from search domains.
void internal_names(Writer& file) {
  file.open("template ANY ANY internal.cloudapp.net");
  file.line(R"(match "^(?:[^.]+\.){4,}internal\.cloudapp\.net\.$")");
  file.line("rcode NXDOMAIN");
  file.line("fallthrough");
  file.close();
  file.open("template ANY ANY reddog.microsoft.com");
  file.line("rcode NXDOMAIN");
  file.close();
}

void server_block(Writer& file, const Part& part, std::string_view domain, const LocalDnsOverrides& override) {
  const bool root = domain == ".";
  file.open(domain, ":53");
  if (override.query_logging() == "Error") file.line("errors");
  if (override.query_logging() == "Log") file.line("log");
  file.line("bind ", part.listener);
  if (root && part.hosts == HostsPlugin::kYes) {
    file.open("hosts /etc/localdns/hosts");
    file.line("ttl 5");
    file.line("reload 5s");
    file.line("fallthrough");
    file.close();
  }
  forward(file, part, domain, override);
  file.line("ready ", part.listener, ":8181");
  cache(file, override);
  file.line("loop");
  file.line("nsid ", part.name);
  file.line("prometheus :9253");
  if (root) internal_names(file);
  file.close();
}

}  // namespace

std::string local_dns_corefile(const aksnodeconfig::v1::Configuration& config, HostsPlugin hosts, ClusterNames names) {
  const auto& profile = config.local_dns_profile();
  if (!profile.enable_local_dns()) return "";
  const std::string& service_ip = config.cluster_config().cluster_network_config().core_dns_service_ip();
  const std::string_view core_dns = service_ip.empty() ? kDefaultCoreDns : std::string_view(service_ip);

  Writer file;
  file.open("health-check.localdns.local:53");
  file.line("bind ", kNodeListener, " ", kClusterListener);
  file.line("whoami");
  file.close();
  const Part node = {true, kNodeListener, "localdns", core_dns, hosts, names};
  for (const auto* entry : sorted(profile.vnet_dns_overrides())) server_block(file, node, entry->first, entry->second);
  const Part pods = {false, kClusterListener, "localdns-pod", core_dns, hosts, names};
  for (const auto* entry : sorted(profile.kube_dns_overrides())) server_block(file, pods, entry->first, entry->second);
  return std::move(file).take();
}

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
