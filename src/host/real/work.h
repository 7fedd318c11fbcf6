// The one worker thread of the real machine, started with its first job.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "host/real/loop.h"
#include "host/work.h"

namespace sunup::host::real {

class Work : public host::Work {
 public:
  explicit Work(Loop& loop) : loop_(loop) {}
  ~Work() override;  // waits for the running job, drops those that have not begun

  Task<void> run(std::function<void()> function) override;

 private:
  void serve();

  Loop& loop_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool closing_ = false;
};

}  // namespace sunup::host::real
