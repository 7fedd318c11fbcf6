// Access by SSH: the ssh server disabled, or public key authentication disabled.
#include "base/exit_code.h"
#include "base/node_paths.h"
#include "host/edit.h"
#include "plan/subjects.h"
#include "render/node/sshd_config.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr auto& kConfig = paths::kSshdConfig;
constexpr char kCandidate[] = "/etc/ssh/.sshd_config.candidate";

bool ssh_off(const Subject& s) {
  return node::disables_ssh(s.config);
}

Names ssh_units(const Subject& s) {
  Names units;
  for (const char* unit : {"ssh.service", "sshd.service"})
    if (s.facts.has_unit(unit)) units.emplace_back(unit);
  return units;
}

Task<Result<void>> switch_ssh_off(Context& c, SubjectPtr) {
  for (const std::string& unit : c.step.units)
    if (auto stopped = co_await c.host.units.stop(unit); !stopped) co_return stopped;
  Names units = c.step.units;
  if (units.empty()) co_return Result<void>();
  co_return co_await c.host.units.disable(std::move(units));
}

bool keys_off(const Subject& s) {
  const auto files = node::sshd_config_files(s.config, s.facts);
  return !files || !files->empty();
}

std::vector<FileEffect> sshd_files(const Subject&) {
  return {{kConfig, 0600}, {kCandidate, 0}};
}

Names sshd_unit(const Subject& s) {
  return {std::string(s.facts.has_unit("ssh.service") ? "ssh.service" : "sshd.service")};
}

// The new config is checked before it replaces the old one, because with an invalid config sshd would not start and no
// user could log in.
Task<Result<std::optional<host::FileText>>> checked_config(host::Host& host, const Subject& s,
                                                           std::optional<host::FileText> before) {
  NodeFacts facts = s.facts;
  facts.set_file(kConfig, before ? std::optional(before->text) : std::nullopt, before ? before->mode : 0600);
  auto files = node::sshd_config_files(s.config, facts);
  if (!files) co_return std::move(files).error();
  if (files->empty()) co_return std::optional<host::FileText>();  // the config disables them already
  const host::FileText after{files->front().content, files->front().mode};
  if (auto written = host.files.write_durable(kCandidate, after.text, after.mode); !written)
    co_return std::move(written).error();
  auto checked = co_await host.processes.run(host::command("sshd", "-t", "-f", kCandidate).with_limit(20s));
  if (!checked) co_return std::move(checked).error();
  if (!checked->ok()) co_return checked->as_error("sshd -t");
  co_return std::optional(after);
}

Task<Result<void>> switch_keys_off(Context& c, SubjectPtr s) {
  // sshd accepts a config only if its runtime directory exists, which its unit creates.
  const std::string unit = c.step.units.front();
  auto state = co_await c.host.units.state(unit);
  if (!state || !state->is_active())
    if (auto started = co_await c.host.units.start(unit); !started) co_return started;
  auto edit = host::edit_slowly(c.host.files, kConfig, [&](std::optional<host::FileText> before) {
    return checked_config(c.host, *s, std::move(before));
  });
  if (auto edited = co_await std::move(edit); !edited) co_return std::move(edited).error();
  if (auto removed = c.host.files.remove(kCandidate); !removed) co_return removed;
  co_return co_await c.host.units.restart(c.step.units.front());
}

}  // namespace

Declarations access_steps() {
  return {
      {.name = "access.ssh_off",
       .purpose = "disables SSH",
       .original = "B09",
       .when = "the config disables SSH",
       .wanted = ssh_off,
       .phase = node::Phase::kBasePrep,
       .after = {"kubelet.started"},
       .more_units = ssh_units,
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kDisableSsh,
       .body = switch_ssh_off},
      {.name = "access.keys_off",
       .purpose = "disables login by public key, except for users in a Match block",
       .original = "B09",
       .task = "AKS.CSE.disableSSHPubkeyAuth",
       .when = "the config disables public keys but not SSH",
       .wanted = keys_off,
       .phase = node::Phase::kBasePrep,
       .after = {"kubelet.started"},
       .files = sshd_files,
       .more_units = sshd_unit,
       .exit_code = exit_code::kConfigPubkeyAuthSsh,
       .body = switch_keys_off},
  };
}

}  // namespace sunup::plan
