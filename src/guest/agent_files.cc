#include "guest/agent_files.h"

#include "base/text.h"

namespace sunup::guest {
namespace {

constexpr char kAgentDirectory[] = "/var/lib/waagent";
constexpr char kAgentEnvironment[] = "/var/lib/waagent/ovf-env.xml";

Result<void> make_directory(host::Files& files) {
  const auto there = files.exists(kAgentDirectory);
  if (!there) return there.error();
  return *there ? Result<void>() : files.make_directories(kAgentDirectory, 0700);
}

}  // namespace

Result<void> tell_agent_provisioned(host::Files& files, const std::string& vm_id) {
  const auto before = files.read_if_there(kAgentProvisioned, 4096);
  if (!before) return before.error();
  if (*before && trimmed(**before) == vm_id) return {};
  if (auto made = make_directory(files); !made) return made;
  return files.write_durable(kAgentProvisioned, vm_id + "\n");
}

Result<void> leave_agent_files(host::Files& files, const azure::OvfEnvironment& environment) {
  if (auto made = make_directory(files); !made) return made;
  // If this file exists, the agent sleeps forever; this is how "no guest agent" is requested.
  if (!environment.guest_agent)
    if (auto written = files.write(kAgentDisabled, ""); !written) return written;
  return files.write(kAgentEnvironment, azure::ovf_env_for_agent(environment), 0600);
}

Result<void> forget_agent_files(host::Files& files) {
  return files.remove_durable(kAgentProvisioned);
}

}  // namespace sunup::guest
