#include "host/real/machine.h"

#include <sys/stat.h>

#include <cerrno>
#include <csignal>

#include "host/real/boot.h"

namespace sunup::host::real {

Result<std::unique_ptr<Machine>> Machine::open(std::string root) {
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  if (root.empty()) root.push_back('/');
  struct stat st;
  if (::stat(root.c_str(), &st) != 0) return Error::from_errno(errno, "root " + root);
  if (!S_ISDIR(st.st_mode)) return Error::from_errno(ENOTDIR, "root " + root);
  Result<std::unique_ptr<Loop>> loop = Loop::open();
  if (!loop) return std::move(loop).error();
  // A closed peer or child is an errno of write() instead of a signal that ends the process. Children get the default
  // handling.
  ::signal(SIGPIPE, SIG_IGN);
  Result<std::string> boot = boot_id();
  if (!boot) return std::move(boot).error();
  return std::unique_ptr<Machine>(new Machine(std::move(*loop), std::move(root), *std::move(boot)));
}

Machine::Machine(std::unique_ptr<Loop> loop, std::string root, std::string boot)
    : root_(std::move(root)),
      loop_(std::move(loop)),
      files_(*loop_, root_),
      processes_(*loop_),
      units_(*loop_),
      kernel_(files_, processes_),
      network_(*loop_),
      watch_(*loop_, root_),
      work_(*loop_),
      host_{.loop = *loop_,
            .files = files_,
            .processes = is_left_alone() ? static_cast<host::Processes&>(left_alone_) : processes_,
            .units = is_left_alone() ? static_cast<host::Units&>(left_alone_) : units_,
            .kernel = is_left_alone() ? static_cast<host::Kernel&>(left_alone_) : kernel_,
            .network = is_left_alone() ? static_cast<host::Network&>(left_alone_) : network_,
            .watch = watch_,
            .work = work_,
            .boot_id = std::move(boot)} {}

}  // namespace sunup::host::real
