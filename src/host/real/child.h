// One child process, from its start until it is reaped. Every user of the child holds a reference.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "host/processes.h"
#include "host/real/fd.h"
#include "host/real/loop.h"

namespace sunup::host::real {

class Child : public std::enable_shared_from_this<Child> {
 public:
  // `gone` is called when the child and everything else to wait for have ended, or when it is given up.
  using Gone = std::function<void(const std::shared_ptr<Child>&)>;
  Child(Loop& loop, Command command, Gone gone)
      : loop_(loop), command_(std::move(command)), gone_(std::move(gone)), ended_(loop) {}
  ~Child() {
    if (timer_ != 0) loop_.cancel(timer_);
  }

  Result<void> start();
  pid_t pid() const { return pid_; }
  bool running() const { return !finished_ && !given_up_; }
  Result<void> signal(int number);
  void terminate();  // SIGTERM now, SIGKILL after the grace period
  void abandon() {   // its result and output are no longer wanted
    command_.on_output = {};
    in_watch_.reset();
    in_.reset();
  }
  void kill_and_reap();
  Slot<bool> ended() const { return ended_; }
  Exit& exit() { return exit_; }

 private:
  struct Output {
    Stream stream = Stream::kOut;
    Fd fd;
    FdWatch watch;
  };
  void read_output(Output& output, bool to_the_end);
  void write_input();
  void reap();
  void finish();
  void give_up();

  Loop& loop_;
  Command command_;
  const Gone gone_;
  pid_t pid_ = 0;
  bool reaped_ = false;    // the child itself has ended
  bool finished_ = false;  // the child and everything else to wait for have ended
  bool given_up_ = false;  // it does not end, and is no longer waited for
  Fd pidfd_;
  FdWatch pid_watch_;
  Output out_;
  Output err_;
  Fd in_;
  FdWatch in_watch_;
  size_t input_written_ = 0;
  Loop::TimerId timer_ = 0;
  Exit exit_;
  Slot<bool> ended_;
};

}  // namespace sunup::host::real
