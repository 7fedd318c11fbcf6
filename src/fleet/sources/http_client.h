// A small HTTP/1.1 client for API servers and galleries: one request at a time, over TLS or not, with one deadline for
// everything from name lookup to the last byte.
#pragma once

#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/url.h"

namespace sunup::fleet {

using Clock = std::chrono::steady_clock;

// The errno of an error that a retry cannot fix: the server's certificate is not trusted.
inline constexpr int kNotTrusted = EKEYREJECTED;

// The errno of an error that is not caused by the server: the overall deadline has passed.
inline constexpr int kOutOfTime = ETIME;

struct HttpOptions {
  std::chrono::milliseconds timeout{10000};
  Clock::time_point deadline = Clock::time_point::max();  // for all requests and attempts together
  std::string ca_pem = {};                                // trust only these; empty: the system's authorities
  bool verify = true;                                     // false: accept any certificate; the caller checks the chain
  Secret bearer_token = {};                               // sent only over TLS
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::vector<std::string> chain_pem;  // the certificates of the server, its own one first
};

// A request other than a plain GET.
struct HttpSending {
  std::string_view method = "GET";
  std::string_view content_type = {};
  std::string_view body = {};  // sent if there is a content type
};

class HttpClient {
 public:
  explicit HttpClient(HttpOptions options) : options_(std::move(options)) {}

  // An Error means that there was no response; a response with any status is a success. If the overall deadline, and
  // not the timeout of one attempt, ended it, os_errno is kOutOfTime.
  Result<HttpAnswer> get(const HttpUrl& url) const { return send(url, {}); }
  Result<HttpAnswer> send(const HttpUrl& url, const HttpSending& sending) const;

 private:
  Result<HttpAnswer> send_by(const HttpUrl& url, const HttpSending& sending, Clock::time_point deadline) const;

  HttpOptions options_;
};

}  // namespace sunup::fleet
