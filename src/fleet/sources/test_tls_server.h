// A TLS server for tests on its own port: it answers GET requests from a table, with a certificate of a CA that it
// creates.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sunup::fleet {

struct TestCertificate {
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;

  // For 127.0.0.1 and localhost, signed by `issuer`; without one, a CA.
  // `shift`: the number of seconds by which its validity is moved.
  explicit TestCertificate(const TestCertificate* issuer, long shift = 0)
      : key(EVP_EC_gen("P-256")), certificate(X509_new()) {
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer == nullptr ? 1 : 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate), shift - 3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), shift + 3600 * 24);
    X509_set_pubkey(certificate, key);
    const char* name = issuer == nullptr ? "test-ca" : "apiserver";
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer == nullptr ? certificate : issuer->certificate));
    extend(NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
    if (issuer != nullptr) extend(NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    X509_sign(certificate, issuer == nullptr ? key : issuer->key, EVP_sha256());
  }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;
  ~TestCertificate() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  std::string pem() const {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, certificate);
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio, &text);
    std::string result(text, static_cast<size_t>(size));
    BIO_free(bio);
    return result;
  }

 private:
  void extend(int nid, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
};

class TestTlsServer {
 public:
  struct Answer {
    int status = 200;
    std::string body;
  };

  TestCertificate ca{nullptr};
  TestCertificate own;

  // `present_ca`: sends the CA along with the server's certificate.
  // `shift`: as in TestCertificate, of its own certificate.
  TestTlsServer(std::map<std::string, Answer> answers, bool present_ca, long shift = 0)
      : own(&ca, shift), answers_(std::move(answers)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(listener_, 16);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    context_ = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(context_, own.certificate);
    SSL_CTX_use_PrivateKey(context_, own.key);
    if (present_ca) SSL_CTX_add1_chain_cert(context_, ca.certificate);
    thread_ = std::thread([this] { serve(); });
  }
  ~TestTlsServer() {
    stopping_ = true;
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    SSL_CTX_free(context_);
  }

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> authorizations;  // of the requests so far; only read it after the server has ended
  int requests = 0;
  std::atomic<bool> silent{false};  // accept connections, but never respond
  std::atomic<int> starting{0};     // the number of further requests that get 503 or 403
  std::atomic<bool> leaves{false};  // close the connection right after the handshake

  // Returns after a connection was closed by `leaves`.
  void wait_until_left() { left_.wait(false); }

 private:
  void serve() {
    // A client that closes its connection must not end the tests; they check what a client does when the server closes.
    sigset_t closed;
    sigemptyset(&closed);
    sigaddset(&closed, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &closed, nullptr);
    while (!stopping_) {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      if (silent) {
        held_.push_back(client);
        continue;
      }
      SSL* ssl = SSL_new(context_);
      SSL_set_fd(ssl, client);
      const bool shaken = SSL_accept(ssl) == 1;
      if (shaken && leaves) {
        SSL_free(ssl);
        leave(client);
        continue;
      }
      if (shaken) answer(ssl);
      SSL_shutdown(ssl);
      SSL_free(ssl);
      close(client);
    }
    for (const int client : held_) close(client);
  }

  // Closes the connection for writing, then for reading: from then on a write by the peer gets a broken pipe.
  void leave(int client) {
    shutdown(client, SHUT_WR);
    const linger at_once{1, 0};
    setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(client);
    left_ = true;
    left_.notify_all();
  }

  void answer(SSL* ssl) {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == request.npos) {
      const int got = SSL_read(ssl, buffer, sizeof buffer);
      if (got <= 0) return;
      request.append(buffer, static_cast<size_t>(got));
    }
    ++requests;
    if (const size_t at = request.find("Authorization: "); at != request.npos)
      authorizations.push_back(request.substr(at + 15, request.find("\r\n", at) - at - 15));
    const std::string path = request.substr(4, request.find(' ', 4) - 4);
    const auto it = answers_.find(path);
    const Answer reply = starting-- > 0         ? Answer{starting % 2 == 0 ? 503 : 403, "{}"}
                         : it == answers_.end() ? Answer{404, "{}"}
                                                : it->second;
    const std::string text =
        "HTTP/1.1 " + std::to_string(reply.status) +
        " x\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" +
        reply.body;
    SSL_write(ssl, text.data(), static_cast<int>(text.size()));
  }

  std::map<std::string, Answer> answers_;
  int listener_ = -1;
  uint16_t port_ = 0;
  SSL_CTX* context_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> left_{false};
  std::vector<int> held_;
  std::thread thread_;
};

// A port of 127.0.0.1 that refuses connections. It is bound, so that no other program can listen there.
class TestRefusingPort {
 public:
  TestRefusingPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  TestRefusingPort(const TestRefusingPort&) = delete;
  TestRefusingPort& operator=(const TestRefusingPort&) = delete;
  ~TestRefusingPort() { close(socket_); }

  std::string url(const std::string& scheme) const { return scheme + "://127.0.0.1:" + std::to_string(port_); }

 private:
  int socket_;
  uint16_t port_ = 0;
};

}  // namespace sunup::fleet
