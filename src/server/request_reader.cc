#include "service/http_request.h"

// An empty body of chunks that arrives byte by byte violates an assertion of Beast 1.81 (`n >= 5` in
// parse_chunk_header), although the code behind it handles it. A client must not be able to end a build with
// assertions.
#define BOOST_DISABLE_ASSERTS
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace sunup::service {

namespace http = boost::beast::http;

struct RequestReader::Parser {
  http::request_parser<http::string_body> http;
};

RequestReader::RequestReader() : parser_(std::make_unique<Parser>()) {
  parser_->http.body_limit(kLargestBody);
  parser_->http.header_limit(kLargestHeader);
  parser_->http.eager(true);
}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::feed(std::string& bytes) {
  auto& parser = parser_->http;
  while (!bytes.empty() && !parser.is_done()) {
    boost::system::error_code failure;
    const size_t used = parser.put(boost::asio::buffer(bytes), failure);
    bytes.erase(0, used);
    if (failure == http::error::need_more) break;
    if (!failure) continue;
    const bool too_large = failure == http::error::body_limit;
    refusal_ = {too_large ? 413 : 400, too_large ? "the body is too large" : failure.message()};
    return State::kRefused;
  }
  return parser.is_done() ? State::kDone : State::kNeedsMore;
}

HttpRequest RequestReader::request() const {
  const auto& message = parser_->http.get();
  return {std::string(message.method_string()), std::string(message.target()), message.body(), message.keep_alive()};
}

}  // namespace sunup::service
