#include "plan/serving_certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <memory>

namespace sunup::plan {
namespace {

constexpr long kValidSeconds = 7300L * 24 * 3600;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool fill(X509* certificate, EVP_PKEY* key, const std::string& hostname) {
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof serial) != 1) return false;
  serial[0] &= 0x7f;
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_bin2bn(serial, sizeof serial, nullptr), BN_free);
  X509_NAME* name = X509_get_subject_name(certificate);
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr &&
         X509_set_version(certificate, X509_VERSION_3) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), 0) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kValidSeconds) != nullptr &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(hostname.c_str()),
                                    -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
         add_extension(certificate, NID_subject_alt_name, "DNS:" + hostname) &&
         X509_sign(certificate, key, EVP_sha256()) != 0;
}

}  // namespace

Result<ServingPair> make_serving_certificate(const std::string& hostname) {
  // The name becomes part of an OpenSSL extension value, which has a syntax of its own.
  if (hostname.empty() || hostname.find_first_of(",:; \n") != std::string::npos)
    return Error("the host name cannot be used in a certificate: \"" + hostname + "\"");
  const Owned<EVP_PKEY> key(EVP_RSA_gen(2048));
  const Owned<X509> certificate(X509_new());
  const Owned<BIO> key_text(BIO_new(BIO_s_mem()));
  const Owned<BIO> certificate_text(BIO_new(BIO_s_mem()));
  if (!key || !certificate || !key_text || !certificate_text || !fill(certificate.get(), key.get(), hostname) ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1)
    return Error("cannot create kubelet's serving certificate");
  return ServingPair{text_of(certificate_text.get()), text_of(key_text.get())};
}

}  // namespace sunup::plan
