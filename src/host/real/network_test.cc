#include "host/real/network.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "host/real/files.h"
#include "host/real/socket.h"
#include "host/real/test_dir.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Accepts one connection on its own thread and calls `serve` with it.
class OneShotServer {
 public:
  explicit OneShotServer(std::function<void(int fd)> serve) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(fd_, 8) != 0) std::abort();
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serve = std::move(serve)] {
      const int peer = ::accept(fd_, nullptr, nullptr);
      if (peer < 0) return;
      serve(peer);
      ::close(peer);
    });
  }
  ~OneShotServer() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  uint16_t port() const { return port_; }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }

 private:
  int fd_;
  uint16_t port_ = 0;
  std::thread thread_;
};

// A port that refuses connections. It is bound, so that no other program can listen there.
class RefusingPort {
 public:
  RefusingPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) std::abort();
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  uint16_t port() const { return port_; }

 private:
  Fd fd_;
  uint16_t port_ = 0;
};

std::string read_request(int fd) {
  std::string request;
  char c;
  while (!request.ends_with("\r\n\r\n") && ::read(fd, &c, 1) == 1) request += c;
  return request;
}
void say(int fd, std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}

struct RealNetwork : testing::Test {
  RealNetwork() { ::signal(SIGPIPE, SIG_IGN); }  // as Machine does
  std::unique_ptr<Loop> loop = std::move(*Loop::open());
  Network network{*loop};

  Result<HttpReply> get(std::string url, Duration limit = 30s) {
    HttpRequest request{.url = std::move(url), .headers = {{"Metadata", "true"}}, .limit = limit};
    return loop->run(network.request(std::move(request)));
  }
};

TEST_F(RealNetwork, GetSendsHeadersAndGivesStatusAndBody) {
  std::string seen;
  Result<HttpReply> reply = Error("none");
  {
    OneShotServer server([&](int fd) {
      seen = read_request(fd);
      say(fd, "HTTP/1.1 404 Not Found\r\nX-A: b\r\nContent-Length: 4\r\n\r\nbody");
    });
    reply = get(server.url("/metadata/instance?api-version=1"));
  }
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->body, "body");
  EXPECT_THAT(seen, HasSubstr("GET /metadata/instance?api-version=1 HTTP/1.1\r\n"));
  EXPECT_THAT(seen, HasSubstr("Metadata: true\r\n"));
}

TEST_F(RealNetwork, UnderstandsChunksInSmallPiecesAndBodiesThatEndWithTheConnection) {
  {
    OneShotServer server([](int fd) {
      read_request(fd);
      for (const char c :
           std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"))
        say(fd, {&c, 1});
    });
    EXPECT_EQ(get(server.url("/"))->body, "abcdefg");
  }
  OneShotServer server([](int fd) {
    read_request(fd);
    say(fd, "HTTP/1.1 200 OK\r\n\r\nuntil the end");
  });
  EXPECT_EQ(get(server.url("/"))->body, "until the end");
}

TEST_F(RealNetwork, BrokenSilentAndEndlessServersAreErrors) {
  {
    OneShotServer mute([](int fd) { read_request(fd); });
    EXPECT_THAT(get(mute.url("/")).error().what, HasSubstr("there is no response"));
  }
  {
    OneShotServer endless([](int fd) {
      read_request(fd);
      say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=" + std::string(200'000, 'x'));
      read_request(fd);  // until the client closes
    });
    EXPECT_THAT(get(endless.url("/")).error().what, HasSubstr("too long"));
  }
  {
    OneShotServer cut([](int fd) {
      read_request(fd);
      say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
    });
    EXPECT_THAT(get(cut.url("/")).error().what, HasSubstr("incomplete"));
  }
  {
    OneShotServer nonsense([](int fd) {
      read_request(fd);
      say(fd, "220 mail.example ESMTP\r\n");
    });
    EXPECT_FALSE(get(nonsense.url("/")));
  }
  {
    OneShotServer silent([](int fd) { read_request(fd), read_request(fd); });
    EXPECT_EQ(get(silent.url("/"), 20ms).error().os_errno, ETIMEDOUT);
  }
  OneShotServer huge([](int fd) {
    read_request(fd);
    say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
  });
  HttpRequest request{.url = huge.url("/"), .max_body = 1000};
  EXPECT_FALSE(loop->run(network.request(std::move(request))));
}

TEST_F(RealNetwork, ASuccessIsHandedOnInPiecesAndAFailureIsNot) {
  std::string taken;
  int status = 0;
  const auto ask = [&](const char* answer, Result<void> verdict) {
    OneShotServer server([&](int fd) {
      read_request(fd);
      say(fd, answer);
    });
    HttpRequest request{.url = server.url("/"), .limit = 30s};
    request.on_body = [&](const HttpReply& head, std::string_view piece) {
      status = head.status;
      taken.append(piece).append(head.header("x-name"));
      return verdict;
    };
    return loop->run(network.request(std::move(request)));
  };
  const auto whole = ask("HTTP/1.1 206 Partial\r\nX-Name: n\r\nContent-Length: 4\r\n\r\nbody", {});
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_EQ(taken, "bodyn");
  EXPECT_EQ(status, 206);
  EXPECT_EQ(whole->body, "");
  EXPECT_EQ(ask("HTTP/1.1 404 No\r\nContent-Length: 4\r\n\r\ngone", {})->body, "gone");
  const auto refused = ask("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", Error::from_errno(ENOSPC, "writing"));
  EXPECT_EQ(refused.error().os_errno, ENOSPC);
  taken.clear();
  EXPECT_THAT(ask("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", {}).error().what, HasSubstr("incomplete"));
  EXPECT_EQ(taken, "short");  // the received part counts: a download resumes from there
}

TEST_F(RealNetwork, APlainRequestGoesThroughAProxyWithItsPassword) {
  std::string seen;
  Result<HttpReply> reply = Error("none");
  {
    OneShotServer proxy([&](int fd) {
      seen = read_request(fd);
      say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    HttpRequest request{.url = "http://far.example/x?y", .limit = 30s};
    request.proxy = "http://user:p%40ss@127.0.0.1:" + std::to_string(proxy.port()) + "/";
    reply = loop->run(network.request(std::move(request)));
  }
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_THAT(seen, HasSubstr("GET http://far.example/x?y HTTP/1.1\r\nHost: far.example\r\n"));
  EXPECT_THAT(seen, HasSubstr("Proxy-Authorization: Basic dXNlcjpwQHNz\r\n"));
}

TEST_F(RealNetwork, ErrorsDoNotShowQueriesAndPasswords) {
  const RefusingPort port;
  const std::string place = "127.0.0.1:" + std::to_string(port.port());
  const auto refused = get("http://user:s3cret@" + place + "/a?sig=s3cret");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, testing::Not(HasSubstr("s3cret")));
  EXPECT_THAT(refused.error().what, HasSubstr("http://" + place + "/a"));
}

TEST_F(RealNetwork, AConnectionNoticesThatItsPeerHasVanished) {
  const OneShotServer server([](int) {});
  const auto fd = loop->run(connect(*loop, *SocketAddress::of("127.0.0.1", server.port())));
  ASSERT_TRUE(fd) << fd.error().what;
  const auto option = [&](int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(fd->get(), level, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_LE(option(IPPROTO_TCP, TCP_KEEPIDLE) + option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT),
            60);
}

TEST_F(RealNetwork, RefusedConnectionSaysSo) {
  const RefusingPort port;
  const auto refused = loop->run(network.connects("127.0.0.1", port.port()));
  EXPECT_EQ(refused.error().os_errno, ECONNREFUSED);
}

// A server that drops requests for a connection until take_one() is called: its queue is full.
class FullServer {
 public:
  FullServer() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    if (::bind(fd_.get(), to(), size) != 0 || ::listen(fd_.get(), 0) != 0) std::abort();
    ::getsockname(fd_.get(), to(), &size);
    first_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(first_.get(), to(), size) != 0) std::abort();
  }
  uint16_t port() const { return ntohs(address_.sin_port); }
  void take_one() const { const Fd taken(::accept(fd_.get(), nullptr, nullptr)); }
  // The local ends of the connections for which nobody has answered.
  std::set<std::string> unanswered() const {
    std::ifstream table("/proc/net/tcp");
    const std::string remote = fmt::format("0100007F:{:04X}", port());
    std::set<std::string> found;
    for (std::string line; std::getline(table, line);) {
      std::istringstream fields(line);
      std::string number, local, peer, state;
      fields >> number >> local >> peer >> state;
      if (peer == remote && state == "02") found.insert(local);
    }
    return found;
  }

 private:
  sockaddr* to() { return reinterpret_cast<sockaddr*>(&address_); }
  sockaddr_in address_{};
  Fd fd_, first_;
};

// The kernel would repeat its request less and less often, so a new connection is begun.
TEST_F(RealNetwork, AConnectionThatNobodyAnswersIsBegunAgain) {
  const FullServer server;
  Network impatient(*loop, 20ms);
  std::set<std::string> seen;
  const auto until_second = [&]() -> Task<Result<void>> {
    while (seen.size() < 2) {
      co_await loop->after(1ms);
      seen.merge(server.unanswered());
    }
    server.take_one();
    const Slot<bool> never(*loop);
    co_await never;
    co_return Result<void>();
  };
  auto either = [&]() -> Task<Result<void>> {
    auto first = co_await first_of(*loop, impatient.connects("127.0.0.1", server.port()), until_second());
    co_return first.index() == 0 ? std::get<0>(first) : std::get<1>(first);
  };
  const auto connected = loop->run(within(*loop, 20s, either(), "a second connection"));
  EXPECT_TRUE(connected) << connected.error().what;
  EXPECT_GE(seen.size(), 2u);
}

TEST_F(RealNetwork, BadUrlsAreRefusedBeforeAnythingIsSent) {
  for (const char* bad : {"ftp://x/", "http://", "http://h:99999/", "http://h/a b", "http://h/\r\nX: y"})
    EXPECT_FALSE(get(bad)) << bad;
}

TEST_F(RealNetwork, ADatagramWaitsUntilItsReceiverHasRoom) {
  const TestingDir dir;
  const std::string path = dir / "socket";
  const Fd receiver(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto address = SocketAddress::parse(path);
  ASSERT_EQ(::bind(receiver.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->length), 0);
  // The kernel queues a limited number of datagrams, and the receiver does not read yet.
  const Fd sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(sender.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->length), 0);
  int queued = 0;
  while (::send(sender.get(), "x", 1, 0) == 1) ++queued;
  ASSERT_EQ(errno, EAGAIN);
  auto sends = network.send(path, "MESSAGE=late\n");
  EXPECT_FALSE(loop->run(within(*loop, 20ms, std::move(sends), "room")));

  auto again = network.send(path, "MESSAGE=in time\n");
  loop->call_at(loop->now() + 5ms, [&] {
    char text[64];
    for (int i = 0; i < queued; ++i) (void)::recv(receiver.get(), text, sizeof text, 0);
  });
  ASSERT_TRUE(loop->run(std::move(again)));
  char text[64];
  const ssize_t size = ::recv(receiver.get(), text, sizeof text, 0);
  EXPECT_EQ(std::string_view(text, static_cast<size_t>(std::max<ssize_t>(size, 0))), "MESSAGE=in time\n");
}

TEST_F(RealNetwork, ADatagramForNobodyIsAnError) {
  const TestingDir dir;
  EXPECT_EQ(loop->run(network.send(dir / "socket", "x")).error().os_errno, ENOENT);
}

TEST_F(RealNetwork, LooksUpNamesAndLiterals) {
  const auto local = loop->run(network.lookup("localhost"));
  ASSERT_TRUE(local);
  EXPECT_FALSE(local->empty());
  EXPECT_EQ((*loop->run(network.lookup("10.1.2.3")))[0], "10.1.2.3");
  EXPECT_FALSE(loop->run(within(*loop, 30s, network.lookup("no-such-name.invalid"), "lookup")));
}

// A temporary certificate for 127.0.0.1.
struct Certificate {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* x509 = X509_new();
  // `shift`: the number of seconds by which its validity is moved.
  explicit Certificate(long shift = 0, const char* name = "test") {
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), shift - 3600);
    X509_gmtime_adj(X509_getm_notAfter(x509), shift + 3600);
    X509_set_pubkey(x509, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    X509_set_issuer_name(x509, X509_get_subject_name(x509));
    X509_EXTENSION* san = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(x509, san, -1);
    X509_EXTENSION_free(san);
    X509_sign(x509, key, EVP_sha256());
  }
  ~Certificate() {
    X509_free(x509);
    EVP_PKEY_free(key);
  }
  std::string pem() const {
    BIO* text = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(text, x509);
    char* data = nullptr;
    const long size = BIO_get_mem_data(text, &data);
    std::string out(data, static_cast<size_t>(size));
    BIO_free(text);
    return out;
  }
  void write(const std::string& path) const {
    FILE* file = ::fopen(path.c_str(), "w");
    PEM_write_X509(file, x509);
    ::fclose(file);
  }
  void write_with_key(const std::string& path) const {
    FILE* file = ::fopen(path.c_str(), "w");
    PEM_write_X509(file, x509);
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    ::fclose(file);
  }
  // `client`: the only client that is accepted; null: any client.
  void serve_once(int fd, const Certificate* client = nullptr) const {
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    if (client != nullptr) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), client->x509);
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    SSL_CTX_use_certificate(context, x509);
    SSL_CTX_use_PrivateKey(context, key);
    SSL* ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    char byte;
    if (SSL_accept(ssl) == 1 && SSL_read(ssl, &byte, 1) == 1) {
      const std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
      SSL_write(ssl, answer.data(), static_cast<int>(answer.size()));
    }
    SSL_free(ssl);
    SSL_CTX_free(context);
  }
};

TEST_F(RealNetwork, TlsProbeVerifiesAgainstTheGivenAuthorityOnly) {
  const Certificate good;
  const Certificate other;
  TestingDir dir;
  good.write(dir / "good.pem");
  other.write(dir / "other.pem");
  auto probe = [&](const std::string& ca_file) {
    OneShotServer server([&](int fd) { good.serve_once(fd); });
    return loop->run(network.handshakes("127.0.0.1", server.port(), ca_file));
  };
  const auto verified = probe(dir / "good.pem");
  ASSERT_TRUE(verified) << verified.error().what;
  EXPECT_TRUE(verified->verified);
  EXPECT_EQ(verified->subject, "/CN=test");
  EXPECT_FALSE(probe(dir / "other.pem"));
  const auto any = probe("");
  ASSERT_TRUE(any);
  EXPECT_FALSE(any->verified);
}

TEST_F(RealNetwork, GetSpeaksTls) {
  const Certificate certificate;
  TestingDir dir;
  certificate.write(dir / "ca.pem");
  OneShotServer server([&](int fd) { certificate.serve_once(fd); });
  HttpRequest request{
      .url = "https://127.0.0.1:" + std::to_string(server.port()) + "/", .limit = 30s, .ca_file = dir / "ca.pem"};
  const auto reply = loop->run(network.request(std::move(request)));
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "ok");
}

TEST_F(RealNetwork, GetTrustsTheAuthoritiesOfATextAndNoOthers) {
  const Certificate good;
  const Certificate other(0, "other");
  const auto ask = [&](const std::string& authorities) {
    OneShotServer server([&](int fd) { good.serve_once(fd); });
    HttpRequest request{.url = "https://127.0.0.1:" + std::to_string(server.port()) + "/", .limit = 30s};
    request.ca_pem = authorities;
    return loop->run(network.request(std::move(request)));
  };
  const auto reply = ask("of the service\n" + other.pem() + good.pem());
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "ok");
  EXPECT_FALSE(ask(other.pem()));
  const std::string broken = good.pem().replace(40, 1, "?");
  for (const std::string& text : {std::string("no certificate"), broken, good.pem() + broken}) {
    const auto refused = ask(text);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("reading the given authorities"));
  }
}

TEST_F(RealNetwork, TlsNamesTheClockIfACertificateIsNotValidNow) {
  for (const long shift : {86400L * 400, -86400L * 400}) {
    const Certificate certificate(shift);
    TestingDir dir;
    certificate.write(dir / "ca.pem");
    OneShotServer server([&](int fd) { certificate.serve_once(fd); });
    const auto peer = loop->run(network.handshakes("127.0.0.1", server.port(), dir / "ca.pem"));
    ASSERT_FALSE(peer);
    EXPECT_NE(peer.error().what.find("the clock says 20"), std::string::npos) << peer.error().what;
    EXPECT_NE(peer.error().what.find(shift > 0 ? "not valid before 20" : "valid only until 20"), std::string::npos)
        << peer.error().what;
    EXPECT_NE(peer.error().hint.find("clock"), std::string::npos);
  }
}

TEST_F(RealNetwork, GetProvesWhoAsks) {
  const Certificate certificate;
  const Certificate client;
  const Certificate stranger;
  TestingDir dir;
  certificate.write(dir / "ca.pem");
  client.write_with_key(dir / "client.pem");
  stranger.write_with_key(dir / "stranger.pem");
  const auto ask = [&](const std::string& file) {
    OneShotServer server([&](int fd) { certificate.serve_once(fd, &client); });
    HttpRequest request{.url = "https://127.0.0.1:" + std::to_string(server.port()) + "/", .limit = 30s};
    request.ca_file = dir / "ca.pem";
    request.client_certificate = file;
    request.client_key = file;
    return loop->run(network.request(std::move(request)));
  };
  const auto reply = ask(dir / "client.pem");
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "ok");
  EXPECT_FALSE(ask(""));
  EXPECT_FALSE(ask(dir / "stranger.pem"));
  EXPECT_FALSE(ask(dir / "ca.pem")) << "it has no key";
}

TEST_F(RealNetwork, TlsGoesThroughATunnelThatTheProxyOpens) {
  const Certificate certificate;
  TestingDir dir;
  certificate.write(dir / "ca.pem");
  std::string seen;
  const auto ask = [&](const char* proxy_says) {
    OneShotServer proxy([&](int fd) {
      seen = read_request(fd);
      say(fd, proxy_says);
      if (std::string_view(proxy_says).find("200") != std::string_view::npos) certificate.serve_once(fd);
    });
    HttpRequest request{.url = "https://127.0.0.1:4443/", .limit = 30s, .ca_file = dir / "ca.pem"};
    request.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
    return loop->run(network.request(std::move(request)));
  };
  const auto reply = ask("HTTP/1.1 200 Connection established\r\n\r\n");
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "ok");
  EXPECT_THAT(seen, HasSubstr("CONNECT 127.0.0.1:4443 HTTP/1.1\r\n"));
  EXPECT_THAT(ask("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n").error().what,
              HasSubstr("the proxy refuses a connection to 127.0.0.1:4443: HTTP status 407"));
}

}  // namespace
}  // namespace sunup::host::real
