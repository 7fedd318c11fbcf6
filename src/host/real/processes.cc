#include "host/real/processes.h"

#include <utility>

#include "host/real/child.h"

namespace sunup::host::real {

// The handle of the caller.
class ChildHandle : public Process {
 public:
  ChildHandle(Processes& owner, std::shared_ptr<Child> child) : owner_(owner), child_(std::move(child)) {}
  ~ChildHandle() override {
    if (child_->running()) owner_.adopt(child_);
  }
  pid_t pid() const override { return child_->pid(); }
  Result<void> signal(int number) override { return child_->signal(number); }
  bool terminate() override {
    if (!child_->running()) return false;
    child_->terminate();
    return true;
  }
  Task<Result<Exit>> wait() override {
    Slot<bool> ended = child_->ended();
    co_await ended;
    co_return std::move(child_->exit());
  }

 private:
  Processes& owner_;
  std::shared_ptr<Child> child_;
};

Result<std::unique_ptr<Process>> Processes::start(Command command) {
  auto child =
      std::make_shared<Child>(loop_, std::move(command), [this](const std::shared_ptr<Child>& ended) { gone(ended); });
  if (auto started = child->start(); !started) return std::move(started).error();
  return std::unique_ptr<Process>(new ChildHandle(*this, std::move(child)));
}

void Processes::adopt(std::shared_ptr<Child> child) {
  child->abandon();
  child->terminate();
  dying_.insert(std::move(child));
}

void Processes::gone(const std::shared_ptr<Child>& child) {
  if (dying_.erase(child) != 0 && dying_.empty())
    for (const Slot<bool>& waiter : std::exchange(waiting_, {})) waiter.set(true);
}

Task<void> Processes::settled() {
  if (dying_.empty()) co_return;
  Slot<bool> done(loop_);
  waiting_.push_back(done);
  co_await done;
}

Processes::~Processes() {
  for (const auto& child : dying_) child->kill_and_reap();
}

}  // namespace sunup::host::real
