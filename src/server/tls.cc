#include "server/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>

namespace sunup::server {
namespace {

Error openssl_error(std::string_view doing) {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return Error(std::string(doing) + ": " + (reason != nullptr ? reason : "unusable"));
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
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1)
    return openssl_error("the certificate " + files.certificate);
  if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(raw) != 1)
    return openssl_error("the key " + files.key);
  if (!files.client_ca.empty()) {
    if (SSL_CTX_load_verify_file(raw, files.client_ca.c_str()) != 1)
      return openssl_error("the CA of clients " + files.client_ca);
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
