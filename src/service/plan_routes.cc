// The plan of a node without the node: the steps that a config or a command (--nbc-cmd) needs on a current image.
#include <memory>

#include "plan/catalogue.h"
#include "plan/show.h"
#include "plan/unused_fields.h"
#include "render/config_or_command.h"
#include "render/node/refusals.h"
#include "service/answers.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using nlohmann::ordered_json;
namespace node = render::node;

// Adds the programs of the config's Kubernetes version to the image, under the names that images use.
void add_kubernetes(const contract::Configuration& config, node::NodeFacts& facts) {
  std::string version = config.kubernetes_version();
  if (version.starts_with('v')) version.erase(0, 1);
  const bool extensions = render::traits(facts.distro).packages == render::PackageFormat::kSysext;
  for (const std::string tool : {"kubelet", "kubectl"})
    facts.paths.insert(extensions ? "/opt/" + tool + "/downloads/" + tool + "-v" + version + "-1-azlinux3-x86-64.raw"
                                  : "/opt/bin/" + tool + "-" + version);
}

// There is no image to examine, so the plan is made for an image that has everything that provisioning may use.
ApiResponse plan_of(const ApiRequest& request) {
  const std::string os = request.query_value("os");
  const auto distro = render::distro_by_name(os.empty() ? "ubuntu2204" : os);
  if (!distro) return refuse(400, Error("os must be one of the names of `sunup render files --os`"));
  render::NbcConfig command;
  auto loaded = render::load_config_or_command(request.body, "request", command);
  if (!loaded) return refuse(422, loaded.error());
  auto subject = std::make_shared<plan::Subject>();
  subject->config = std::move(loaded->config);
  subject->origins = std::move(command.origins);
  subject->facts = node::typical_node(*distro);
  subject->facts.sent = std::move(command.sent);
  add_kubernetes(subject->config, subject->facts);
  const auto graph = plan::derive(subject);
  if (!graph) {
    Error error = graph.error();
    error.what = plan::with_origin(std::move(error.what), subject->origins);
    return refuse(422, error);
  }
  ordered_json out = ordered_json::parse(plan::plan_json(*graph, subject.get()));
  out["assumed"] = {"a current image of " + std::string(render::traits(*distro).name) +
                        " that contains everything that provisioning may use",
                    "a metadata service that reports one network interface and no tags", "no hooks"};
  ordered_json unused = ordered_json::array();
  for (const plan::UnusedField& field : plan::unused_fields(subject->config))
    unused.push_back({{"path", field.path}, {"why", field.why}});
  out["unused"] = std::move(unused);
  return answer(out);
}

constexpr char kPlanReply[] = R"({
  "type": "object",
  "required": ["milestone", "steps", "critical_path", "assumed", "unused"],
  "properties": {
    "milestone": {"type": "string"},
    "steps": {"type": "array", "items": {"type": "object", "required": ["name", "purpose", "needs", "after", "provides", "phase"]}},
    "critical_path": {"type": "array", "items": {"type": "string"}},
    "assumed": {"type": "array", "items": {"type": "string"}, "description": "about the image and the machine"},
    "unused": {"type": "array", "items": {"type": "object", "required": ["path", "why"]}}
  }
})";

}  // namespace

std::vector<Route> plan_routes() {
  return {
      {.method = "POST",
       .path = "/v1/plan",
       .summary = "The steps that a config or a command needs on a current image, and their order",
       .caller = Caller::kClient,
       .request = {R"({"type":"string"})", kText},
       .replies = {{200, "The plan.", {kPlanReply}}, {422, "The config or the command is refused.", {kError}}},
       .handler = plan_of,
       .query = {{"os", "the operating system of the image; default: ubuntu2204"}}},
  };
}

}  // namespace sunup::service
