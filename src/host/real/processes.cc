#include "host/real/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

namespace sunup::host::real {
namespace {

// Not glibc's wrapper: that symbol is newer than the glibc of the oldest image we run on.
int pidfd_open(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno(errno, "pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// Only in directories that PATH names from the root: what stands in the working directory is never meant.
std::optional<std::string> find_program(const std::string& name, const std::vector<std::string>& env) {
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  for (const std::string& variable : env)
    if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
  while (true) {
    const size_t colon = path.find(':');
    std::string candidate = std::string(path.substr(0, colon)) + "/" + name;
    if (path.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) return std::nullopt;
    path.remove_prefix(colon + 1);
  }
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (std::string& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

// posix_spawn's two bags of settings, freed whatever happens.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

Result<pid_t> spawn(Command& command, int in, int out, int err) {
  const std::optional<std::string> program = find_program(command.argv[0], command.env);
  if (!program) return Error::from_errno(ENOENT, "starting " + command.argv[0]);
  SpawnSettings settings;
  if (in >= 0)
    ::posix_spawn_file_actions_adddup2(&settings.actions, in, 0);
  else
    ::posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&settings.actions, out, 1);
  ::posix_spawn_file_actions_adddup2(&settings.actions, err, 2);
  if (!command.directory.empty()) ::posix_spawn_file_actions_addchdir_np(&settings.actions, command.directory.c_str());
  // The loop blocks the signals it reads from a descriptor, and ignores SIGPIPE; a child starts as from a shell.
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  sigset_t none;
  sigset_t every;
  ::sigemptyset(&none);
  ::sigfillset(&every);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &every);
  if (command.own_group) {
    flags |= POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  }
  ::posix_spawnattr_setflags(&settings.attributes, flags);

  const std::vector<char*> argv = pointers(command.argv);
  const std::vector<char*> env = pointers(command.env);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program->c_str(), &settings.actions, &settings.attributes, argv.data(), env.data());
  if (error != 0) return Error::from_errno(error, "starting " + command.argv[0]);
  if (command.background) {
    const sched_param idle{};
    ::sched_setscheduler(pid, SCHED_IDLE, &idle);
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19);
    ::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, pid, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
  }
  return pid;
}

}  // namespace

// How long a process may take to die of SIGKILL.
constexpr Duration kDeath = std::chrono::seconds(5);

// One child, from its start until it is reaped; kept alive by whoever still cares.
class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(Loop& loop, Processes& owner, Command command)
      : loop_(loop), owner_(owner), command_(std::move(command)), ended_(loop) {}
  ~Child() {
    if (timer_ != 0) loop_.cancel(timer_);
  }

  Result<void> start();
  pid_t pid() const { return pid_; }
  bool running() const { return !finished_; }
  Result<void> signal(int number);
  void terminate();  // SIGTERM now, SIGKILL after the grace
  void abandon() {   // nobody wants to hear from it any more
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

  Loop& loop_;
  Processes& owner_;
  Command command_;
  pid_t pid_ = 0;
  bool reaped_ = false;    // the child itself has ended
  bool finished_ = false;  // and so has whatever else was to be waited for
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

Result<void> Child::start() {
  if (command_.argv.empty()) return Error("no program to start");
  Result<Pipe> out = make_pipe();
  if (!out) return std::move(out).error();
  Result<Pipe> err = make_pipe();
  if (!err) return std::move(err).error();
  Pipe in;
  if (command_.input) {
    Result<Pipe> made = make_pipe();
    if (!made) return std::move(made).error();
    in = std::move(*made);
  }
  Result<pid_t> pid = spawn(command_, in.read.get(), out->write.get(), err->write.get());
  if (!pid) return std::move(pid).error();
  pid_ = *pid;
  pidfd_ = Fd(pidfd_open(pid_));
  if (!pidfd_) {
    Error error = Error::from_errno(errno, "pidfd_open");
    kill_and_reap();
    return error;
  }

  out_.fd = std::move(out->read);
  err_ = Output{Stream::kErr, std::move(err->read), {}};
  for (Output* output : {&out_, &err_}) {
    ::fcntl(output->fd.get(), F_SETFL, O_NONBLOCK);
    auto watch = FdWatch::open(loop_, output->fd.get(), EPOLLIN, [this, output](uint32_t) {
      const auto alive = shared_from_this();
      read_output(*output, false);
    });
    if (!watch) return kill_and_reap(), std::move(watch).error();
    output->watch = std::move(*watch);
  }
  if (command_.input) {
    in_ = std::move(in.write);
    ::fcntl(in_.get(), F_SETFL, O_NONBLOCK);
    auto watch = FdWatch::open(loop_, in_.get(), EPOLLOUT, [this](uint32_t) { write_input(); });
    if (!watch) return kill_and_reap(), std::move(watch).error();
    in_watch_ = std::move(*watch);
  }
  auto watch = FdWatch::open(loop_, pidfd_.get(), EPOLLIN, [this](uint32_t) {
    const auto alive = shared_from_this();
    reap();
  });
  if (!watch) return kill_and_reap(), std::move(watch).error();
  pid_watch_ = std::move(*watch);

  if (command_.limit > Duration::zero())
    timer_ = loop_.call_at(loop_.now() + command_.limit, [this] {
      timer_ = 0;
      exit_.timed_out = true;
      terminate();
    });
  return {};
}

Result<void> Child::signal(int number) {
  if (finished_ || (reaped_ && !command_.own_group)) return {};  // of its group, somebody may still be there
  if (::kill(command_.own_group ? -pid_ : pid_, number) != 0 && errno != ESRCH)
    return Error::from_errno(errno, fmt::format("signalling process {}", pid_));
  return {};
}

void Child::terminate() {
  if (finished_) return;
  (void)signal(SIGTERM);
  if (timer_ != 0) loop_.cancel(timer_);
  timer_ = loop_.call_at(loop_.now() + command_.grace, [this] {
    timer_ = 0;
    exit_.killed = true;
    (void)signal(SIGKILL);
    const auto alive = shared_from_this();
    if (reaped_) {
      finish();  // who still holds its output has left its group
      return;
    }
    // In the hands of a disk that hangs it does not die even of that. Whoever waits has more to do than to wait for it.
    timer_ = loop_.call_at(loop_.now() + kDeath, [this] {
      timer_ = 0;
      owner_.gone(shared_from_this());
    });
  });
}

void Child::read_output(Output& output, bool to_the_end) {
  char buffer[64 * 1024];
  // One buffer a turn, so that a child that never stops talking does not hold up the loop.
  do {
    const ssize_t got = ::read(output.fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      output.watch.reset();
      output.fd.reset();
      if (reaped_ && !out_.fd && !err_.fd) finish();
      return;
    }
    const std::string_view piece(buffer, static_cast<size_t>(got));
    std::string& kept = output.stream == Stream::kOut ? exit_.out : exit_.err;
    kept.append(piece);
    // Cut only when it has doubled: cutting with every piece would copy the whole of it each time.
    if (kept.size() > 2 * command_.keep) kept.erase(0, kept.size() - command_.keep);
    if (command_.on_output) command_.on_output(output.stream, piece);
  } while (to_the_end && output.fd);
}

void Child::write_input() {
  const std::string& input = *command_.input;
  const ssize_t written = ::write(in_.get(), input.data() + input_written_, input.size() - input_written_);
  if (written > 0) input_written_ += static_cast<size_t>(written);
  const bool broken = written < 0 && errno != EAGAIN && errno != EINTR;  // it does not want (all of) it
  if (broken || input_written_ == input.size()) {
    in_watch_.reset();
    in_.reset();
  }
}

void Child::reap() {
  siginfo_t info{};
  if (::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG) != 0 ||
      info.si_pid == 0)
    return;
  reaped_ = true;
  if (info.si_code == CLD_EXITED)
    exit_.code = info.si_status;
  else
    exit_.signal = info.si_status;
  pid_watch_.reset();
  if (!command_.until_output_ends || (!out_.fd && !err_.fd)) finish();
}

void Child::finish() {
  if (std::exchange(finished_, true)) return;
  // What it has said is in the pipes. A grandchild may hold them open for ever: it is not waited for.
  for (Output* output : {&out_, &err_}) {
    if (output->fd) read_output(*output, true);
    output->watch.reset();
    output->fd.reset();
  }
  for (std::string* kept : {&exit_.out, &exit_.err})
    if (kept->size() > command_.keep) kept->erase(0, kept->size() - command_.keep);
  pid_watch_.reset();
  in_watch_.reset();
  in_.reset();
  if (timer_ != 0) loop_.cancel(std::exchange(timer_, 0));
  ended_.set(true);
  owner_.gone(shared_from_this());
}

void Child::kill_and_reap() {
  if (reaped_ || pid_ == 0) return;
  (void)signal(SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  reaped_ = finished_ = true;
}

// What the caller holds.
class ChildHandle : public Process {
 public:
  ChildHandle(Processes& owner, std::shared_ptr<Child> child) : owner_(owner), child_(std::move(child)) {}
  ~ChildHandle() override {
    if (child_->running()) owner_.adopt(child_);
  }
  pid_t pid() const override { return child_->pid(); }
  Result<void> signal(int number) override { return child_->signal(number); }
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
  auto child = std::make_shared<Child>(loop_, *this, std::move(command));
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
