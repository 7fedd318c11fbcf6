// Reads HTTP/1.1 requests from the bytes of a connection, with limits on their size. Works on bytes, without I/O.
//
//   RequestReader reader;
//   while (reader.feed(pending) == RequestReader::State::kNeedsMore) pending += more();
//   if (reader.state() == RequestReader::State::kDone) answer(reader.request());
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sunup::server {

struct RequestLimits {
  uint64_t body = 4u << 20;
  uint32_t header = 16u << 10;  // also for what precedes a chunk, and for the trailers
};

struct HttpRefusal {
  int status = 400;
  std::string why;
};

// One request. The bytes after it are left for the next reader.
class RequestReader {
 public:
  enum class State : uint8_t { kNeedsMore, kDone, kRefused };

  explicit RequestReader(const RequestLimits& limits = {});
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Removes the bytes of this request from the front of `bytes`. If more are needed, fewer bytes are left than a header
  // may have.
  State feed(std::string& bytes);

  // Whether the header is complete and was not refused.
  bool has_header() const;
  // Whether the client waits for "100 Continue" before it sends the body; true at most once.
  bool take_expectation();

  // The following functions require a complete header.
  std::string_view method() const;
  std::string_view target() const;  // path and query; "*" of OPTIONS *
  bool keep_alive() const;
  bool old() const;  // HTTP/1.0
  // The value of a header field; empty if there is none. If the field is repeated, the first value.
  std::string_view field(std::string_view name) const;
  std::string_view body() const;
  // The size of the body as far as it is known.
  size_t expected_body() const;
  // What the body uses now, which is not much more than what has arrived.
  size_t body_memory() const;

  const HttpRefusal& refusal() const { return refusal_; }

 private:
  State refuse(int status, std::string why);
  bool accept_header();

  struct Parser;
  std::unique_ptr<Parser> parser_;
  const size_t most_unparsed_;
  size_t header_size_ = 0;  // as far as it is parsed
  HttpRefusal refusal_;
  bool header_accepted_ = false;
  bool expects_continue_ = false;
  bool refused_ = false;
};

}  // namespace sunup::server
