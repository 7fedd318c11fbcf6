#include "server/request_reader.h"

// An empty chunked body that arrives byte by byte violates an assertion of Beast 1.81 (`n >= 5` in parse_chunk_header),
// although the following code handles it. A client must not be able to terminate a build with assertions.
#define BOOST_DISABLE_ASSERTS
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <limits>

namespace sunup::server {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

bool same(beast::string_view a, const char* b) {
  return beast::iequals(a, b);
}

// For a target in the form for proxies ("GET http://host/path"), which a server must accept too, returns only the path
// and the query.
beast::string_view without_authority(beast::string_view target) {
  for (const beast::string_view scheme : {"http://", "https://"}) {
    if (target.size() < scheme.size() || !beast::iequals(target.substr(0, scheme.size()), scheme)) continue;
    const size_t end = target.find_first_of("/?", scheme.size());
    return end == target.npos ? beast::string_view("/") : target.substr(end);
  }
  return target;
}

// A body in a string whose memory grows with the bytes that have arrived. http::string_body takes all of the memory
// that Content-Length declares when the header is complete.
struct ArrivingBody {
  using value_type = std::string;

  static std::uint64_t size(const value_type& body) { return body.size(); }

  class reader {
   public:
    template <bool isRequest, class Fields>
    reader(http::header<isRequest, Fields>&, value_type& body) : body_(body) {}

    void init(const boost::optional<std::uint64_t>& declared, boost::system::error_code& failure) {
      if (declared) declared_ = *declared;
      failure = {};
    }

    template <class Buffers>
    size_t put(const Buffers& buffers, boost::system::error_code& failure) {
      const size_t more = beast::buffer_bytes(buffers), needed = body_.size() + more;
      if (needed > body_.capacity()) body_.reserve(std::max<size_t>(needed, std::min(2 * needed, declared_)));
      for (const boost::asio::const_buffer part : beast::buffers_range_ref(buffers))
        body_.append(static_cast<const char*>(part.data()), part.size());
      failure = {};
      return more;
    }

    void finish(boost::system::error_code& failure) { failure = {}; }

   private:
    value_type& body_;
    size_t declared_ = std::numeric_limits<size_t>::max();
  };
};

}  // namespace

struct RequestReader::Parser {
  http::request_parser<ArrivingBody> http;
};

RequestReader::RequestReader(const RequestLimits& limits)
    : parser_(std::make_unique<Parser>()), most_unparsed_(limits.header) {
  parser_->http.body_limit(limits.body);
  parser_->http.header_limit(limits.header);
}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::refuse(int status, std::string why) {
  refused_ = true;
  refusal_ = {status, std::move(why)};
  return State::kRefused;
}

// Checks the requirements of RFC 9110 and 9112 for a header that Beast does not check.
bool RequestReader::accept_header() {
  const auto& message = parser_->http.get();
  const auto count = [&](http::field field) {
    const auto range = message.equal_range(field);
    return std::distance(range.first, range.second);
  };
  const long hosts = count(http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() >= 11)) {
    refuse(400, hosts == 0 ? "the request has no Host" : "the request has more than one Host");
  } else if (const long codings = count(http::field::transfer_encoding); codings > 0) {
    if (count(http::field::content_length) > 0) {
      refuse(400, "the request has both Content-Length and Transfer-Encoding");
    } else if (message.version() < 11) {
      refuse(400, "HTTP/1.0 has no Transfer-Encoding");
    } else if (codings > 1 || !same(message[http::field::transfer_encoding], "chunked")) {
      refuse(501, "the only transfer coding that is known is chunked");
    }
  }
  if (refused_) return false;
  if (count(http::field::content_encoding) > 0 && !same(message[http::field::content_encoding], "identity")) {
    refuse(415, "a body with a content coding is not read");
    return false;
  }
  if (count(http::field::expect) > 0 && message.version() >= 11) {
    if (!same(message[http::field::expect], "100-continue")) {
      refuse(417, "the only expectation that is known is 100-continue");
      return false;
    }
    expects_continue_ = true;
  }
  return true;
}

RequestReader::State RequestReader::feed(std::string& bytes) {
  if (refused_) return State::kRefused;
  auto& parser = parser_->http;
  size_t begin = 0;
  State state = State::kNeedsMore;
  while (begin < bytes.size() && !parser.is_done()) {
    boost::system::error_code failure;
    // Beast has no limit for the size line of a chunk with its extensions, nor for trailers, and parses each of them
    // only when it is complete. After the header, it gets only as many bytes as one of them may have.
    const size_t given = header_accepted_ ? std::min(bytes.size() - begin, most_unparsed_) : bytes.size() - begin;
    const size_t used = parser.put(boost::asio::buffer(bytes.data() + begin, given), failure);
    begin += used;
    if (!header_accepted_) header_size_ += used;
    if (header_accepted_ && failure == http::error::need_more && given == most_unparsed_) {
      if (used > 0) continue;
      refuse(431, "the extensions of a chunk or the trailers are too large");
      break;
    }
    if (!header_accepted_ && parser.is_header_done()) {
      // Beast compares the first line and the fields with the limit separately if they arrive at once.
      if (header_size_ > most_unparsed_) {
        refuse(431, "the header is too large");
        break;
      }
      if (!accept_header()) break;
      header_accepted_ = true;
      parser.eager(true);  // from here on, returns as much of the body as is available
    }
    if (failure == http::error::need_more || (!failure && used == 0)) break;
    if (!failure) continue;
    if (failure == http::error::body_limit)
      refuse(413, "the body is too large");
    else if (failure == http::error::header_limit || failure == http::error::buffer_overflow)
      refuse(431, "the header is too large");
    else if (failure == http::error::bad_version)
      refuse(505, "the only version that is known is HTTP/1.1");
    else
      refuse(400, failure.message());
    break;
  }
  bytes.erase(0, begin);
  if (refused_)
    state = State::kRefused;
  else if (parser.is_done())
    state = State::kDone;
  return state;
}

bool RequestReader::has_header() const {
  return header_accepted_;
}

bool RequestReader::take_expectation() {
  return std::exchange(expects_continue_, false) && !parser_->http.is_done();
}

std::string_view RequestReader::method() const {
  const auto text = parser_->http.get().method_string();
  return {text.data(), text.size()};
}

std::string_view RequestReader::target() const {
  const auto text = without_authority(parser_->http.get().target());
  return {text.data(), text.size()};
}

bool RequestReader::keep_alive() const {
  return parser_->http.get().keep_alive();
}

bool RequestReader::old() const {
  return parser_->http.get().version() < 11;
}

std::string_view RequestReader::field(std::string_view name) const {
  const auto& message = parser_->http.get();
  const auto found = message.find(beast::string_view(name.data(), name.size()));
  if (found == message.end()) return {};
  const auto value = found->value();
  return {value.data(), value.size()};
}

std::string_view RequestReader::body() const {
  return parser_->http.get().body();
}

size_t RequestReader::body_memory() const {
  return parser_->http.get().body().capacity();
}

size_t RequestReader::expected_body() const {
  const size_t arrived = parser_->http.get().body().size();
  if (!header_accepted_) return arrived;
  const auto declared = parser_->http.content_length();
  return declared ? std::max<size_t>(arrived, *declared) : arrived;
}

}  // namespace sunup::server
