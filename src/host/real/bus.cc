#include "host/real/bus.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sunup::host::real {
namespace {

constexpr const char* kManager = "org.freedesktop.systemd1";
constexpr const char* kPrivateSocket = "/run/systemd/private";

Error unreachable(int error, std::string_view how) {
  Error result = Error::from_errno(error, fmt::format("systemd cannot be reached over {}", how));
  result.os_errno = ENOTCONN;
  return std::move(result).with_hint("units need a running systemd; in a container without one use --root or scripts");
}

// A pending call. Destroying it discards the reply.
struct Pending {
  const SdBus& sd;
  sd_bus* bus;
  Slot<Bus::Message> answer;
  sd_bus_slot* slot = nullptr;
  bool cut_off = false;  // the connection ended before the reply
  ~Pending() {
    if (slot != nullptr) sd.sd_bus_slot_unref(slot);
  }
  static int answered(sd_bus_message* message, void* self, sd_bus_error*) {
    auto* pending = static_cast<Pending*>(self);
    pending->cut_off = pending->sd.sd_bus_is_open(pending->bus) <= 0;
    pending->answer.set(Bus::Message(pending->sd, message));
    return 1;
  }
};

}  // namespace

Result<std::shared_ptr<Bus>> Bus::connect(Loop& loop) {
  Result<const SdBus*> loaded = SdBus::load();
  if (!loaded) return std::move(loaded).error();
  const SdBus& sd = **loaded;
  sd_bus* raw = nullptr;
  int status = -ENOENT;
  if (::geteuid() == 0 && ::access(kPrivateSocket, F_OK) == 0) {
    status = sd.sd_bus_new(&raw);
    if (status >= 0) status = sd.sd_bus_set_address(raw, fmt::format("unix:path={}", kPrivateSocket).c_str());
    if (status >= 0) status = sd.sd_bus_start(raw);
    if (status < 0 && raw != nullptr) sd.sd_bus_unref(std::exchange(raw, nullptr));
  }
  if (status < 0) {
    status = sd.sd_bus_open_system(&raw);
    if (status < 0) return unreachable(-status, "the system bus");
  }
  std::shared_ptr<Bus> bus(new Bus(loop, sd, raw));
  if (auto attached = bus->attach(); !attached) return std::move(attached).error();
  return bus;
}

Bus::~Bus() {
  watch_.reset();
  if (timer_ != 0) loop_.cancel(timer_);
  sd_.sd_bus_close(bus_);  // not flushed: callers that need a reply have waited for it
  sd_.sd_bus_unref(bus_);
}

Result<void> Bus::attach() {
  const int fd = sd_.sd_bus_get_fd(bus_);
  if (fd < 0) return unreachable(-fd, "its socket");
  Result<FdWatch> watch = FdWatch::open(loop_, fd, EPOLLIN, [this](uint32_t) { process(); });
  if (!watch) return std::move(watch).error();
  watch_ = std::move(*watch);
  update();
  return {};
}

void Bus::process() {
  while (!broken_) {
    const int status = sd_.sd_bus_process(bus_, nullptr);
    if (status > 0) continue;
    if (status == 0) break;
    broken_ = true;
    watch_.reset();
    if (timer_ != 0) loop_.cancel(std::exchange(timer_, 0));
    if (when_broken_) loop_.post(when_broken_);
  }
  update();
}

void Bus::update() {
  if (broken_) return;
  const int events = sd_.sd_bus_get_events(bus_);
  watch_.set_events((events & POLLIN ? EPOLLIN : 0U) | (events & POLLOUT ? EPOLLOUT : 0U));
  if (timer_ != 0) loop_.cancel(std::exchange(timer_, 0));
  uint64_t until_us = UINT64_MAX;
  if (sd_.sd_bus_get_timeout(bus_, &until_us) >= 0 && until_us != UINT64_MAX)
    timer_ = loop_.call_at(TimePoint(std::chrono::microseconds(until_us)), [this] {
      timer_ = 0;
      process();
    });
}

Task<Result<Bus::Message>> Bus::call(std::string path, std::string interface, std::string member, Append append,
                                     Duration limit) {
  const std::shared_ptr<Bus> self = shared_from_this();  // a call outlives the connection if that is replaced
  sd_bus_message* raw = nullptr;
  int status =
      sd_.sd_bus_message_new_method_call(bus_, &raw, kManager, path.c_str(), interface.c_str(), member.c_str());
  if (status < 0) co_return unreachable(-status, "D-Bus");
  const Message request(sd_, raw);
  sd_.sd_bus_message_unref(raw);
  if (append) status = append(sd_, request.get());
  Pending pending{sd_, bus_, Slot<Message>(loop_)};
  if (status >= 0) {
    const auto us = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(limit).count());
    status = sd_.sd_bus_call_async(bus_, &pending.slot, request.get(), Pending::answered, &pending, us);
  }
  if (status < 0) co_return unreachable(-status, "D-Bus");
  // The call is in the connection's queue. The first process() sends it, at the start of the next loop iteration.
  loop_.post([bus = std::weak_ptr<Bus>(self)] {
    if (const auto alive = bus.lock()) alive->process();
  });
  Message answer = co_await pending.answer;
  if (const sd_bus_error* error = sd_.sd_bus_message_get_error(answer.get()); error != nullptr) {
    Error failed(fmt::format("{}: {}", member, error->message != nullptr ? error->message : error->name));
    failed.os_errno = pending.cut_off                                                        ? ENOTCONN
                      : std::strcmp(error->name, "org.freedesktop.systemd1.NoSuchUnit") == 0 ? ENOENT
                      : std::strcmp(error->name, SD_BUS_ERROR_NO_REPLY) == 0                 ? ETIMEDOUT
                                                                                             : EPROTO;
    co_return failed;
  }
  co_return std::move(answer);
}

Result<void> Bus::send(const char* path, const char* interface, const char* member) {
  sd_bus_message* raw = nullptr;
  int status = sd_.sd_bus_message_new_method_call(bus_, &raw, kManager, path, interface, member);
  if (status < 0) return unreachable(-status, "D-Bus");
  const Message request(sd_, raw);
  sd_.sd_bus_message_unref(raw);
  status = sd_.sd_bus_call_async(bus_, nullptr, request.get(), nullptr, nullptr, 0);
  if (status < 0) return unreachable(-status, "D-Bus");
  return {};
}

Result<std::unique_ptr<Bus::Match>> Bus::match(const std::string& path, const char* interface, const char* member,
                                               std::function<void(sd_bus_message*)> callback) {
  auto made = std::make_unique<Match>(sd_, std::move(callback));
  const auto on_signal = [](sd_bus_message* message, void* self, sd_bus_error*) {
    static_cast<Match*>(self)->callback_(message);
    return 0;
  };
  // The rule has no sender: messages on the direct connection have none.
  const int status = sd_.sd_bus_match_signal_async(bus_, &made->slot_, nullptr, path.empty() ? nullptr : path.c_str(),
                                                   interface, member, on_signal, nullptr, made.get());
  if (status < 0) return unreachable(-status, "D-Bus");
  return made;
}

}  // namespace sunup::host::real
