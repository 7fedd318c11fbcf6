#include "fleet/cluster_probe.h"

#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "base/base64.h"
#include "base/semver.h"
#include "contract/formats.h"
#include "contract/input.h"
#include "fleet/backoff.h"
#include "fleet/bounds.h"
#include "fleet/conditions.h"
#include "fleet/http_client.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

// A lost packet or a server that is just starting must not fail a resolve: asks again until the deadline.
class Asker {
 public:
  Asker(Url server, HttpOptions options)
      : server_(std::move(server)), deadline_(options.deadline), client_(std::move(options)) {}

  // A server that has just started refuses even what it shows everybody, because it has not read its own rules yet:
  // `public_path` says that a refusal (403) may be such a one.
  Result<HttpAnswer> get(std::string_view path, bool public_path = false) const {
    Url url = server_;
    url.path = path;
    Backoff backoff(std::chrono::milliseconds(100), std::chrono::seconds(2), std::random_device{}());
    for (int tries = 1;; ++tries) {
      auto answer = client_.get(url);
      const bool refused = answer && public_path && answer->status == 403;
      if (answer && answer->status < 500 && answer->status != 429 && !refused) return answer;
      Error why = answer ? Error(fmt::format("{} answered {} to {}", url.host, answer->status, path)) : answer.error();
      if (why.os_errno == kNotTrusted) return std::move(why).with_hint("is this the CA of that cluster?");
      const auto pause = backoff.next();
      if (Clock::now() + pause >= deadline_) {
        if (refused) return answer;
        why.what += fmt::format(" (asked {} time{})", tries, tries == 1 ? "" : "s");
        return std::move(why).with_hint(
            "is the API server up, and reachable from here? --cluster-timeout waits longer");
      }
      poll(nullptr, 0, static_cast<int>(pause.count()));
    }
  }

  // The JSON object behind a path, or the reason there is none.
  Result<json> get_object(std::string_view path) const {
    auto answer = get(path);
    if (!answer) return std::move(answer).error();
    if (answer->status == 401 || answer->status == 403)
      return Error(fmt::format("not allowed to read {} ({})", path, answer->status)).with_hint("give a token");
    if (answer->status != 200) return Error(fmt::format("{} answered {}", path, answer->status));
    auto object = parse_json(answer->body);
    if (!object || !object->is_object()) return Error(fmt::format("{} did not answer with a JSON object", path));
    return object;
  }

 private:
  Url server_;
  Clock::time_point deadline_;
  HttpClient client_;
};

std::optional<std::string> root_ca_of(const Asker& asker) {
  for (const char* name_space : {"kube-public", "kube-system", "default"}) {
    const auto map = asker.get_object(fmt::format("/api/v1/namespaces/{}/configmaps/kube-root-ca.crt", name_space));
    if (!map || !map->contains("data")) continue;
    const std::string pem = (*map)["data"].value("ca.crt", "");
    if (!pem.empty()) return pem;
  }
  return std::nullopt;
}

}  // namespace

std::string authorities_of(const std::vector<std::string>& chain_pem) {
  std::string authorities;
  for (const std::string& pem : chain_pem) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                        BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
    if (certificate != nullptr && X509_check_ca(certificate.get()) == 1) authorities += pem;
  }
  return authorities;
}

Result<Probed> probe_cluster(const ClusterAccess& access) {
  auto url = parse_url(access.url);
  if (!url || !url->secure()) return Error(fmt::format("--cluster: '{}' is not an https URL", access.url));
  HttpOptions options;
  // A third for one try, so that an answer that gets lost does not cost all of the time.
  options.timeout = std::chrono::milliseconds(access.timeout_seconds * 1000 / 3);
  options.deadline = Clock::now() + std::chrono::seconds(access.timeout_seconds);
  options.verify = !access.ca_file.empty();
  Probed probed;
  if (!access.ca_file.empty()) {
    auto pem = contract::read_input(access.ca_file);
    if (!pem) return std::move(pem).error();
    options.ca_pem = *pem;
    probed.detected.ca_bundle = base64_encode(*pem);
  }
  if (!access.token_file.empty()) {
    if (!options.verify)
      return Error("a token is sent only to a server whose certificate can be checked").with_hint("give --cluster-ca");
    auto token = contract::read_input(access.token_file);
    if (!token) return std::move(token).error();
    options.bearer_token = Secret(trimmed(*std::move(token)));
  }
  const Asker asker(*url, options);

  auto version = asker.get("/version", /*public_path=*/true);
  if (!version) return std::move(version).error().in("asking the cluster");
  const auto about = parse_json(version->body);
  const std::string git_version = about ? text_of(*about, "gitVersion") : "";
  if (version->status != 200 || !Version::parse(git_version))
    return Error(
               fmt::format("asking the cluster: {}/version answered {} without a version", access.url, version->status))
        .with_hint(version->status == 401 || version->status == 403 ? "give --cluster-token-file and --cluster-ca"
                                                                    : "is this the URL of an API server?");
  probed.detected.kubernetes_version = git_version.starts_with('v') ? git_version.substr(1) : git_version;

  if (!probed.detected.ca_bundle) {
    std::string authorities = authorities_of(version->chain_pem);
    if (authorities.empty()) authorities = root_ca_of(asker).value_or("");
    if (authorities.empty()) {
      probed.notes.push_back(
          "the API server presents no CA certificate, and kube-root-ca.crt is not readable; set "
          "ca-bundle or give --cluster-ca");
    } else {
      probed.detected.ca_bundle = base64_encode(authorities);
      probed.notes.push_back(
          fmt::format("the CA bundle was taken on trust from {}; give --cluster-ca to check it", url->host));
    }
  }
  if (const auto service = asker.get_object("/api/v1/namespaces/kube-system/services/kube-dns")) {
    const auto spec = service->find("spec");
    const std::string address = spec == service->end() ? "" : text_of(*spec, "clusterIP");
    if (contract::is_ip(address))
      probed.detected.dns_service_ip = address;
    else if (!address.empty() && address != "None")
      probed.notes.push_back("the address of service kube-system/kube-dns is not an IP address; it is not used");
  } else {
    probed.notes.push_back(fmt::format("the DNS service's address was not found: {}", service.error().what));
  }
  return probed;
}

}  // namespace sunup::fleet
