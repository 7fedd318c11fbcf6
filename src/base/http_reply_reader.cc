#include "base/http_reply_reader.h"

// An empty chunked body that arrives byte by byte violates an assertion of Beast 1.81 (`n >= 5` in parse_chunk_header),
// although the following code handles it. A server must not be able to terminate a build with assertions.
#define BOOST_DISABLE_ASSERTS
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>

namespace sunup {

namespace http = boost::beast::http;

namespace {

// The limit of the line before a chunk, and of the trailers. Beast limits the header.
constexpr size_t kMostBetween = 64u << 10;

// False: the status is none. Beast accepts any three digits.
bool describe(const http::response_header<>& from, HttpReplyHead& head) {
  if (head.status != 0) return true;
  if (from.result_int() < 100) return false;
  head.status = static_cast<int>(from.result_int());
  for (const auto& field : from) head.fields.emplace_back(field.name_string(), field.value());
  return true;
}

struct TakenBody {
  struct value_type {  // NOLINT(readability-identifier-naming): the library looks for it by this name
    HttpReplyReader::Take take;
    HttpReplyHead head;
    std::optional<Error> refused;
  };
  class reader {  // NOLINT(readability-identifier-naming): and for this one
   public:
    template <bool kRequest, class Fields>
    reader(http::header<kRequest, Fields>& head, value_type& body) : body_(body) {
      if constexpr (!kRequest) head_ = &head;
    }
    void init(const boost::optional<uint64_t>&, boost::beast::error_code& error) { error = {}; }
    template <class Buffers>
    size_t put(const Buffers& buffers, boost::beast::error_code& error) {
      size_t taken = 0;
      error = {};
      if (!describe(*head_, body_.head)) error = http::error::bad_status;
      if (error) return taken;
      for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers);
           ++at) {
        const boost::asio::const_buffer buffer = *at;
        auto done = body_.take(body_.head, {static_cast<const char*>(buffer.data()), buffer.size()});
        if (!done) {
          body_.refused = std::move(done).error();
          error = http::error::buffer_overflow;
          return taken;
        }
        taken += buffer.size();
      }
      return taken;
    }
    void finish(boost::beast::error_code& error) { error = {}; }

   private:
    const http::response_header<>* head_ = nullptr;
    value_type& body_;
  };
};

}  // namespace

struct HttpReplyReader::Parser {
  http::response_parser<TakenBody> http;

  Result<void> result_of(const boost::beast::error_code& error) {
    TakenBody::value_type& body = http.get().body();
    if (http.is_header_done()) {
      if (!describe(http.get(), body.head)) return Error("the status of the response is not valid");
      body.head.keep_alive = http.get().keep_alive();
    }
    if (!error) return {};
    return body.refused ? *body.refused : Error(error.message());
  }
};

HttpReplyReader::HttpReplyReader(uint64_t max_body, Take take) : parser_(std::make_unique<Parser>()) {
  parser_->http.eager(true);
  parser_->http.body_limit(max_body);
  parser_->http.get().body().take = std::move(take);
}

HttpReplyReader::~HttpReplyReader() = default;

Result<void> HttpReplyReader::feed(std::string& bytes) {
  auto& parser = parser_->http;
  boost::beast::error_code error;
  size_t begin = 0;
  while (begin < bytes.size() && !parser.is_done()) {
    // Beast has no limit for the line before a chunk and for trailers, and needs each as a whole. So it gets only as
    // many bytes as one of them may have.
    const size_t given = std::min(bytes.size() - begin, kMostBetween);
    const size_t used = parser.put(boost::asio::buffer(bytes.data() + begin, given), error);
    begin += used;
    if (error == http::error::need_more) {
      if (used == 0 && given == kMostBetween) return Error("what precedes a piece of the body is too long");
      error = {};
      if (used == 0) break;
    }
    if (error) break;
  }
  bytes.erase(0, begin);
  return parser_->result_of(error);
}

Result<void> HttpReplyReader::closed() {
  // For Beast, a connection that closes at once is a complete response with status 200.
  if (!parser_->http.got_some()) return Error("there is no response");
  boost::beast::error_code error;
  if (!is_done()) parser_->http.put_eof(error);
  return parser_->result_of(error);
}

bool HttpReplyReader::has_head() const {
  return parser_->http.is_header_done();
}

bool HttpReplyReader::is_done() const {
  return parser_->http.is_done();
}

bool HttpReplyReader::is_refused() const {
  return parser_->http.get().body().refused.has_value();
}

const HttpReplyHead& HttpReplyReader::head() const {
  return parser_->http.get().body().head;
}

}  // namespace sunup
