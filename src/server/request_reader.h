// Reads HTTP/1.1 requests from the bytes of a connection, with limits on their size.
//
//   RequestReader reader;
//   while (reader.feed(pending) == RequestReader::State::kNeedsMore) pending += more();
//   if (reader.state() == RequestReader::State::kDone) answer(reader.request());
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sunup::service {

inline constexpr uint64_t kLargestBody = 4u << 20;
inline constexpr uint32_t kLargestHeader = 16u << 10;

struct HttpRequest {
  std::string method;
  std::string target;
  std::string body;
  bool keep_alive = false;
};

struct HttpRefusal {
  int status = 400;
  std::string why;
};

// One request. What follows it in the bytes is left for the next reader.
class RequestReader {
 public:
  enum class State : uint8_t { kNeedsMore, kDone, kRefused };

  RequestReader();
  ~RequestReader();

  // Removes from the front of `bytes` what belongs to this request.
  State feed(std::string& bytes);

  HttpRequest request() const;
  const HttpRefusal& refusal() const { return refusal_; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  HttpRefusal refusal_;
};

}  // namespace sunup::service
