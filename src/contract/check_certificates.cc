// Rules for certificates, keys and other base64 values: whether the content is valid.
#include <optional>
#include <string>

#include "base/base64.h"
#include "base/text.h"
#include "contract/judge.h"
#include "contract/x509.h"

namespace sunup::contract {
namespace {

// Like the node, ignores white space around the value.
std::optional<std::string> decoded(std::string_view text) {
  return base64_decode(trimmed(text));
}

std::string base64_hint(std::string_view value) {
  return value.find("-----BEGIN") != value.npos ? "this is PEM text: encode it with 'base64 -w0'"
                                                : "standard base64 with its '=' at the end, as 'base64 -w0' writes it";
}
constexpr std::time_t kDay = 86400;

std::string date(std::time_t time) {
  std::tm parts = {};
  gmtime_r(&time, &parts);
  char buffer[32];
  return std::string(buffer, std::strftime(buffer, sizeof buffer, "%Y-%m-%d", &parts));
}

void dates(Judge& judge, const std::string& path, const Certificate& certificate) {
  if (judge.now == 0) return;
  if (certificate.not_after < judge.now) {
    judge.warning(path, "the certificate of " + certificate.subject + " ended on " + date(certificate.not_after));
  } else if (certificate.not_before > judge.now) {
    judge.warning(path,
                  "the certificate of " + certificate.subject + " is not valid before " + date(certificate.not_before));
  } else if (certificate.not_after - judge.now < 30 * kDay) {
    judge.warning(path, "the certificate of " + certificate.subject + " ends on " + date(certificate.not_after));
  }
}

void authority(Judge& judge, const std::string& path, std::string_view base64) {
  const auto pem = decoded(base64);
  if (!pem) return;  // reported by rule base64
  const auto certificates = read_certificates(*pem);
  if (certificates.empty()) {
    judge.error(path, "this is not a certificate in PEM form",
                "-----BEGIN CERTIFICATE----- ..., then base64 of it all");
    return;
  }
  for (const Certificate& certificate : certificates) {
    dates(judge, path, certificate);
    if (!certificate.authority)
      judge.warning(path, "the certificate of " + certificate.subject +
                              " is not a CA certificate: it cannot sign other certificates");
  }
}

void base64(Judge& judge) {
  const Configuration& config = judge.config;
  const auto want = [&](const std::string& path, const std::string& value, bool fatal) {
    if (decoded(value)) return;
    if (fatal) {
      judge.error(path, "this does not decode from base64", base64_hint(value));
    } else {
      judge.warning(path, "this does not decode from base64", base64_hint(value));
    }
  };
  want("$.kubernetes_ca_cert", config.kubernetes_ca_cert(), true);
  want("$.api_server_config.api_server_public_key", config.api_server_config().api_server_public_key(), true);
  want("$.kubelet_config.kubelet_client_key", config.kubelet_config().kubelet_client_key(), true);
  want("$.kubelet_config.kubelet_client_cert_content", config.kubelet_config().kubelet_client_cert_content(), true);
  want("$.http_proxy_config.proxy_trusted_ca", config.http_proxy_config().proxy_trusted_ca(), true);
  for (int i = 0; i < config.custom_ca_certs_size(); ++i)
    want(path_of_item("$.custom_ca_certs", static_cast<size_t>(i)), config.custom_ca_certs(i), true);
  want("$.auth_config.service_principal_secret", config.auth_config().service_principal_secret(),
       !config.auth_config().use_managed_identity_extension());
  want("$.message_of_the_day", config.message_of_the_day(), false);
}

void cluster_ca(Judge& judge) {
  const std::string path = "$.kubernetes_ca_cert";
  if (!judge.config.kubernetes_ca_cert().empty()) {
    authority(judge, path, judge.config.kubernetes_ca_cert());
  } else if (!judge.config.pre_provision_only()) {
    judge.error(path, "the cluster's CA certificate is missing: kubelet cannot trust the API server",
                "use the certificate-authority-data of a kubeconfig");
  }
}

void trusted_ca(Judge& judge) {
  const Configuration& config = judge.config;
  for (int i = 0; i < config.custom_ca_certs_size(); ++i) {
    const std::string path = path_of_item("$.custom_ca_certs", static_cast<size_t>(i));
    if (config.custom_ca_certs(i).empty()) {
      judge.error(path, "the certificate is empty");
    } else {
      authority(judge, path, config.custom_ca_certs(i));
    }
  }
  if (!config.http_proxy_config().proxy_trusted_ca().empty())
    authority(judge, "$.http_proxy_config.proxy_trusted_ca", config.http_proxy_config().proxy_trusted_ca());
}

void client_certificate(Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  const std::string key_path = "$.kubelet_config.kubelet_client_key";
  const std::string certificate_path = "$.kubelet_config.kubelet_client_cert_content";
  const auto key = decoded(kubelet.kubelet_client_key());
  const auto certificate = decoded(kubelet.kubelet_client_cert_content());
  if (key && !key->empty() && !is_private_key(*key))
    judge.error(key_path, "this is not a private key in PEM form (without a passphrase)");
  if (!certificate || certificate->empty()) return;
  const auto certificates = read_certificates(*certificate);
  if (certificates.empty()) {
    judge.error(certificate_path, "this is not a certificate in PEM form");
    return;
  }
  dates(judge, certificate_path, certificates.front());
  if (key && is_private_key(*key) && !key_belongs_to(*key, *certificate))
    judge.error(certificate_path, "the client certificate does not belong to kubelet_client_key");
}

void api_server_certificate(Judge& judge) {
  const auto pem = decoded(judge.config.api_server_config().api_server_public_key());
  if (pem && !pem->empty() && read_certificates(*pem).empty())
    judge.warning("$.api_server_config.api_server_public_key", "this is not a certificate in PEM form");
}

constexpr Rule kRules[] = {
    {"base64", "a value that does not decode from base64", base64},
    {"cluster-ca", "the cluster's CA certificate is missing, unreadable, expired, or not a CA certificate", cluster_ca},
    {"trusted-ca", "a custom or proxy CA certificate that is unreadable, expired, or not a CA certificate", trusted_ca},
    {"client-certificate", "a client certificate or key that is unreadable or expired, or that do not match",
     client_certificate},
    {"api-server-certificate", "an API server certificate that is unreadable", api_server_certificate},
};

}  // namespace

std::span<const Rule> certificate_rules() {
  return kRules;
}

}  // namespace sunup::contract
