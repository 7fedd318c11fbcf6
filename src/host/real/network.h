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
  explicit Network(Loop& loop) : loop_(loop) {}

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
};

}  // namespace sunup::host::real
