#include "fleet/sources/cluster_probe.h"

#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/base64.h"
#include "base/input.h"
#include "base/json_member.h"
#include "base/version.h"
#include "contract/formats.h"
#include "contract/x509.h"
#include "fleet/sources/bounds.h"
#include "fleet/sources/conditions.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

class Asker {
 public:
  Asker(HttpUrl server, const PatientClient& client) : server_(std::move(server)), client_(client) {
    prefix_ = server_.target;
    prefix_.erase(prefix_.find_last_not_of('/') + 1);
  }

  // A server that has just started refuses even public paths, because it has not loaded its rules yet. `public_path`: a
  // refusal (403) may have this reason.
  Result<HttpAnswer> get(std::string_view path, bool public_path = false) const {
    HttpUrl url = server_;
    url.target = prefix_ + std::string(path);
    auto answer = client_.get(url, public_path);
    if (answer) return answer;
    const bool distrusted = answer.error().os_errno == kNotTrusted;
    return std::move(answer).error().with_hint(
        distrusted ? "is this the CA of that cluster?"
                   : "is the API server up, and reachable from here? --cluster-timeout waits longer");
  }

  // The JSON object at a path, or the error.
  Result<json> get_object(std::string_view path) const {
    auto answer = get(path);
    if (!answer) return std::move(answer).error();
    if (answer->status == 401 || answer->status == 403)
      return Error(fmt::format("not allowed to read {} ({})", path, answer->status)).with_hint("give a token");
    if (answer->status != 200) return Error(fmt::format("{} answered {}", path, answer->status));
    auto object = parse_json(answer->body);
    if (!object || !object->is_object()) return Error(fmt::format("the response of {} is not a JSON object", path));
    return object;
  }

 private:
  HttpUrl server_;
  std::string prefix_;  // prepended to every path, if the server is behind a proxy for several servers
  const PatientClient& client_;
};

std::optional<std::string> root_ca_of(const Asker& asker) {
  for (const char* name_space : {"kube-public", "kube-system", "default"}) {
    const auto map = asker.get_object(fmt::format("/api/v1/namespaces/{}/configmaps/kube-root-ca.crt", name_space));
    if (!map) continue;
    if (std::string pem = text_of(member_of(*map, "data"), "ca.crt"); !pem.empty()) return pem;
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

Result<ClusterDoor> open_door(const ClusterAccess& access) {
  auto url = parse_http_url(access.url);
  if (!url || !url->tls) return Error(fmt::format("--cluster: '{}' is not an https URL", access.url));
  ClusterDoor door{access.url, *url, {}, std::chrono::seconds(access.timeout_seconds)};
  door.options.verify = !access.ca_file.empty();
  if (!access.ca_file.empty()) {
    auto pem = read_input(access.ca_file);
    if (!pem) return std::move(pem).error().in("--cluster-ca");
    if (contract::read_certificates(*pem).empty())
      return Error(fmt::format("--cluster-ca: {} contains no PEM certificate", input_name(access.ca_file)));
    door.options.ca_pem = *std::move(pem);
  }
  if (!access.token_file.empty()) {
    if (!door.options.verify)
      return Error("a token is sent only to a server whose certificate can be checked").with_hint("give --cluster-ca");
    auto token = read_input(access.token_file);
    if (!token) return std::move(token).error().in("--cluster-token-file");
    door.options.bearer_token = Secret(token->substr(0, token->find_last_not_of(" \t\r\n") + 1));
  }
  return door;
}

Result<Probed> probe_cluster(const ClusterAccess& access) {
  auto door = open_door(access);
  if (!door) return std::move(door).error();
  return probe_cluster(*door);
}

Result<Probed> probe_cluster(const ClusterDoor& door) {
  HttpOptions options = door.options;
  // A third for each attempt, so that a lost response does not use up all of the time.
  options.timeout = door.time / 3;
  options.deadline = Clock::now() + door.time;
  return probe_cluster(door, PatientClient(std::move(options)));
}

Result<Probed> probe_cluster(const ClusterDoor& door, const PatientClient& client) {
  Probed probed;
  if (!door.options.ca_pem.empty()) probed.detected.ca_bundle = base64_encode(door.options.ca_pem);
  const Asker asker(door.url, client);

  auto version = asker.get("/version", /*public_path=*/true);
  if (!version) return std::move(version).error().in("asking the cluster");
  const auto about = parse_json(version->body);
  const std::string git_version = about ? text_of(*about, "gitVersion") : "";
  if (version->status != 200 || !Version::parse(git_version))
    return Error(
               fmt::format("asking the cluster: {}/version responded {} without a version", door.text, version->status))
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
          fmt::format("the CA bundle was taken on trust from {}; give --cluster-ca to check it", door.url.host));
    }
  }
  if (const auto service = asker.get_object("/api/v1/namespaces/kube-system/services/kube-dns")) {
    const std::string address = text_of(member_of(*service, "spec"), "clusterIP");
    if (contract::is_ip(address))
      probed.detected.dns_service_ip = address;
    else if (address == "None")
      probed.notes.push_back("service kube-system/kube-dns is headless and has no address; set dns-service-ip");
    else if (!address.empty())
      probed.notes.push_back("the address of service kube-system/kube-dns is not an IP address; it is not used");
  } else {
    probed.notes.push_back(fmt::format("the DNS service's address was not found: {}", service.error().what));
  }
  return probed;
}

}  // namespace sunup::fleet
