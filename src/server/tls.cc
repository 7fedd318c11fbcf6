#include "server/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <set>

#include "contract/load.h"
#include "contract/x509.h"

namespace sunup::server {
namespace {

constexpr std::string_view kCertificate = "--tls-certificate", kKey = "--tls-key", kClientCa = "--client-ca";
constexpr std::string_view kCertificateBegins = "-----BEGIN CERTIFICATE-----";

// A file and the option that names it, as a context for errors.
struct File {
  std::string_view option;
  const std::string& path;

  Error is(std::string_view what, std::string hint) const {
    return Error(path + " " + std::string(what)).in(option).with_hint(std::move(hint));
  }
  Result<std::string> read() const {
    auto text = contract::read_config_file(path);
    if (!text) return std::move(text).error().in(option).with_hint("a PEM file that the server may read is needed");
    if (text->empty()) return is("is empty", "a PEM file is needed");
    return text;
  }
};

Result<std::vector<contract::Certificate>> certificates_of(const File& file, const std::string& pem) {
  auto certificates = contract::read_certificates(pem);
  if (!certificates.empty()) return certificates;
  if (pem.find(kCertificateBegins) != std::string::npos)
    return file.is("has a certificate that cannot be read",
                   "the base64 text between its first and last line is damaged");
  if (pem.find("PRIVATE KEY-----") != std::string::npos)
    return file.is("is a private key, not a certificate", "the key belongs to --tls-key");
  return file.is("is not a certificate in PEM form",
                 "convert it with `openssl x509 -inform DER -in FILE -out PEM-FILE` if it is in DER form");
}

bool is_expired(const contract::Certificate& certificate) {
  return certificate.not_after < std::time(nullptr);
}

Error expired(const File& file, const contract::Certificate& certificate) {
  std::tm utc{};
  gmtime_r(&certificate.not_after, &utc);
  char date[32] = "";
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
  return file.is("expired at " + std::string(date), "no client accepts it; renew it");
}

// The reason that people understand. OpenSSL's reasons ("no start line") do not tell what the file is instead.
Result<void> check_files(const TlsFiles& files) {
  const File certificate{kCertificate, files.certificate}, key{kKey, files.key};
  const auto pem = certificate.read();
  if (!pem) return pem.error();
  const auto chain = certificates_of(certificate, *pem);
  if (!chain) return chain.error();
  if (is_expired(chain->front())) return expired(certificate, chain->front());
  const auto key_pem = key.read();
  if (!key_pem) return key_pem.error();
  if (!contract::is_private_key(*key_pem)) {
    if (key_pem->find("ENCRYPTED") != std::string::npos)
      return key.is("is protected by a passphrase, which a server cannot ask for",
                    "remove it with `openssl pkey -in FILE -out NEW-FILE`");
    if (key_pem->find(kCertificateBegins) != std::string::npos)
      return key.is("is a certificate, not a private key", "the certificate belongs to --tls-certificate");
    return key.is("is not a private key in PEM form",
                  "convert it with `openssl pkey -inform DER -in FILE -out PEM-FILE` if it is in DER form");
  }
  if (!contract::key_belongs_to(*key_pem, *pem))
    return key.is("does not belong to the first certificate in " + files.certificate,
                  "the certificate of this key comes first in the file, and its chain after it");
  if (files.client_ca.empty()) return {};
  const File client_ca{kClientCa, files.client_ca};
  const auto ca_pem = client_ca.read();
  if (!ca_pem) return ca_pem.error();
  const auto authorities = certificates_of(client_ca, *ca_pem);
  if (!authorities) return authorities.error();
  if (std::ranges::all_of(*authorities, is_expired)) return expired(client_ca, authorities->back());
  return {};
}

// A key that was replaced by one with a passphrase after check_files(): OpenSSL must not ask for it on the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

Error openssl_error(std::string_view option, const std::string& path) {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return Error(path + " cannot be used: " + (reason != nullptr ? reason : "unknown reason")).in(option);
}

std::vector<std::string> entries(X509_NAME* name, int nid) {
  std::vector<std::string> values;
  for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0; at = X509_NAME_get_index_by_NID(name, nid, at)) {
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
    CRYPTO_free(text, nullptr, 0);  // the macro OPENSSL_free would put the path of this file into the program
  }
  return values;
}

}  // namespace

Result<TlsContext> load_tls(const TlsFiles& files) {
  if (auto fine = check_files(files); !fine) return std::move(fine).error();
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_default_passwd_cb(raw, no_passphrase);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1)
    return openssl_error(kCertificate, files.certificate);
  if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(raw) != 1)
    return openssl_error(kKey, files.key);
  if (!files.client_ca.empty()) {
    if (SSL_CTX_load_verify_file(raw, files.client_ca.c_str()) != 1) return openssl_error(kClientCa, files.client_ca);
    SSL_CTX_set_client_CA_list(raw, SSL_load_client_CA_file(files.client_ca.c_str()));
    // A client without a certificate may have a token, or request a public route.
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
    static constexpr unsigned char kSessions[] = "sunup";
    SSL_CTX_set_session_id_context(raw, kSessions, sizeof kSessions - 1);
  }
  return context;
}

Result<int> watch_files(const TlsFiles& files) {
  std::set<std::string> directories;
  for (const std::string* file : {&files.certificate, &files.key, &files.client_ca}) {
    if (file->empty()) continue;
    const std::string parent = std::filesystem::path(*file).parent_path().string();
    directories.insert(parent.empty() ? "." : parent);
  }
  const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watch < 0) return Error::from_errno(errno, "watching the TLS files");
  for (const std::string& directory : directories) {
    if (inotify_add_watch(watch, directory.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) >= 0) continue;
    const int failed = errno;
    close(watch);
    return Error::from_errno(failed, "watching " + directory);
  }
  return watch;
}

CertificateOwner owner_of(X509* certificate) {
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const std::vector<std::string> names = entries(subject, NID_commonName);
  return {names.empty() ? "" : names.back(), entries(subject, NID_organizationName)};
}

}  // namespace sunup::server
