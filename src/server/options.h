// The options of `sunup serve`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fleet/sources/cluster_probe.h"
#include "server/request_reader.h"

namespace sunup::server {

struct Limits {
  RequestLimits request = {};
  size_t connections = 10000;
  size_t body_memory = 256u << 20;                // for the bodies of all requests at a time
  std::chrono::milliseconds idle{60000};          // between two requests of a connection
  std::chrono::milliseconds header_time{5000};    // for a TLS handshake; from the first byte to the end of the header
  std::chrono::milliseconds request_time{30000};  // from the first byte of a request to the last byte of the response
  std::chrono::milliseconds work_time{3000};      // for the function of a route
  std::chrono::milliseconds end_time{5000};       // from stop() until the server has ended
};

struct TlsFiles {
  std::string certificate = {};  // PEM, with the chain; empty: no TLS
  std::string key = {};
  std::string client_ca = {};  // PEM: accepts client certificates of these CAs; empty: none
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // IPv4 or IPv6; empty: only the unix socket
  uint16_t port = 8080;               // 0: any free port
  std::string unix_socket = {};       // a path; empty: none
  int workers = 0;                    // threads for the work of requests; 0: one for each processor that may be used
  TlsFiles tls = {};
  fleet::ClusterAccess cluster = {};  // checks bearer tokens and stores the results of nodes; empty url: none
  bool insecure = false;              // allows other addresses than loopback without TLS or authentication
  bool log_requests = true;
  Limits limits = {};
};

}  // namespace sunup::server
