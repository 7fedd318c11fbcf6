// Changes of network interfaces, as the kernel reports them through netlink.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <deque>

#include "host/real/stream.h"
#include "host/real/watch.h"

namespace sunup::host::real {
namespace {

// The alignment that netlink requires of its messages.
struct alignas(nlmsghdr) Datagram {
  char bytes[16384];
};

std::string name_of(const nlmsghdr& message) {
  const auto* about = static_cast<const ifinfomsg*>(NLMSG_DATA(&message));
  auto left = static_cast<int>(IFLA_PAYLOAD(&message));
  for (const rtattr* one = IFLA_RTA(about); RTA_OK(one, left); one = RTA_NEXT(one, left)) {
    if (one->rta_type != IFLA_IFNAME) continue;
    const auto* text = static_cast<const char*>(RTA_DATA(one));
    return {text, ::strnlen(text, RTA_PAYLOAD(one))};
  }
  return {};
}

class Links : public LinkChanges {
 public:
  Links(Loop& loop, Fd news) : loop_(loop), news_(std::move(news)) {}

  Task<Result<LinkChange>> next() override {
    while (heard_.empty()) {
      if (auto ready = co_await fd_ready(loop_, news_.get(), EPOLLIN); !ready) co_return std::move(ready).error();
      if (auto read = read_all(); !read) co_return std::move(read).error();
    }
    LinkChange first = std::move(heard_.front());
    heard_.pop_front();
    co_return first;
  }

 private:
  Result<void> read_all() {
    Datagram datagram;
    while (true) {
      const ssize_t size = ::recv(news_.get(), datagram.bytes, sizeof datagram.bytes, 0);
      if (size > 0) {
        take(datagram, static_cast<size_t>(size));
      } else if (size < 0 && errno == EINTR) {
        continue;
      } else if (size == 0 || errno == EAGAIN) {
        return {};
      } else {
        return Error::from_errno(errno, "listening for changes of network interfaces");
      }
    }
  }

  void take(const Datagram& datagram, size_t size) {
    for (const auto* one = reinterpret_cast<const nlmsghdr*>(datagram.bytes); NLMSG_OK(one, size);
         one = NLMSG_NEXT(one, size)) {
      const bool about_link = one->nlmsg_type == RTM_NEWLINK || one->nlmsg_type == RTM_DELLINK;
      if (!about_link || one->nlmsg_len < NLMSG_LENGTH(sizeof(ifinfomsg))) continue;
      const auto* about = static_cast<const ifinfomsg*>(NLMSG_DATA(one));
      if ((about->ifi_flags & IFF_LOOPBACK) != 0) continue;
      const bool there = one->nlmsg_type == RTM_NEWLINK;
      heard_.push_back({.name = name_of(*one),
                        .there = there,
                        .up = there && (about->ifi_flags & IFF_UP) != 0 && (about->ifi_flags & IFF_RUNNING) != 0});
    }
  }

  Loop& loop_;
  const Fd news_;
  std::deque<LinkChange> heard_;
};

}  // namespace

Result<std::unique_ptr<LinkChanges>> Watch::link_changes() {
  Fd news(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
  sockaddr_nl groups{};
  groups.nl_family = AF_NETLINK;
  groups.nl_groups = RTMGRP_LINK;
  if (!news || ::bind(news.get(), reinterpret_cast<sockaddr*>(&groups), sizeof groups) != 0)
    return Error::from_errno(errno, "listening for changes of network interfaces");
  return std::unique_ptr<LinkChanges>(new Links(loop_, std::move(news)));
}

}  // namespace sunup::host::real
