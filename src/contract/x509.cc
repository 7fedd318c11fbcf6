#include "contract/x509.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace sunup::contract {
namespace {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* p) const {
    kFree(p);
  }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using X509Owner = std::unique_ptr<X509, Freer<X509_free>>;
using KeyOwner = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;

Bio memory_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Otherwise OpenSSL would ask on the terminal for the passphrase of a key.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

KeyOwner read_key(std::string_view pem) {
  const Bio bio = memory_of(pem);
  KeyOwner key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return key;
}

std::time_t seconds_of(const ASN1_TIME* time) {
  std::tm parts = {};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

std::string subject_of(const X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace

std::vector<Certificate> read_certificates(std::string_view pem) {
  std::vector<Certificate> all;
  const Bio bio = memory_of(pem);
  while (const X509Owner x509{PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr)}) {
    Certificate& certificate = all.emplace_back();
    certificate.subject = subject_of(x509.get());
    certificate.not_before = seconds_of(X509_get0_notBefore(x509.get()));
    certificate.not_after = seconds_of(X509_get0_notAfter(x509.get()));
    certificate.authority = X509_check_ca(x509.get()) > 0;
  }
  // Reaching the end of the text is not an error; anything else is.
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (ERR_GET_LIB(error) != ERR_LIB_PEM || ERR_GET_REASON(error) != PEM_R_NO_START_LINE) return {};
  return all;
}

bool is_private_key(std::string_view pem) {
  return read_key(pem) != nullptr;
}

bool key_belongs_to(std::string_view key_pem, std::string_view certificate_pem) {
  const KeyOwner key = read_key(key_pem);
  const Bio bio = memory_of(certificate_pem);
  const X509Owner certificate(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr));
  const bool belongs = key && certificate && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return belongs;
}

}  // namespace sunup::contract
