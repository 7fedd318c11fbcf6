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

// The errno of an error that asking again cannot mend: the server's certificate is not trusted.
inline constexpr int kNotTrusted = EKEYREJECTED;

// The errno of an error that says nothing of the server: the deadline for everything came first.
inline constexpr int kOutOfTime = ETIME;

struct HttpOptions {
  std::chrono::milliseconds timeout{10000};
  Clock::time_point deadline = Clock::time_point::max();  // for everything that is asked, however often
  std::string ca_pem = {};                                // trust exactly these; empty: what the system trusts
  bool verify = true;        // false: take any certificate, and leave it to the caller to judge the chain
  Secret bearer_token = {};  // sent only over TLS
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::vector<std::string> chain_pem;  // what the server presented, its own certificate first
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

  // An Error means that there was no answer; any status is an answer. One that the deadline cut short, and not the
  // timeout of a single try, has os_errno kOutOfTime.
  Result<HttpAnswer> get(const HttpUrl& url) const { return send(url, {}); }
  Result<HttpAnswer> send(const HttpUrl& url, const HttpSending& sending) const;

 private:
  Result<HttpAnswer> send_by(const HttpUrl& url, const HttpSending& sending, Clock::time_point deadline) const;

  HttpOptions options_;
};

}  // namespace sunup::fleet
