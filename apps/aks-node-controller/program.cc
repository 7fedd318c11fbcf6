#include "program.h"
#include "base/node_paths.h"

#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "controller/os_reason.h"
#include "controller/own_output.h"
#include "host/real/boot.h"

namespace sunup {
namespace {

mode_t current_umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

}  // namespace

Program::Program(std::unique_ptr<host::real::Loop> loop, const std::string& root)
    : loop_(std::move(loop)),
      files_(*loop_, root),
      callers_files_(*loop_, "/"),
      processes_(*loop_),
      watch_(*loop_, root),
      units_(*loop_),
      kernel_(files_, processes_),
      network_(*loop_),
      work_(*loop_),
      host_{.loop = *loop_,
            .files = files_,
            .processes = root.empty() ? static_cast<host::Processes&>(processes_) : left_alone_,
            .units = root.empty() ? static_cast<host::Units&>(units_) : left_alone_,
            .kernel = root.empty() ? static_cast<host::Kernel&>(kernel_) : left_alone_,
            .network = root.empty() ? static_cast<host::Network&>(network_) : left_alone_,
            .watch = watch_,
            .work = work_,
            .boot_id = {}},
      log_files_(&files_),
      log_path_(paths::kLog),
      log_([this] { return node_.now(); },
           [this](std::string_view line) {
             // A log that cannot be written (a full disk) is not a reason to stop: stderr contains the same lines.
             if (node_.leaves_traces) (void)log_files_->append(log_path_, line, 0644 & ~node_.umask);
             controller::pass_to_stderr(line);
           }),
      node_{.loop = *loop_,
            .files = files_,
            .callers_files = callers_files_,
            .processes = processes_,
            .watch = watch_,
            .host = host_,
            .log = log_,
            .redactor = redactor_,
            .root = root,
            .version = SUNUP_VERSION,
            .umask = current_umask()} {
  log_.redact_with(redactor_);
}

Result<std::unique_ptr<Program>> Program::open(const std::string& root, bool keeps_log) {
  auto loop = host::real::Loop::open();
  if (!loop) return std::move(loop).error();
  std::unique_ptr<Program> program(new Program(std::move(*loop), root));
  if (keeps_log)
    if (auto opened = program->open_log(); !opened) return std::move(opened).error();
  program->write_on_when_read();
  return program;
}

void Program::write_on_when_read() {
  controller::watch_unread_with([this](controller::UnreadOutput& output) {
    auto watch = host::real::FdWatch::open(*loop_, output.fd(), EPOLLOUT, [this, &output](uint32_t) {
      output.write_some();
      if (!output.waiting()) unread_.erase(output.fd());
    });
    if (watch) unread_[output.fd()] = std::move(*watch);
  });
}

void Program::finish_output() {
  if (const uint64_t unread = controller::finish_output(); unread > 0)
    log_.warn("the end of the output is dropped: its reader is stalled", {{"bytes", std::to_string(unread)}});
}

controller::Node& Program::node_to_provision() {
  auto boot = host::real::boot_id();
  if (boot)
    host_.boot_id = *std::move(boot);
  else
    node_.boot_trouble = std::move(boot).error();
  return node_;
}

// Every invocation creates the file, even if it logs nothing. If its directory cannot be made, the file is created in
// the working directory.
Result<void> Program::open_log() {
  if (!files_.make_directories(paths::kLogDirectory, 0755)) {
    char here[4096];
    log_files_ = &callers_files_;
    log_path_ = std::string(getcwd(here, sizeof here) != nullptr ? here : "") + "/" + paths::kLogName;
  }
  if (const auto opened = log_files_->append(log_path_, "", 0644 & ~node_.umask); !opened)
    return Error("failed to open log file: open " + log_path_ + ": " + controller::os_reason(opened.error().os_errno));
  return {};
}

int exit_as(Program& program, const controller::Outcome& outcome) {
  if (outcome.signal == 0) return outcome.exit_code;
  program.finish_output();
  ::signal(outcome.signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, outcome.signal);
  ::raise(outcome.signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::_exit(128 + outcome.signal);
}

}  // namespace sunup
