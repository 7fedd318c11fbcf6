// The machine's network addresses. Netlink reports when one is added.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "host/real/stream.h"
#include "host/real/watch.h"

namespace sunup::host::real {
namespace {

struct Address {
  int family = AF_UNSPEC;
  unsigned char bytes[sizeof(in6_addr)] = {};
  size_t size = 0;
};

Result<Address> parse(const std::string& text) {
  Address address;
  for (const auto& [family, size] : {std::pair(AF_INET, sizeof(in_addr)), std::pair(AF_INET6, sizeof(in6_addr))}) {
    if (::inet_pton(family, text.c_str(), address.bytes) != 1) continue;
    address.family = family;
    address.size = size;
    return address;
  }
  return Error("not an address: " + text);
}

bool is_there(const Address& address) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != address.family) continue;
    const void* bytes = address.family == AF_INET
                            ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(one->ifa_addr)->sin_addr)
                            : static_cast<const void*>(&reinterpret_cast<sockaddr_in6*>(one->ifa_addr)->sin6_addr);
    found = std::memcmp(bytes, address.bytes, address.size) == 0;
  }
  ::freeifaddrs(all);
  return found;
}

}  // namespace

Task<Result<void>> Watch::address_appears(std::string address) {
  Result<Address> wanted = parse(address);
  if (!wanted) co_return std::move(wanted).error();
  if (is_there(*wanted)) co_return Result<void>();
  const Fd news(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
  sockaddr_nl groups{};
  groups.nl_family = AF_NETLINK;
  groups.nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (!news || ::bind(news.get(), reinterpret_cast<sockaddr*>(&groups), sizeof groups) != 0)
    co_return Error::from_errno(errno, "listening for addresses");
  // Subscribe before reading the state, or a change in between is missed. A message only means that the state must be
  // read again, also if messages were lost.
  while (!is_there(*wanted)) {
    Result<void> ready = co_await fd_ready(loop_, news.get(), EPOLLIN);
    if (!ready) co_return ready;
    char heard[8192];
    while (::recv(news.get(), heard, sizeof heard, 0) > 0) {
    }
  }
  co_return Result<void>();
}

}  // namespace sunup::host::real
