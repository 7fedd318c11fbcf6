// The machine's network addresses. Netlink reports when one is added.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <functional>

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

// Calls `is_wanted` with each address of this machine until it returns true.
bool any_of_machine(const std::function<bool(const ifaddrs&)>& is_wanted) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next)
    found = one->ifa_addr != nullptr && is_wanted(*one);
  ::freeifaddrs(all);
  return found;
}

bool is_there(const Address& address) {
  return any_of_machine([&](const ifaddrs& one) {
    if (one.ifa_addr->sa_family != address.family) return false;
    const void* bytes = address.family == AF_INET
                            ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(one.ifa_addr)->sin_addr)
                            : static_cast<const void*>(&reinterpret_cast<sockaddr_in6*>(one.ifa_addr)->sin6_addr);
    return std::memcmp(bytes, address.bytes, address.size) == 0;
  });
}

// Excludes 127.0.0.0/8, 169.254.0.0/16, ::1 and fe80::/10, which do not reach other networks.
bool is_reachable(const ifaddrs& one) {
  if ((one.ifa_flags & IFF_UP) == 0 || (one.ifa_flags & IFF_LOOPBACK) != 0) return false;
  if (one.ifa_addr->sa_family == AF_INET) {
    const uint32_t address = ntohl(reinterpret_cast<sockaddr_in*>(one.ifa_addr)->sin_addr.s_addr);
    return address >> 24 != 127 && address >> 16 != 0xA9FE && address != 0;
  }
  if (one.ifa_addr->sa_family != AF_INET6) return false;
  const in6_addr& address = reinterpret_cast<sockaddr_in6*>(one.ifa_addr)->sin6_addr;
  return !IN6_IS_ADDR_LOOPBACK(&address) && !IN6_IS_ADDR_LINKLOCAL(&address);
}

// Waits until `look` returns true. Netlink reports when it has to be called again.
Task<Result<void>> look_until(Loop& loop, std::function<bool()> look) {
  if (look()) co_return Result<void>();
  const Fd news(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
  sockaddr_nl groups{};
  groups.nl_family = AF_NETLINK;
  groups.nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (!news || ::bind(news.get(), reinterpret_cast<sockaddr*>(&groups), sizeof groups) != 0)
    co_return Error::from_errno(errno, "listening for addresses");
  // Subscribe before reading the state, or a change in between is missed. A message only means that the state must be
  // read again, also if messages were lost.
  while (!look()) {
    if (auto ready = co_await fd_ready(loop, news.get(), EPOLLIN); !ready) co_return ready;
    char heard[8192];
    while (::recv(news.get(), heard, sizeof heard, 0) > 0) {
    }
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<void>> Watch::address_appears(std::string address) {
  Result<Address> wanted = parse(address);
  if (!wanted) co_return std::move(wanted).error();
  co_return co_await look_until(loop_, [wanted = *wanted] { return is_there(wanted); });
}

Task<Result<void>> Watch::any_address() {
  return look_until(loop_, [] { return any_of_machine(is_reachable); });
}

}  // namespace sunup::host::real
