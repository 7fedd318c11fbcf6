#include "contract/load.h"
#include "controller/own_output.h"
#include "plan/catalogue.h"
#include "plan/gather.h"
#include "plan/metadata.h"
#include "plan/show.h"
#include "plan/unused_fields.h"
#include "render/nbc_config.h"
#include "verbs.h"

namespace sunup {
namespace {

std::optional<std::string> wrong_format(std::string_view value) {
  if (value == "text" || value == "json" || value == "dot") return std::nullopt;
  return "must be text, json or dot";
}

constexpr controller::Flag kFlags[] = {
    {"provision-config", "FILE", "the node config (AKSNodeConfig, JSON)"},
    {"nbc-cmd", "FILE", "a ready-made command file instead of a config"},
    {"format", "FORMAT", "text (default), json or dot", wrong_format},
    {"root", "DIR", "treat DIR as /", wrong_root},
    {"metadata", "FILE", "the metadata service's response, instead of querying it"},
};

int fail(const Error& error) {
  controller::write_stderr(error.what + (error.hint.empty() ? "" : " (" + error.hint + ")") + "\n");
  return 1;
}

// A command is recognized by its beginning, whichever flag is used.
Result<render::NbcConfig> read_config(const std::string& path, bool command) {
  const auto text = contract::read_config_file(path);
  if (!text) return text.error().os_errno == 0 ? contract::refused_as_too_large(path) : text.error();
  if (command || render::looks_like_nbc_command(*text)) {
    auto read = render::read_nbc_config(*text);
    if (!read) return std::move(read).error().in(path);
    return read;
  }
  auto loaded = contract::load_text(*text, path);
  if (!loaded) return std::move(loaded).error();
  render::NbcConfig out;
  out.loaded = *std::move(loaded);
  return out;
}

int run(Program& program, const controller::CommandLine& line) {
  const std::string path = line.flags.text("provision-config");
  const std::string command = line.flags.text("nbc-cmd");
  if (path.empty() == command.empty()) return fail(Error("--provision-config or --nbc-cmd is required, and not both"));
  auto subject = std::make_shared<plan::Subject>();
  auto input = read_config(path.empty() ? command : path, !command.empty());
  if (!input) return fail(input.error());
  subject->config = std::move(input->loaded.config);
  subject->origins = std::move(input->origins);
  for (const std::string& remark : input->remarks) controller::write_stderr("note: " + remark + "\n");
  const bool is_tree = !program.node().root.empty();
  auto facts = plan::gather_facts(program.node().files, subject->config, is_tree);
  if (!facts) return fail(facts.error());
  subject->facts = *std::move(facts);
  subject->facts.sent = std::move(input->sent);
  subject->hooks = plan::read_hooks(program.node().files, is_tree);
  // Only the metadata service provides tags and network cards. Where it is not available, the plan is made without
  // them.
  if (const std::string answer = line.flags.text("metadata"); !answer.empty()) {
    const auto whole = controller::callers_path(answer);
    const auto text = whole ? contract::read_config_file(*whole) : whole.error();
    if (!text) return fail(text.error().in("--metadata"));
    auto told = render::node::parse_imds(*text);
    if (!told) return fail(told.error());
    subject->facts.imds = *std::move(told);
  } else if (auto told =
                 program.loop().run(plan::ask_metadata_service(program.node().host.network, std::chrono::seconds(1)))) {
    subject->facts.imds = *std::move(told);
  }
  for (const plan::UnusedField& field : plan::unused_fields(subject->config))
    controller::write_stderr("warning: $." + std::string(field.path) + " is not used: " + std::string(field.why) +
                             "\n");
  const auto graph = plan::derive(subject);
  if (!graph) {
    Error error = graph.error();
    error.what = plan::with_origin(std::move(error.what), subject->origins);
    return fail(error);
  }
  const std::string format = line.flags.text("format");
  controller::write_stdout(format == "json"  ? plan::plan_json(*graph, subject.get())
                           : format == "dot" ? plan::plan_dot(*graph)
                                             : plan::plan_text(*graph, subject.get()));
  return 0;
}

}  // namespace

const Verb kPlan{{"plan", "show the steps that this config needs on this image, with their files and units",
                  "aks-node-controller plan --provision-config config.json --format json", kFlags},
                 run,
                 true};

}  // namespace sunup
