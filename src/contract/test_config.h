// For tests: a config with which a node becomes Ready, and certificates for it.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "base/base64.h"

namespace sunup::contract {

inline constexpr std::time_t kNow = 1800000000;  // 2027-01-15
inline constexpr std::time_t kYear = 365 * 86400;

struct Pem {
  std::string certificate;
  std::string key;
};

inline std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<size_t>(size));
  BIO_free_all(bio);
  return out;
}

inline Pem make_certificate(std::time_t from, std::time_t to, bool authority) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* x509 = X509_new();
  X509_set_version(x509, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
  ASN1_TIME_set(X509_getm_notBefore(x509), from);
  ASN1_TIME_set(X509_getm_notAfter(x509), to);
  X509_set_pubkey(x509, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>("test-ca"), -1, -1, 0);
  X509_set_issuer_name(x509, X509_get_subject_name(x509));
  X509_EXTENSION* constraint =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE");
  X509_add_ext(x509, constraint, -1);
  X509_EXTENSION_free(constraint);
  X509_sign(x509, key, EVP_sha256());
  Pem out;
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, x509);
  out.certificate = text_of(bio);
  bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  out.key = text_of(bio);
  X509_free(x509);
  EVP_PKEY_free(key);
  return out;
}

inline const Pem& good_ca() {
  static const Pem kPem = make_certificate(kNow - kYear, kNow + 10 * kYear, true);
  return kPem;
}

// A config with which a node becomes Ready.
inline nlohmann::json good_config() {
  nlohmann::json config = nlohmann::json::parse(R"({
    "version": "v1",
    "kube_binary_config": {"pod_infra_container_image_url": "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10.1"},
    "api_server_config": {"api_server_name": "mycluster-dns-1a2b3c4d.hcp.eastus.azmk8s.io"},
    "cluster_config": {"resource_group": "MC_rg", "location": "eastus",
      "cluster_network_config": {"vnet_name": "vnet", "route_table": "routes"}},
    "bootstrapping_config": {"tls_bootstrapping_token": "07401b.f395accd246ae52d"},
    "auth_config": {"tenant_id": "72f988bf-0000-0000-0000-2d7cd011db47",
      "subscription_id": "8ecadfc9-0000-0000-0000-77a9dd1d6d9f", "use_managed_identity_extension": true},
    "kubelet_config": {"enable_kubelet_config_file": true,
      "kubelet_flags": {"--cloud-provider": "external"},
      "kubelet_node_labels": {"kubernetes.azure.com/mode": "system"},
      "kubelet_config_file_config": {"kind": "KubeletConfiguration", "api_version": "kubelet.config.k8s.io/v1beta1",
        "max_pods": 110, "eviction_hard": {"memory.available": "100Mi", "nodefs.available": "10%"},
        "kube_reserved": {"cpu": "100m"}}},
    "kubernetes_version": "1.33.3",
    "vm_size": "Standard_D4ds_v5"
  })");
  config["kubernetes_ca_cert"] = base64_encode(good_ca().certificate);
  return config;
}

}  // namespace sunup::contract
