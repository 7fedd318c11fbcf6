// Root certificates that a cloud provides to its machines, and the package repositories of clouds without internet
// access. The image has a hook script for them, which also renews the certificates. Most machines do not need it, and
// one request determines whether this machine does.
#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr auto& kHook = paths::kCloudTrustScript;
constexpr char kQuestion[] = "http://168.63.129.16/acms/isOptedInForRootCerts";

// These clouds are older than the endpoint: all of their machines get the certificates.
bool always(const std::string& location) {
  std::string plain = unicode::lowered(location);
  std::erase_if(plain, [](char c) { return c == ' ' || c == '\t'; });
  return plain.starts_with("ussec") || plain.starts_with("usnat");
}

Task<Result<bool>> is_wanted(Context& c, std::string location) {
  if (always(location)) co_return true;
  host::HttpRequest request;
  request.url = kQuestion;
  request.limit = 30s;
  auto reply = co_await c.host.network.request(std::move(request));
  if (!reply) co_return std::move(reply).error().in("root certificates");
  if (reply->status != 200) co_return Error("root certificates: HTTP status " + std::to_string(reply->status));
  const auto answer = nlohmann::json::parse(reply->body, nullptr, false);
  if (!answer.is_object()) co_return false;
  const auto wanted = answer.find("IsOptedInForRootCerts");
  co_return wanted != answer.end() && *wanted == true;
}

Task<Result<void>> run_hook(Context& c, SubjectPtr s) {
  if (s->files_only) co_return c.leave_out("install the cloud's root certificates");
  const std::string location = s->config.cluster_config().location();
  auto wanted = co_await is_wanted(c, location);
  if (!wanted) co_return std::move(wanted).error();
  if (!*wanted) {
    c.note("this machine is not opted in");
    co_return Result<void>();
  }
  host::Command hook = host::command(kHook).with_limit(600s);
  hook.env.push_back("LOCATION=" + location);
  hook.env.push_back("REPO_DEPOT_ENDPOINT=" + s->config.custom_cloud_config().repo_depot_endpoint());
  auto exit = co_await c.host.processes.run(std::move(hook));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) {
    const int code = exit->shell_code();
    co_return exit->as_error("init-aks-cloud.sh").with_code(code == 0 ? exit_code::kFailed : code);
  }
  co_return Result<void>();
}

}  // namespace

bool asks_cloud_for_trust(const Subject& s) {
  return s.facts.has(kHook);
}

Declarations cloud_trust_steps() {
  return {
      {.name = "trust.cloud",
       .purpose = "checks whether this machine must trust the cloud's own certificate authorities, and if so runs the "
                  "image's hook",
       .original = "P3",
       .task = "AKS.CSE.rcv1p.isOptedIn",
       .when = "the image has the hook (init-aks-cloud.sh)",
       .wanted = asks_cloud_for_trust,
       .phase = node::Phase::kBasePrep,
       .after = {"trust.update"},  // the quick one first; each preserves what the other added
       .touches = {"certificate authorities"},
       .deadline = 700s,
       .retry = {.attempts = 10, .pause = 3s, .longest_pause = 60s},
       .exit_code = exit_code::kFailed,
       .body = run_hook},
  };
}

}  // namespace sunup::plan
