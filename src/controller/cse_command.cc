#include "controller/cse_command.h"

#include "base/json_tree.h"
#include "base/node_paths.h"
#include "controller/child_environment.h"
#include "controller/os_reason.h"

namespace sunup::controller {
namespace {

Result<render::GpuImages> gpu_images(Node& node) {
  const std::string context = "failed to load GPU config: ";
  const auto text = node.files.read(paths::kComponents);
  if (!text)
    return Error(context + "read " + paths::kComponents + ": " +
                 reason_unread(paths::kComponents, text.error().os_errno));
  auto images = render::parse_gpu_components(*text);
  if (images) return images;
  const auto json = JsonTree::parse(*text);
  return Error(context + "parse " + paths::kComponents +
               ": failed to unmarshal components.json: " + (json ? images.error().what : json.error().what));
}

// The output of `containerd --version`; empty if it is not installed or does not respond.
host::Task<std::string> containerd_version(Node& node) {
  host::Command command{.argv = {"containerd", "--version"}, .env = inherited_environment()};
  command.limit = std::chrono::seconds(30);
  const auto exit = co_await node.processes.run(std::move(command));
  if (exit && exit->timed_out) node.log.warn("no response from containerd --version, assuming 1.x");
  co_return exit && exit->ok() ? exit->out : std::string();
}

}  // namespace

host::Task<Result<render::Environment>> cse_environment(Node& node, const contract::Configuration& config) {
  auto images = gpu_images(node);
  if (!images) co_return std::move(images).error();
  std::string containerd = co_await containerd_version(node);
  const render::ImageFacts image{.containerd_version = std::move(containerd), .gpu = std::move(*images)};
  std::vector<std::string> remarks;
  auto environment = render::cse_environment(config, image, &remarks);
  for (const std::string& remark : remarks) node.log.info(remark);
  co_return environment;
}

void below_root(const Node& node, render::Environment& environment) {
  for (const char* name : {"PROVISION_OUTPUT", "INIT_AKS_CLOUD_FILEPATH"})
    if (const auto found = environment.find(name); found != environment.end())
      found->second = node.on_machine(found->second);
}

std::vector<std::string> cse_argv(const Node& node) {
  // One line with the original's spacing (a tab, a space at the end), because users compare the output of `ps` and dry
  // runs.
  const std::string line =
      "echo $(date),$(hostname) > ${PROVISION_OUTPUT}; if [ -f \"${INIT_AKS_CLOUD_FILEPATH}\" ]; then "
      "\t\"${INIT_AKS_CLOUD_FILEPATH}\" >> " +
      node.on_machine(paths::kScriptLog) + " 2>&1 || exit $?; fi; /usr/bin/nohup /bin/bash -c \"/bin/bash " +
      node.on_machine(paths::kStartScript) + "\" ";
  return {"/bin/bash", "-c", line};
}

}  // namespace sunup::controller
