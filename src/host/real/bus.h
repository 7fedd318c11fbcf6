// A connection to systemd on the loop: method calls as tasks, signals as callbacks.
//
// Root connects to the manager directly (/run/systemd/private). This needs no broker and works before the system bus
// exists, which matters early in the boot. Other users, and root if that socket is missing, use the bus.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "host/real/loop.h"
#include "host/real/sdbus.h"

namespace sunup::host::real {

class Bus : public std::enable_shared_from_this<Bus> {
 public:
  // Holds its own reference.
  class Message {
   public:
    Message() = default;
    Message(const SdBus& sd, sd_bus_message* message) : sd_(&sd), message_(sd.sd_bus_message_ref(message)) {}
    Message(Message&& other) noexcept : sd_(other.sd_), message_(std::exchange(other.message_, nullptr)) {}
    Message& operator=(Message&& other) noexcept {
      std::swap(sd_, other.sd_);
      std::swap(message_, other.message_);
      return *this;
    }
    ~Message() {
      if (message_ != nullptr) sd_->sd_bus_message_unref(message_);
    }
    sd_bus_message* get() const { return message_; }

   private:
    const SdBus* sd_ = nullptr;
    sd_bus_message* message_ = nullptr;
  };
  using Append = std::function<int(const SdBus&, sd_bus_message*)>;

  static Result<std::shared_ptr<Bus>> connect(Loop& loop);
  ~Bus();

  const SdBus& sd() const { return sd_; }
  bool broken() const { return broken_; }
  void when_broken(std::function<void()> callback) { when_broken_ = std::move(callback); }

  // A call to the manager or another of its objects; `append` adds the arguments.
  Task<Result<Message>> call(std::string path, std::string interface, std::string member, Append append,
                             Duration limit = std::chrono::seconds(90));

  // A call without a wait for its reply.
  Result<void> send(const char* path, const char* interface, const char* member);

  // Calls back for every such signal from systemd, as long as the Match exists. Empty path: from any object.
  class Match {
   public:
    Match(const SdBus& sd, std::function<void(sd_bus_message*)> callback) : sd_(sd), callback_(std::move(callback)) {}
    ~Match() {
      if (slot_ != nullptr) sd_.sd_bus_slot_unref(slot_);
    }
    Match(const Match&) = delete;

   private:
    friend class Bus;
    const SdBus& sd_;
    std::function<void(sd_bus_message*)> callback_;
    sd_bus_slot* slot_ = nullptr;
  };
  Result<std::unique_ptr<Match>> match(const std::string& path, const char* interface, const char* member,
                                       std::function<void(sd_bus_message*)> callback);

 private:
  Bus(Loop& loop, const SdBus& sd, sd_bus* bus) : loop_(loop), sd_(sd), bus_(bus) {}
  Result<void> attach();
  void process();
  void update();  // updates the events that the connection waits for

  Loop& loop_;
  const SdBus& sd_;
  sd_bus* bus_;
  FdWatch watch_;
  Loop::TimerId timer_ = 0;
  bool broken_ = false;
  std::function<void()> when_broken_;
};

}  // namespace sunup::host::real
