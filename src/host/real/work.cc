#include "host/real/work.h"

namespace sunup::host::real {

Task<void> Work::run(std::function<void()> function) {
  if (!thread_.joinable()) {
    Result<std::thread> started = start_thread([this] { serve(); });
    if (started) thread_ = std::move(*started);
  }
  if (!thread_.joinable()) {
    function();  // no thread is available: run it in this thread
    co_return;
  }
  Slot<bool> done(loop_);
  {
    const std::lock_guard guard(mutex_);
    jobs_.push_back([inbox = loop_.inbox(), function = std::move(function), done] {
      function();
      inbox->put([done] { done.set(true); });
    });
  }
  changed_.notify_one();
  co_await done;
}

void Work::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (closing_) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

Work::~Work() {
  {
    const std::lock_guard guard(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace sunup::host::real
