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
    "milestone": {"type": "string", "description": "where the critical path ends"},
    "steps": {"type": "array", "description": "in an order in which they can run", "items": {"type": "object", "required": ["name", "purpose", "needs", "after", "provides", "phase"], "properties": {
      "name": {"type": "string", "description": "the name of the step: docs/steps.md"},
      "purpose": {"type": "string", "description": "what it does"},
      "needs": {"type": "array", "items": {"type": "string"}, "description": "the milestones that must be reached first"},
      "after": {"type": "array", "items": {"type": "string"}, "description": "milestones that must be over first, reached or not"},
      "provides": {"type": "array", "items": {"type": "string"}, "description": "the milestones that it reaches"},
      "phase": {"type": "string", "enum": ["critical", "completion", "deferred"], "description": "when it runs relative to kubelet's start"},
      "files": {"type": "array", "description": "the files that it leaves", "items": {"type": "object", "properties": {
        "path": {"type": "string", "description": "the path on the node"},
        "mode": {"type": "string", "description": "the permissions, in octal digits"},
        "link": {"type": "boolean", "description": "true: a symbolic link"},
        "command": {"type": "array", "items": {"type": "string"}, "description": "the variables of the command that it is from"}}}},
      "units": {"type": "array", "items": {"type": "string"}, "description": "the systemd units that it starts"},
      "fatal": {"type": "boolean", "description": "whether its failure is that of provisioning"},
      "exit_code": {"type": ["integer", "null"], "description": "the exit code of its failure; null: provisioning goes on"},
      "deadline": {"type": "number", "description": "the seconds that it may take"},
      "retries": {"type": "integer", "description": "how often it is repeated after a failure"}}}},
    "critical_path": {"type": "array", "items": {"type": "string"}, "description": "the steps that determine when the milestone is reached"},
    "assumed": {"type": "array", "items": {"type": "string"}, "description": "about the image and the machine"},
    "unused": {"type": "array", "description": "the fields that no step uses", "items": {"type": "object", "required": ["path", "why"], "properties": {
      "path": {"type": "string", "description": "the field"},
      "why": {"type": "string", "description": "why it has no effect"}}}}
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
       .query = {{"os", "the distribution of the node; default: ubuntu2204", false, distribution_schema()}}},
  };
}

}  // namespace sunup::service
