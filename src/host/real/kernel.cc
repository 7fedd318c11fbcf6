#include "host/real/kernel.h"

#include "host/real/mountinfo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <utility>

namespace sunup::host::real {
namespace {

// The two spellings of a sysctl: with dots between the parts or, if a part contains dots (an interface name), slashes.
std::string sysctl_path(std::string name) {
  if (const size_t first = name.find_first_of("./"); first != std::string::npos && name[first] == '.')
    for (char& c : name) c = c == '.' ? '/' : c == '/' ? '.' : c;
  return "/proc/sys/" + name;
}

struct MountFlag {
  std::string_view name;
  unsigned long flag;
};
constexpr std::array kMountFlags = {
    MountFlag{"bind", MS_BIND},       MountFlag{"rbind", MS_BIND | MS_REC},     MountFlag{"ro", MS_RDONLY},
    MountFlag{"noexec", MS_NOEXEC},   MountFlag{"nosuid", MS_NOSUID},           MountFlag{"nodev", MS_NODEV},
    MountFlag{"noatime", MS_NOATIME}, MountFlag{"relatime", MS_RELATIME},       MountFlag{"remount", MS_REMOUNT},
    MountFlag{"shared", MS_SHARED},   MountFlag{"rshared", MS_SHARED | MS_REC},
};

std::pair<unsigned long, std::string> mount_options(const std::string& options) {
  unsigned long flags = 0;
  std::string rest;
  std::istringstream list(options);
  for (std::string option; std::getline(list, option, ',');) {
    const auto* found =
        std::find_if(kMountFlags.begin(), kMountFlags.end(), [&](const auto& f) { return f.name == option; });
    if (found != kMountFlags.end())
      flags |= found->flag;
    else if (!option.empty() && option != "rw" && option != "defaults")
      rest += (rest.empty() ? "" : ",") + option;
  }
  return {flags, rest};
}

}  // namespace

Result<std::string> Kernel::sysctl(const std::string& name) {
  Result<std::string> value = files_.read(sysctl_path(name));
  if (!value) return std::move(value).error();
  if (value->ends_with('\n')) value->pop_back();
  return value;
}

Result<void> Kernel::set_sysctl(const std::string& name, std::string_view value) {
  return files_.write_in_place(sysctl_path(name), fmt::format("{}\n", value));
}

Result<bool> Kernel::module_loaded(const std::string& name) {
  std::string canonical = name;
  std::replace(canonical.begin(), canonical.end(), '-', '_');
  return files_.exists("/sys/module/" + canonical);
}

// modprobe handles dependencies, aliases, options, block lists and compressed modules. It costs a fork, so it is not
// called for a module that is already loaded.
Task<Result<void>> Kernel::load_modules(std::vector<std::string> names) {
  std::vector<std::string> missing;
  for (std::string& name : names) {
    const auto loaded = module_loaded(name);
    if (!loaded) co_return loaded.error();
    if (!*loaded) missing.push_back(std::move(name));
  }
  names = std::move(missing);
  if (names.empty()) co_return Result<void>();
  const std::string what = fmt::format("modprobe {}", fmt::join(names, " "));
  Command modprobe = command("modprobe", "--all", "--").with_limit(std::chrono::seconds(30));
  modprobe.argv.insert(modprobe.argv.end(), names.begin(), names.end());
  Result<Exit> exit = co_await processes_.run(std::move(modprobe));
  if (!exit) co_return std::move(exit).error().in(what);
  if (!exit->ok()) co_return exit->as_error(what);
  co_return Result<void>();
}

Task<Result<void>> Kernel::unload_module(std::string name) {
  const auto loaded = module_loaded(name);
  if (!loaded) co_return loaded.error();
  if (!*loaded) co_return Result<void>();
  Result<Exit> exit =
      co_await processes_.run(command("modprobe", "-r", "--", name).with_limit(std::chrono::seconds(30)));
  if (!exit) co_return std::move(exit).error().in("module " + name);
  if (!exit->ok()) co_return exit->as_error("modprobe -r " + name);
  co_return Result<void>();
}

Result<std::vector<Mount>> Kernel::mounts() {
  Result<std::string> text = files_.read("/proc/self/mountinfo");
  if (!text) return std::move(text).error();
  return parse_mountinfo(*text);
}

Result<void> Kernel::mount(const Mount& mount) {
  auto [flags, data] = mount_options(mount.options);
  const std::string what = fmt::format("mounting {} on {}", mount.source, mount.target);
  const unsigned long read_only_bind = MS_BIND | MS_RDONLY;
  const bool two_steps =
      (flags & read_only_bind) == read_only_bind;  // the kernel ignores the other flags in the first call
  if (::mount(mount.source.c_str(), mount.target.c_str(), mount.type.c_str(),
              two_steps ? flags & (MS_BIND | MS_REC) : flags, data.c_str()) != 0)
    return Error::from_errno(errno, what);
  if (two_steps && ::mount(nullptr, mount.target.c_str(), nullptr, flags | MS_REMOUNT, nullptr) != 0)
    return Error::from_errno(errno, what);
  return {};
}

Result<void> Kernel::unmount(const std::string& target) {
  if (::umount2(target.c_str(), UMOUNT_NOFOLLOW) != 0 && errno != EINVAL && errno != ENOENT)
    return Error::from_errno(errno, "unmounting " + target);
  return {};
}

}  // namespace sunup::host::real
