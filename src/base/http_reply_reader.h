// Reads an HTTP/1.1 response as its bytes arrive. Header, body, and what is between the pieces of a body have limits,
// so a server cannot make a client collect data without end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sunup {

struct HttpReplyHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields = {};
  bool keep_alive = false;  // the connection can be used for another request
};

class HttpReplyReader {
 public:
  // Called for each piece of the body. An error ends the response.
  using Take = std::function<Result<void>(const HttpReplyHead& head, std::string_view piece)>;

  HttpReplyReader(uint64_t max_body, Take take);
  ~HttpReplyReader();

  // Removes from `bytes` what it has read; the caller appends what arrives next. What remains after the end belongs to
  // no response. An error: the response is not HTTP or exceeds a limit, or is that of `take`.
  Result<void> feed(std::string& bytes);
  // The peer has closed the connection.
  Result<void> closed();

  bool has_head() const;
  bool is_done() const;
  bool is_refused() const;  // by `take`
  const HttpReplyHead& head() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace sunup
