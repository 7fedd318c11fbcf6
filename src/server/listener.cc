#include "server/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/url.h"

namespace sunup::server {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  bool loopback = false;
};

std::optional<Address> parse_address(const std::string& text, uint16_t port) {
  Address address;
  const std::string host(without_brackets(text));
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof *v4;
    address.loopback = (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
    return address;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof *v6;
    address.loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    return address;
  }
  return std::nullopt;
}

Error not_an_address(const std::string& text) {
  return Error("'" + text + "' is not an IPv4 or IPv6 address");
}

// Removes the socket file of an earlier server if no process accepts connections on it.
void remove_stale(const sockaddr_un& address) {
  struct stat info{};
  if (lstat(address.sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return;
  const bool refused =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  close(probe);
  if (refused) unlink(address.sun_path);
}

Result<Listener> listen_at(const sockaddr* address, socklen_t size, std::string name) {
  Listener listener{.family = address->sa_family, .name = std::move(name)};
  const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1, off = 0;
  if (fd >= 0 && address->sa_family != AF_UNIX) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd >= 0 && address->sa_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (fd < 0 || bind(fd, address, size) != 0 || listen(fd, 4096) != 0) {
    const int failed = errno;
    if (fd >= 0) close(fd);
    return Error::from_errno(failed, "listening on " + listener.name);
  }
  listener.descriptor = fd;
  return listener;
}

Result<Listener> listen_on_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Error("the path of the socket is too long: " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  remove_stale(address);
  // Access to the socket is access to the API: the file's mode allows only the owner and the group.
  const mode_t before = umask(0117);
  auto listener = listen_at(reinterpret_cast<const sockaddr*>(&address), sizeof address, "unix:" + path);
  umask(before);
  return listener;
}

Result<Listener> listen_on_address(const ServerOptions& options) {
  const auto address = parse_address(options.address, options.port);
  if (!address) return not_an_address(options.address);
  const std::string host = url_host(without_brackets(options.address));
  auto listener = listen_at(reinterpret_cast<const sockaddr*>(&address->storage), address->size,
                            host + ":" + std::to_string(options.port));
  if (!listener) return listener;
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(listener->descriptor, reinterpret_cast<sockaddr*>(&bound), &size);
  listener->port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                                     : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  listener->name = host + ":" + std::to_string(listener->port);
  return listener;
}

}  // namespace

Result<void> check_exposure(const ServerOptions& options) {
  const bool tls = !options.tls.certificate.empty();
  if (tls != !options.tls.key.empty()) return Error("a TLS certificate and its key are given together");
  if (!options.tls.client_ca.empty() && !tls)
    return Error("client certificates need TLS").with_hint("give --tls-certificate and --tls-key");
  if (!options.cluster.url.empty() && options.cluster.ca_file.empty())
    return Error("the API server of --cluster gets the tokens of callers, so its certificate must be verified")
        .with_hint(
            "give --cluster-ca with the CA of the cluster (certificate-authority-data of a kubeconfig, decoded)");
  if (options.address.empty() && options.unix_socket.empty()) return Error("there is no address to listen on");
  if (options.address.empty()) return {};
  const auto address = parse_address(options.address, options.port);
  if (!address) return not_an_address(options.address);
  if (address->loopback || options.insecure) return {};
  const bool authenticated = !options.tls.client_ca.empty() || !options.cluster.url.empty();
  if (tls && authenticated) return {};
  return Error("listening on " + options.address + " needs TLS and authentication: requests hold the tokens of nodes")
      .with_hint(
          "give --tls-certificate and --tls-key, and --client-ca or --cluster; or --insecure where the network is "
          "trusted");
}

Result<std::vector<Listener>> open_listeners(const ServerOptions& options) {
  if (auto fine = check_exposure(options); !fine) return std::move(fine).error();
  std::vector<Listener> listeners;
  const auto add = [&](Result<Listener> opened) -> Result<void> {
    if (opened) {
      listeners.push_back(*std::move(opened));
      return {};
    }
    for (const Listener& other : listeners) close(other.descriptor);
    return std::move(opened).error();
  };
  if (!options.address.empty())
    if (auto added = add(listen_on_address(options)); !added) return std::move(added).error();
  if (!options.unix_socket.empty())
    if (auto added = add(listen_on_unix(options.unix_socket)); !added) return std::move(added).error();
  return listeners;
}

}  // namespace sunup::server
