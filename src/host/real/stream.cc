#include "host/real/stream.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "base/validity.h"

namespace sunup::host::real {
namespace {

std::string last_ssl_error() {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "the peer closed the connection";
  ERR_error_string_n(code, text.data(), text.size());
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : text.data();
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

std::string subject_of(SSL* ssl) {
  std::string text;
  if (X509* certificate = SSL_get1_peer_certificate(ssl); certificate != nullptr) {
    std::array<char, 512> name{};
    X509_NAME_oneline(X509_get_subject_name(certificate), name.data(), name.size());
    text = name.data();
    X509_free(certificate);
  }
  return text;
}

std::time_t seconds_of(const ASN1_TIME* time) {
  struct tm parts = {};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

// Describes the problem if a certificate of the peer is rejected because of the clock; otherwise empty.
std::string clock_problem(SSL* ssl, long verdict) {
  if (verdict != X509_V_ERR_CERT_NOT_YET_VALID && verdict != X509_V_ERR_CERT_HAS_EXPIRED) return "";
  const std::time_t now = ::time(nullptr);
  STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl);
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    const X509* certificate = sk_X509_value(chain, i);
    const Validity validity{.not_before = seconds_of(X509_get0_notBefore(certificate)),
                            .not_after = seconds_of(X509_get0_notAfter(certificate))};
    if (std::string problem = validity_problem(validity, now); !problem.empty()) return problem;
  }
  return kClockWord + (" " + utc_text(now));  // the authority's own certificate
}

// OpenSSL only looks for certificate authorities in the directory of the distribution that it was built on.
bool load_system_authorities(SSL_CTX* context) {
  if (SSL_CTX_set_default_verify_paths(context) != 1) return false;
  if (::access(X509_get_default_cert_dir(), R_OK) == 0) return true;
  for (const char* bundle : kAuthorityBundles)
    if (::access(bundle, R_OK) == 0) return SSL_CTX_load_verify_file(context, bundle) == 1;
  return true;
}

// All certificates of the text; false if there is none, or one that cannot be read.
bool load_authorities(SSL_CTX* context, const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                       &BIO_free);
  if (!text) return false;
  size_t loaded = 0;
  while (X509* certificate = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)) {
    const bool added = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1;
    X509_free(certificate);
    if (!added) return false;
    ++loaded;
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE || loaded == 0) return false;
  ERR_clear_error();  // the end of the text
  return true;
}

bool load_trusted(SSL_CTX* context, const ByteStream::TlsOptions& options) {
  if (!options.ca_pem.empty()) return load_authorities(context, options.ca_pem);
  if (options.ca_file.empty()) return load_system_authorities(context);
  return SSL_CTX_load_verify_file(context, options.ca_file.c_str()) == 1;
}

}  // namespace

Task<Result<void>> ByteStream::wait_for_ssl(int status, std::string doing) {
  switch (const int error = SSL_get_error(ssl_.get(), status)) {
    case SSL_ERROR_WANT_READ:
      co_return co_await fd_ready(loop_, fd_.get(), EPOLLIN);
    case SSL_ERROR_WANT_WRITE:
      co_return co_await fd_ready(loop_, fd_.get(), EPOLLOUT);
    case SSL_ERROR_SYSCALL:
      if (errno != 0 && ERR_peek_error() == 0) co_return Error::from_errno(errno, doing);
      [[fallthrough]];
    default: {
      Error failed(fmt::format("{}: {}", doing, last_ssl_error()));
      const long verdict = SSL_get_verify_result(ssl_.get());
      if (verdict != X509_V_OK) failed.what += fmt::format(" ({})", X509_verify_cert_error_string(verdict));
      if (const std::string clock = clock_problem(ssl_.get(), verdict); !clock.empty()) {
        failed.what += ": " + clock;
        failed.hint = kClockHint;
      }
      failed.os_errno = error == SSL_ERROR_SYSCALL ? ECONNRESET : EPROTO;
      co_return failed;
    }
  }
}

Task<Result<TlsPeer>> ByteStream::handshake(TlsOptions options) {
  context_.reset(SSL_CTX_new(TLS_client_method()));
  if (!context_) co_return Error("TLS: " + last_ssl_error());
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  if (options.verify) {
    if (!load_trusted(context_.get(), options)) {
      const std::string what = options.ca_pem.empty() ? options.ca_file : "the given authorities";
      co_return Error(fmt::format("TLS: reading {}: {}", what, last_ssl_error()));
    }
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (!options.client_certificate.empty() &&
      (SSL_CTX_use_certificate_chain_file(context_.get(), options.client_certificate.c_str()) != 1 ||
       SSL_CTX_use_PrivateKey_file(context_.get(), options.client_key.c_str(), SSL_FILETYPE_PEM) != 1))
    co_return Error(fmt::format("TLS: reading {}: {}", options.client_certificate, last_ssl_error()));
  ssl_.reset(SSL_new(context_.get()));
  if (!ssl_ || SSL_set_fd(ssl_.get(), fd_.get()) != 1) co_return Error("TLS: " + last_ssl_error());
  if (is_address(options.host)) {
    if (options.verify) X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), options.host.c_str());
  } else {
    SSL_set_tlsext_host_name(ssl_.get(), options.host.c_str());
    if (options.verify) SSL_set1_host(ssl_.get(), options.host.c_str());
  }
  while (true) {
    ERR_clear_error();
    errno = 0;
    const int status = SSL_connect(ssl_.get());
    if (status == 1) break;
    Result<void> waited = co_await wait_for_ssl(status, "TLS handshake with " + options.host);
    if (!waited) co_return std::move(waited).error();
  }
  co_return TlsPeer{SSL_get_version(ssl_.get()), subject_of(ssl_.get()), options.verify};
}

Task<Result<void>> ByteStream::write_all(std::string data) {
  size_t done = 0;
  while (done < data.size()) {
    if (ssl_) {
      ERR_clear_error();
      errno = 0;
      const int status = SSL_write(ssl_.get(), data.data() + done, static_cast<int>(data.size() - done));
      if (status > 0) {
        done += static_cast<size_t>(status);
        continue;
      }
      if (auto waited = co_await wait_for_ssl(status, "TLS write"); !waited) co_return waited;
      continue;
    }
    const ssize_t sent = ::send(fd_.get(), data.data() + done, data.size() - done, MSG_NOSIGNAL);
    if (sent >= 0) {
      done += static_cast<size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) co_return Error::from_errno(errno, "send");
    if (auto ready = co_await fd_ready(loop_, fd_.get(), EPOLLOUT); !ready) co_return ready;
  }
  co_return Result<void>();
}

Task<Result<size_t>> ByteStream::read_some(char* buffer, size_t size) {
  while (true) {
    if (ssl_) {
      ERR_clear_error();
      errno = 0;
      const int got = SSL_read(ssl_.get(), buffer, static_cast<int>(size));
      if (got > 0) co_return static_cast<size_t>(got);
      if (SSL_get_error(ssl_.get(), got) == SSL_ERROR_ZERO_RETURN) co_return size_t{0};
      if (auto waited = co_await wait_for_ssl(got, "TLS read"); !waited) co_return std::move(waited).error();
      continue;
    }
    const ssize_t got = ::recv(fd_.get(), buffer, size, 0);
    if (got >= 0) co_return static_cast<size_t>(got);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) co_return Error::from_errno(errno, "receive");
    if (auto ready = co_await fd_ready(loop_, fd_.get(), EPOLLIN); !ready) co_return std::move(ready).error();
  }
}

}  // namespace sunup::host::real
