// The network of the real machine: non-blocking sockets on the loop, Beast's HTTP parser, OpenSSL for TLS.
#pragma once

#include <string>
#include <vector>

#include "host/network.h"
#include "host/real/loop.h"

namespace sunup::host::real {

class ByteStream;

class Network : public host::Network {
 public:
  // The kernel repeats a request for a connection that nobody answers after 1, 3, 7 and 15 seconds (Linux 6.5 and
  // later: 1, 2, 3, 4, 6 and 10). After `answer_limit` it is given up, and the next address is tried or the same one
  // again, so that a server is found soon after it has appeared.
  explicit Network(Loop& loop, Duration answer_limit = std::chrono::seconds(3))
      : loop_(loop), answer_limit_(answer_limit) {}

  Task<Result<HttpReply>> request(HttpRequest request) override;
  Task<Result<std::vector<std::string>>> lookup(std::string name) override;
  Task<Result<void>> connects(std::string host, uint16_t port) override;
  Task<Result<TlsPeer>> handshakes(std::string host, uint16_t port, std::string ca_file) override;
  Task<Result<void>> send(std::string socket, std::string datagram) override;

 private:
  Task<Result<Fd>> connect_to(std::string host, uint16_t port);  // the first address that answers
  Task<Result<HttpReply>> get_unlimited(HttpRequest request);
  Task<Result<void>> open_tunnel(ByteStream& stream, std::string host, uint16_t port, std::string credentials);

  Loop& loop_;
  const Duration answer_limit_;
};

}  // namespace sunup::host::real
