#include "fleet/sources/connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <thread>
#include <utility>

#include "base/validity.h"
#include "contract/x509.h"

namespace sunup::fleet {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

struct Lookup {
  int code = 0;
  Addresses addresses;
};

int milliseconds_left(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::min<long long>(left, 600000));
}

Error out_of_time(std::string what) {
  Error error(std::move(what));
  error.os_errno = kOutOfTime;
  return error;
}

Lookup get_addresses(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  Lookup lookup;
  lookup.code = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (lookup.code == 0) lookup.addresses.reset(list);
  return lookup;
}

// getaddrinfo has no deadline, so it runs in another thread; the result of a late lookup is dropped.
Result<Addresses> look_up(const HttpUrl& url, Clock::time_point deadline) {
  // A literal address needs no DNS lookup and no time; the connection attempt gives the result.
  if (Lookup literal = get_addresses(url.host, std::to_string(url.port), AI_NUMERICHOST | AI_NUMERICSERV);
      literal.code == 0)
    return std::move(literal.addresses);
  auto promise = std::make_shared<std::promise<Lookup>>();
  auto future = promise->get_future();
  std::thread([promise, host = url.host, port = std::to_string(url.port)] {
    promise->set_value(get_addresses(host, port, 0));
  }).detach();
  if (future.wait_until(deadline) != std::future_status::ready)
    return out_of_time(fmt::format("looking up {}: no response from DNS in time", url.host));
  Lookup lookup = future.get();
  if (lookup.code != 0) return Error(fmt::format("looking up {}: {}", url.host, gai_strerror(lookup.code)));
  return std::move(lookup.addresses);
}

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
};

Result<void> trust(SSL_CTX* context, const std::string& pem) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  int count = 0;
  while (true) {
    const std::unique_ptr<X509, FreeX509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (certificate == nullptr) break;
    X509_STORE_add_cert(store, certificate.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return Error("the CA bundle contains no PEM certificate");
  return {};
}

int send_without_signal(BIO* bio, const char* bytes, int size) {
  int fd = -1;
  BIO_get_fd(bio, &fd);
  BIO_clear_retry_flags(bio);
  const int sent = static_cast<int>(send(fd, bytes, static_cast<size_t>(size), MSG_NOSIGNAL));
  if (sent <= 0 && BIO_sock_should_retry(sent) != 0) BIO_set_retry_write(bio);
  return sent;
}

// With OpenSSL's socket BIO, a write to a server that has closed the connection ends the program (SIGPIPE). This BIO
// does not, and leaves encryption to OpenSSL (no kTLS). The signal cannot be ignored instead, because that would affect
// the whole program, which the signal must terminate if the next program of a pipeline ends.
const BIO_METHOD* socket_method() {
  static const BIO_METHOD* const kMethod = [] {
    const BIO_METHOD* plain = BIO_s_socket();
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "fleet socket");
    if (made == nullptr) return plain;
    BIO_meth_set_write(made, send_without_signal);
    BIO_meth_set_read(made, BIO_meth_get_read(plain));
    BIO_meth_set_ctrl(made, BIO_meth_get_ctrl(plain));
    BIO_meth_set_create(made, BIO_meth_get_create(plain));
    BIO_meth_set_destroy(made, BIO_meth_get_destroy(plain));
    return static_cast<const BIO_METHOD*>(made);
  }();
  return kMethod;
}

std::string ssl_reason() {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "the connection was closed" : reason;
}

// Describes the problem if a certificate of the peer is rejected because of the clock; otherwise empty.
std::string clock_problem(const std::vector<std::string>& chain_pem, long verdict) {
  if (verdict != X509_V_ERR_CERT_NOT_YET_VALID && verdict != X509_V_ERR_CERT_HAS_EXPIRED) return "";
  const std::time_t now = ::time(nullptr);
  for (const std::string& pem : chain_pem)
    for (const contract::Certificate& certificate : contract::read_certificates(pem))
      if (std::string problem = validity_problem({certificate.not_before, certificate.not_after}, now);
          !problem.empty())
        return problem;
  return kClockWord + (" " + utc_text(now));  // the authority's own certificate
}

}  // namespace

Connection::Connection(Connection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), context_(std::move(other.context_)), ssl_(std::move(other.ssl_)) {}

Connection::~Connection() {
  ssl_.reset();
  if (socket_ >= 0) close(socket_);
}

Result<Connection> Connection::open(const HttpUrl& url, const HttpOptions& options, Clock::time_point deadline) {
  auto addresses = look_up(url, deadline);
  if (!addresses) return std::move(addresses).error();
  Error last("no address");
  for (const addrinfo* address = addresses->get(); address != nullptr; address = address->ai_next) {
    const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      last = Error::from_errno(errno, "opening a socket");
      continue;
    }
    Connection connection(fd);
    const std::string doing = fmt::format("connecting to {} port {}", url.host, url.port);
    if (connect(fd, address->ai_addr, address->ai_addrlen) != 0) {
      if (errno != EINPROGRESS) {
        last = Error::from_errno(errno, doing);
        continue;
      }
      if (auto ready = connection.wait_for(POLLOUT, deadline); !ready) {
        last = std::move(ready).error().in(doing);
        continue;
      }
      int failure = 0;
      socklen_t size = sizeof failure;
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size);
      if (failure != 0) {
        last = Error::from_errno(failure, doing);
        continue;
      }
    }
    if (url.tls) {
      if (auto shaken = connection.shake_hands(url, options, deadline); !shaken)
        return std::move(shaken).error().in(fmt::format("TLS with {}", url.host));
    }
    return Result<Connection>(std::move(connection));
  }
  return last;
}

Result<void> Connection::shake_hands(const HttpUrl& url, const HttpOptions& options, Clock::time_point deadline) {
  context_.reset(SSL_CTX_new(TLS_client_method()));
  if (context_ == nullptr) return Error("out of memory");
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  if (!options.ca_pem.empty()) {
    if (auto trusted = trust(context_.get(), options.ca_pem); !trusted) return trusted;
  } else if (options.verify) {
    SSL_CTX_set_default_verify_paths(context_.get());
  }
  SSL_CTX_set_verify(context_.get(), options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  ssl_.reset(SSL_new(context_.get()));
  BIO* bio = ssl_ == nullptr ? nullptr : BIO_new(socket_method());
  if (bio == nullptr) return Error("out of memory");
  SSL_clear_options(ssl_.get(), SSL_OP_ENABLE_KTLS);
  BIO_set_fd(bio, socket_, BIO_NOCLOSE);
  SSL_set_bio(ssl_.get(), bio, bio);  // it takes ownership
  X509_VERIFY_PARAM* parameters = SSL_get0_param(ssl_.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, url.host.c_str()) != 1) {
    SSL_set1_host(ssl_.get(), url.host.c_str());
    SSL_set_tlsext_host_name(ssl_.get(), url.host.c_str());
  }
  ERR_clear_error();
  while (true) {
    const int result = SSL_connect(ssl_.get());
    if (result == 1) return {};
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (auto more = after_ssl(result, deadline); !more) {
      if (options.verify && verdict != X509_V_OK) {
        Error error(fmt::format("the server's certificate is not trusted: {}", X509_verify_cert_error_string(verdict)));
        if (const std::string clock = clock_problem(peer_chain_pem(), verdict); !clock.empty())
          error.what += ": " + clock;
        error.os_errno = kNotTrusted;
        return error;
      }
      return more;
    }
  }
}

Result<void> Connection::wait_for(short events, Clock::time_point deadline) const {
  while (true) {
    pollfd waiting{socket_, events, 0};
    const int left = milliseconds_left(deadline);
    const int ready = poll(&waiting, 1, left);  // data that has already arrived counts, even after the deadline
    if (ready > 0) return {};
    if (ready == 0) return out_of_time("no response in time");
    if (errno != EINTR) return Error::from_errno(errno, "waiting");
  }
}

Result<void> Connection::after_ssl(int result, Clock::time_point deadline) const {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return wait_for(POLLIN, deadline);
    case SSL_ERROR_WANT_WRITE:
      return wait_for(POLLOUT, deadline);
    default:
      return Error(ssl_reason());
  }
}

Result<void> Connection::write(std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    if (ssl_ != nullptr) {
      const int sent = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (sent > 0)
        bytes.remove_prefix(static_cast<size_t>(sent));
      else if (auto more = after_ssl(sent, deadline); !more)
        return more;
      continue;
    }
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      if (auto ready = wait_for(POLLOUT, deadline); !ready) return ready;
    } else {
      return Error::from_errno(errno, "sending");
    }
  }
  return {};
}

Result<size_t> Connection::read(char* into, size_t size, Clock::time_point deadline) {
  while (true) {
    if (ssl_ != nullptr) {
      const int got = SSL_read(ssl_.get(), into, static_cast<int>(size));
      if (got > 0) return static_cast<size_t>(got);
      const int why = SSL_get_error(ssl_.get(), got);
      if (why == SSL_ERROR_ZERO_RETURN) return size_t{0};
      if (auto more = after_ssl(got, deadline); !more) return std::move(more).error();
      continue;
    }
    const ssize_t got = recv(socket_, into, size, 0);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EAGAIN && errno != EINTR) return Error::from_errno(errno, "receiving");
    if (auto ready = wait_for(POLLIN, deadline); !ready) return std::move(ready).error();
  }
}

bool Connection::is_silent() const {
  pollfd state{socket_, POLLIN | POLLRDHUP, 0};
  return (ssl_ == nullptr || SSL_pending(ssl_.get()) == 0) && poll(&state, 1, 0) == 0;
}

std::vector<std::string> Connection::peer_chain_pem() const {
  std::vector<std::string> chain;
  if (ssl_ == nullptr) return chain;
  const STACK_OF(X509)* certificates = SSL_get_peer_cert_chain(ssl_.get());
  for (int i = 0; i < sk_X509_num(certificates); ++i) {
    const std::unique_ptr<BIO, FreeBio> bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), sk_X509_value(certificates, i));
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    chain.emplace_back(text, static_cast<size_t>(size));
  }
  return chain;
}

}  // namespace sunup::fleet
