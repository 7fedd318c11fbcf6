// A custom search domain of the customer: it is added to the node's resolver, and the node joins the domain's realm.
#include "render/node/search_domain.h"
#include "base/exit_code.h"

#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kNetworking[] = "networking.service";

bool joins_realm(const Subject& s) {
  return node::has_search_domain(s.config);
}

Names networking(const Subject& s) {
  return s.facts.has_unit(kNetworking) ? Names{kNetworking} : Names{};
}

Result<void> has_realm_tools(const Subject& s) {
  if (render::traits(s.facts.distro).packages == render::PackageFormat::kDeb) return {};
  return Error("joining a realm is supported only on Ubuntu").with_hint("remove custom_search_domain_config");
}

Task<Result<void>> run_program(Context& c, host::Command command) {
  const std::string what = command.argv[0] + " " + command.argv[1];
  auto exit = co_await c.host.processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) co_return exit->as_error(what);
  co_return Result<void>();
}

Task<Result<void>> join_realm(Context& c, SubjectPtr s) {
  for (const std::string& unit : c.step.units)
    if (auto again = co_await c.host.units.restart(unit); !again) c.note(again.error().what);
  const std::string realm = node::realm_of(s->config);
  auto joined = co_await c.host.processes.run(host::command("realm", "list", "--name-only").with_limit(30s));
  if (joined && joined->ok() &&
      joined->out.find(s->config.custom_search_domain_config().domain_name()) != std::string::npos) {
    c.note("joined already");
    co_return Result<void>();
  }
  host::Command install = host::command("apt-get", "install", "--yes", "-o", "DPkg::Lock::Timeout=100", "realmd",
                                        "sssd", "sssd-tools", "samba-libs", "samba", "samba-common", "packagekit");
  install.env.emplace_back("DEBIAN_FRONTEND=noninteractive");
  install.limit = 120s;
  if (auto installed = co_await run_program(c, std::move(install)); !installed) co_return installed;
  const auto& search = s->config.custom_search_domain_config();
  const std::string account = search.realm_user() + "@" + realm;
  host::Command join = host::command("realm", "join", "-U", account, realm).with_limit(120s);
  join.input = search.realm_password() + "\n";
  co_return co_await run_program(c, std::move(join));
}

}  // namespace

Declarations search_domain_steps() {
  return {
      {.name = "domain.join",
       .purpose = "adds the config's search domain and joins its realm",
       .original = "B24",
       .when = "the config has a search domain, an account and its password",
       .wanted = joins_realm,
       .possible = has_realm_tools,
       .phase = node::Phase::kBasePrep,
       .after = {"kubelet.started", "gpu.plugin"},
       .concerns = {"search domain"},
       .more_units = networking,
       .touches = {"packages"},
       .deadline = 780s,
       .retry = {.attempts = 10, .pause = 5s, .longest_pause = 5s},
       .exit_code = exit_code::kCustomSearchDomainsFail,
       .body = join_realm},
  };
}

}  // namespace sunup::plan
