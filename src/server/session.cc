// A connection: a coroutine that reads requests one after the other and writes their responses.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/url.h"
#include "server/core.h"
#include "server/exchange.h"
#include "server/response_text.h"
#include "service/answers.h"

namespace sunup::server {
namespace {

using Clock = std::chrono::steady_clock;
using Socket = asio::generic::stream_protocol::socket;
using TlsStream = asio::ssl::stream<Socket>;
using service::ApiResponse;

constexpr auto kWait = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds kFarewell{1};  // to send the reason why a connection is closed

std::string peer_name(int descriptor) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  char text[INET6_ADDRSTRLEN] = {};
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return "";
  if (peer.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(peer);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return fmt::format("{}:{}", text, ntohs(v4.sin_port));
  }
  if (peer.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(peer);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return fmt::format("{}:{}", url_host(text), ntohs(v6.sin6_port));
  }
  return "unix";
}

// The part of Sessions::body_bytes that one request uses.
class Charge {
 public:
  explicit Charge(std::shared_ptr<Sessions> sessions) : sessions_(std::move(sessions)) {}
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() { set(0); }

  void set(size_t bytes) {
    sessions_->body_bytes += bytes - mine_;
    mine_ = bytes;
  }

 private:
  const std::shared_ptr<Sessions> sessions_;
  size_t mine_ = 0;
};

template <class Stream>
class HttpSession final : public Session, public std::enable_shared_from_this<HttpSession<Stream>> {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  template <class... Arguments>
  explicit HttpSession(Core& core, Arguments&&... stream)
      : core_(core),
        sessions_(core.sessions),
        stream_(std::forward<Arguments>(stream)...),
        timer_(core.io),
        peer_(peer_name(socket().native_handle())),
        place_(sessions_->idle.insert(sessions_->idle.end(), this)) {}

  ~HttpSession() override { (idle_ ? sessions_->idle : sessions_->busy).erase(place_); }

  void abort() override {
    aborted_ = true;
    boost::system::error_code ignored;
    socket().cancel(ignored);
  }

  asio::awaitable<void> run() {
    if constexpr (kTls) {
      set_idle(false);
      expire_at(Clock::now() + header_time());
      const auto [failed] = co_await stream_.async_handshake(asio::ssl::stream_base::server, kWait);
      if (failed) {
        ++core_.metrics.tls_failures;
        co_return;
      }
      if (X509* certificate = SSL_get1_peer_certificate(stream_.native_handle()); certificate != nullptr) {
        certificate_ = owner_of(certificate);
        X509_free(certificate);
      }
    }
    while (co_await one_request() && !core_.ending && !aborted_) {
      // A client that pipelines requests must not starve the other connections.
      if (!pending_.empty()) co_await asio::post(asio::use_awaitable);
    }
    co_await say_goodbye();
  }

 private:
  auto& socket() {
    if constexpr (kTls)
      return stream_.next_layer();
    else
      return stream_;
  }

  std::chrono::milliseconds header_time() const {
    return std::min(core_.options.limits.header_time, core_.options.limits.request_time);
  }

  void set_idle(bool idle) {
    if (idle == idle_) return;
    auto& from = idle_ ? sessions_->idle : sessions_->busy;
    auto& to = idle ? sessions_->idle : sessions_->busy;
    to.splice(to.end(), from, place_);
    idle_ = idle;
  }

  // Rearms the timer only for an earlier deadline: most deadlines are extended many times before they pass.
  void expire_at(Clock::time_point when) {
    deadline_ = when;
    if (when < armed_) arm(when);
  }

  void arm(Clock::time_point when) {
    armed_ = when;
    timer_.expires_at(when);
    timer_.async_wait([weak = this->weak_from_this()](const boost::system::error_code& failed) {
      const auto self = weak.lock();
      if (failed || !self) return;
      self->armed_ = Clock::time_point::max();
      if (Clock::now() < self->deadline_) return self->arm(self->deadline_);
      self->timed_out_ = true;
      boost::system::error_code ignored;
      self->socket().cancel(ignored);
    });
  }

  // Keeps no more memory than the unparsed bytes need, because connections may wait long.
  static void trim(std::string& text) {
    if (text.capacity() > 1024 && text.capacity() / 4 > text.size()) text.shrink_to_fit();
  }

  // False if the stream has ended or the time limit has passed. Until a header is complete, no more bytes are read than
  // it may have.
  asio::awaitable<bool> read_more(bool has_header) {
    trim(pending_);
    if (timed_out_ || aborted_) co_return false;
    if constexpr (kTls) {
      buffer_.resize(16u << 10);
      const auto [failed, got] = co_await stream_.async_read_some(asio::buffer(buffer_), kWait);
      if (failed) co_return false;
      pending_.append(buffer_.data(), got);
      co_return true;
    } else {
      // An idle connection needs no buffer.
      while (true) {
        boost::system::error_code failed;
        const size_t most = has_header ? core_.scratch.size() : core_.options.limits.request.header;
        const size_t got = stream_.read_some(asio::buffer(core_.scratch, most), failed);
        if (!failed) {
          pending_.append(core_.scratch.data(), got);
          co_return true;
        }
        if (failed != asio::error::would_block && failed != asio::error::interrupted) co_return false;
        const auto [waited] = co_await stream_.async_wait(Socket::wait_read, kWait);
        if (waited || timed_out_ || aborted_) co_return false;
      }
    }
  }

  asio::awaitable<bool> write(std::string_view text) {
    if (timed_out_ || aborted_) co_return false;
    if constexpr (!kTls) {
      boost::system::error_code failed;
      const size_t sent = stream_.write_some(asio::buffer(text), failed);
      if (!failed) text.remove_prefix(sent);
      if (text.empty()) co_return true;
      if (failed && failed != asio::error::would_block) co_return false;
    }
    const auto [failed, sent] = co_await asio::async_write(stream_, asio::buffer(text), kWait);
    co_return !failed;
  }

  // Returns false at the end of the connection.
  asio::awaitable<bool> one_request() {
    RequestReader reader(core_.options.limits.request);
    if (pending_.empty()) {
      set_idle(true);
      expire_at(Clock::now() + core_.options.limits.idle);
      const bool got = !core_.ending && co_await read_more(false);
      set_idle(false);
      if (!got) co_return false;
    }
    const Clock::time_point began = Clock::now();
    expire_at(began + header_time());
    Exchange exchange(core_, began);
    std::optional<ApiResponse> response;
    bool admitted = false;
    Charge charge(sessions_);
    RequestReader::State state = reader.feed(pending_);
    while (!response) {
      if (state == RequestReader::State::kRefused) {
        response = service::refuse(reader.refusal().status, Error(reader.refusal().why));
        break;
      }
      if (reader.has_header() && !admitted) {
        expire_at(began + core_.options.limits.request_time);
        response = co_await exchange.admit(reader, certificate_);
        admitted = true;
        if (response) break;
      }
      if (admitted && reader.expected_body() > exchange.most_body()) {
        response = service::refuse(413, Error("this route needs no body"));
        break;
      }
      // What the client declares is not charged: it might never arrive.
      charge.set(reader.body_memory());
      if (sessions_->body_bytes > core_.options.limits.body_memory) {
        response = service::refuse(503, Error("too many requests are being read"));
        break;
      }
      if (state == RequestReader::State::kDone) break;
      if (reader.take_expectation() && !co_await write("HTTP/1.1 100 Continue\r\n\r\n")) break;
      if (!co_await read_more(reader.has_header())) {
        if (!timed_out_) break;
        response = service::refuse(408, Error("the request took too long"));
        break;
      }
      state = reader.feed(pending_);
    }
    bool keep = false;
    const bool complete = state == RequestReader::State::kDone;
    if (!response && complete) response = co_await exchange.respond(reader);
    charge.set(0);
    if (!response) co_return false;
    // A response is sent even if the time limit of the request has passed. It gets its own limit.
    const bool late = timed_out_;
    timed_out_ = false;
    if (const Clock::time_point farewell = Clock::now() + kFarewell; !complete || late || deadline_ < farewell)
      expire_at(farewell);
    const bool head = reader.has_header() && reader.method() == "HEAD";
    keep = complete && !late && reader.keep_alive() && !core_.ending;
    const std::string text = response_text(*response, {.connection = !keep          ? "close"
                                                                     : reader.old() ? "keep-alive"
                                                                                    : "",
                                                       .without_body = head,
                                                       .request_id = exchange.id(),
                                                       .now = std::time(nullptr)});
    const bool sent = co_await write(text);
    exchange.record(peer_, reader.has_header() ? reader.method() : "none", response->status, reader.body().size(),
                    sent ? text.size() : 0);
    co_return sent&& keep;
  }

  // Closing a socket while data is arriving would discard the last response at the client, so the data is read for a
  // short time.
  asio::awaitable<void> say_goodbye() {
    if (aborted_ || timed_out_) co_return;
    set_idle(true);
    expire_at(Clock::now() + kFarewell);
    if constexpr (kTls) co_await stream_.async_shutdown(kWait);
    boost::system::error_code failed;
    socket().shutdown(Socket::shutdown_send, failed);
    size_t most = core_.options.limits.request.body;
    while (!failed && most > 0 && !timed_out_ && !aborted_) {
      const size_t got = socket().read_some(asio::buffer(core_.scratch), failed);
      most -= std::min(most, got);
      if (failed != asio::error::would_block) continue;
      std::tie(failed) = co_await socket().async_wait(Socket::wait_read, kWait);
    }
  }

  Core& core_;
  const std::shared_ptr<Sessions> sessions_;
  Stream stream_;
  asio::steady_timer timer_;
  const std::string peer_;
  bool idle_ = true;
  std::list<Session*>::iterator place_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point armed_ = Clock::time_point::max();
  bool timed_out_ = false;
  bool aborted_ = false;
  std::string pending_;
  std::string buffer_;
  std::optional<CertificateOwner> certificate_;
};

asio::awaitable<void> serve(Core& core, int descriptor, int family) {
  Socket socket(core.io);
  boost::system::error_code failed;
  socket.assign(asio::generic::stream_protocol(family, family == AF_UNIX ? 0 : IPPROTO_TCP), descriptor, failed);
  if (failed) {
    close(descriptor);
    co_return;
  }
  socket.non_blocking(true);
  const int on = 1;
  if (family != AF_UNIX) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Access to a Unix socket is controlled by the mode of its file, so it needs no TLS.
  if (core.tls && family != AF_UNIX) {
    const TlsContext context = core.tls;
    co_await std::make_shared<HttpSession<TlsStream>>(core, std::move(socket), *context)->run();
  } else {
    co_await std::make_shared<HttpSession<Socket>>(core, std::move(socket))->run();
  }
}

}  // namespace

asio::awaitable<void> serve_connection(Core& core, int descriptor, int family) {
  try {
    co_await serve(core, descriptor, family);
  } catch (const std::exception&) {
    // For example, there was no memory. The connection is closed.
  }
  core.session_ended.cancel();
}

}  // namespace sunup::server
