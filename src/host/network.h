// The part of the network that provisioning needs: requests, probes, name lookups, and messages to services of this
// machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "host/loop.h"
#include "host/task.h"

namespace sunup::host {

// Where distributions keep the certificate authorities that they trust, as one file.
inline constexpr const char* kAuthorityBundles[] = {"/etc/ssl/certs/ca-certificates.crt",
                                                    "/etc/pki/tls/certs/ca-bundle.crt",
                                                    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"};

struct HttpReply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};

  // The first header of that name, compared without case; empty if there is none.
  std::string header(std::string_view name) const {
    for (const auto& [known, value] : headers)
      if (equal_ignoring_case(known, name)) return value;
    return "";
  }
};

struct HttpRequest {
  std::string url = {};  // http:// or https://
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string method = "GET";
  std::string body = {};                      // of a POST; a header gives its type
  Duration limit = std::chrono::seconds(10);  // from the first packet to the last byte
  size_t max_body = 16 << 20;
  std::string ca_file = {};  // PEM bundle for https; empty: the system's
  std::string ca_pem = {};   // the same as text, instead of a file
  // PEM files with the client certificate (https); empty: none. Both may be the same file.
  std::string client_certificate = {};
  std::string client_key = {};
  std::string proxy = {};  // http://[user:password@]host:port to use; empty: none
  // Called for each piece of the body of a success (2xx) as it arrives, with the head of the reply; the body in the
  // reply then stays empty. An error ends the request.
  std::function<Result<void>(const HttpReply& head, std::string_view piece)> on_body = {};
};

struct TlsPeer {
  std::string version;  // "TLSv1.3"
  std::string subject;  // of the peer's certificate
  bool verified = false;
};

class Network {
 public:
  virtual ~Network() = default;

  // Sends the request, by default a GET. A reply with any status is a success; an error means that there was no reply
  // (refused, reset, too late, not HTTP).
  virtual Task<Result<HttpReply>> request(HttpRequest request) = 0;
  // The literal addresses of a name.
  virtual Task<Result<std::vector<std::string>>> lookup(std::string name) = 0;
  // Checks that a TCP connection can be made. `host` is a name or a literal address.
  virtual Task<Result<void>> connects(std::string host, uint16_t port) = 0;
  // Checks that a TLS handshake succeeds. With an empty ca_file any certificate is accepted (and not reported as
  // verified).
  virtual Task<Result<TlsPeer>> handshakes(std::string host, uint16_t port, std::string ca_file) = 0;
  // Sends one datagram to a Unix socket of this machine. Waits while the receiver has no room for it.
  virtual Task<Result<void>> send(std::string socket, std::string datagram) = 0;
};

}  // namespace sunup::host
