// A connected byte stream, plain or TLS, on the loop.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "host/network.h"
#include "host/real/loop.h"

namespace sunup::host::real {

class ByteStream {
 public:
  ByteStream(Loop& loop, Fd fd) : loop_(loop), fd_(std::move(fd)) {}

  // Switches to TLS. With verification the peer's certificate must be valid for `host` (a name or an address).
  struct TlsOptions {
    std::string host;
    bool verify = true;
    std::string ca_file;      // PEM; empty: the system's
    std::string ca_pem = {};  // the same as text, instead of a file
    std::string client_certificate = {};
    std::string client_key = {};
  };
  Task<Result<TlsPeer>> handshake(TlsOptions options);

  Task<Result<void>> write_all(std::string data);
  Task<Result<size_t>> read_some(char* buffer, size_t size);  // 0: the peer has closed the connection

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  Task<Result<void>> wait_for_ssl(int status, std::string doing);

  Loop& loop_;
  Fd fd_;
  std::unique_ptr<SSL_CTX, FreeSsl> context_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
};

}  // namespace sunup::host::real
