// A connected socket, plain or TLS. All operations end by a deadline. An Error that is caused by the deadline has
// os_errno kOutOfTime.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/sources/http_client.h"

namespace sunup::fleet {

class Connection {
 public:
  // Resolves the name, connects to the first address that responds, and performs the TLS handshake if the URL is https.
  static Result<Connection> open(const HttpUrl& url, const HttpOptions& options, Clock::time_point deadline);

  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  Result<void> write(std::string_view bytes, Clock::time_point deadline);
  // 0: the peer has closed the connection.
  Result<size_t> read(char* into, size_t size, Clock::time_point deadline);
  std::vector<std::string> peer_chain_pem() const;
  // Between two requests: the peer has neither sent anything nor closed the connection.
  bool is_silent() const;

 private:
  explicit Connection(int socket) : socket_(socket) {}
  Result<void> shake_hands(const HttpUrl& url, const HttpOptions& options, Clock::time_point deadline);
  Result<void> wait_for(short events, Clock::time_point deadline) const;
  // After an SSL call that did not succeed: waits until it can be repeated, or returns why it failed.
  Result<void> after_ssl(int result, Clock::time_point deadline) const;

  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  int socket_ = -1;
  std::unique_ptr<SSL_CTX, FreeSsl> context_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
};

}  // namespace sunup::fleet
