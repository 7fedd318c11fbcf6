#include "plan/extensions.h"

#include <fmt/format.h>

#include "base/exit_code.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

bool starts_kubelet(std::string_view extension, const NodeFacts& facts) {
  return extension == "kubelet" && render::traits(facts.distro).extension_starts_kubelet;
}

std::string place_of(std::string_view name) {
  return fmt::format("/etc/extensions/{}.raw", name);
}

}  // namespace

Task<Result<void>> merge_extension(Context& c, const NodeFacts& facts, std::string image, std::string name,
                                   std::string to) {
  host::Files& files = c.host.files;
  if (starts_kubelet(name, facts))
    if (auto masked = files.symlink("/dev/null", node::kExtensionAutostart); !masked)
      co_return std::move(masked).error().with_code(exit_code::kK8sInstallErr);
  if (auto linked = files.symlink(image, place_of(name)); !linked) co_return linked;
  auto exit = co_await c.host.processes.run(host::command("systemd-sysext", "--no-reload", "refresh").with_limit(60s));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) {
    // An image that cannot be merged must not be tried again at the next boot.
    (void)files.remove(place_of(name));
    co_return exit->as_error("systemd-sysext refresh");
  }
  co_return files.symlink("/usr/bin/" + name, to);
}

std::vector<FileEffect> extension_effects(std::string_view name, const NodeFacts& facts) {
  std::vector<FileEffect> effects = {{place_of(name), 0777}};
  if (starts_kubelet(name, facts)) effects.push_back({node::kExtensionAutostart, 0777});
  return effects;
}

}  // namespace sunup::plan
