// Hooks: which are read, which are refused, their position in a plan, and the programs they run.
#include "plan/hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/node_paths.h"
#include "plan/catalogue.h"
#include "plan/show.h"
#include "plan/test_step.h"
#include "plan/trusted.h"

namespace sunup::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Hooks : public Steps {
 protected:
  void declare(const std::string& name, const std::string& text) {
    put(std::string(paths::kHooks) + "/" + name + ".json", text);
    world.disk[std::string(paths::kHooks) + "/" + name + ".json"].mode = 0644;
  }
  void program(const std::string& path) {
    put(path, "");
    world.disk[path].mode = 0755;
  }
  Result<std::vector<Hook>> read() {
    host::sim::Machine machine(world);
    return read_hooks(machine.host().files, files_only);
  }
  Result<engine::Graph> plan() {
    Subject about = subject();
    about.hooks = read();
    return derive(std::make_shared<Subject>(about));
  }
  std::string refusal() {
    const auto graph = plan();
    return graph ? "" : graph.error().what;
  }
  static size_t index_of(const engine::Graph& graph, std::string_view name) {
    for (size_t i = 0; i < graph.size(); ++i)
      if (graph.steps()[i].name == name) return i;
    ADD_FAILURE() << "no step " << name;
    return 0;
  }
  static bool comes_before(const engine::Graph& graph, std::string_view first, std::string_view second) {
    const auto at = [&](std::string_view name) {
      return std::find(graph.order().begin(), graph.order().end(), index_of(graph, name)) - graph.order().begin();
    };
    return at(first) < at(second);
  }
  Result<void> run_hook_of(const engine::Graph& graph, std::string_view name) {
    host::sim::Machine machine(world);
    const engine::Step& step = graph.steps()[index_of(graph, name)];
    Context context(
        machine.host(), step, learned, [this](const std::string& text) { notes.push_back(text); },
        [this](const std::string& text) { left_out.push_back(text); });
    std::optional<Result<void>> result;
    machine.loop().run(step.run(context), &result);
    return result ? *std::move(result) : Result<void>(Error("it never ended"));
  }
};

TEST_F(Hooks, HookWithoutOrderStartsAfterKubelet) {
  declare("site.any", R"({"argv": ["/bin/true"]})");
  declare("site.early", R"({"argv": ["/bin/true"], "needs": ["kernel.settings"]})");
  const auto graph = plan();
  ASSERT_TRUE(graph) << graph.error().what;
  for (const char* name : {"site.any", "site.early"}) {
    EXPECT_EQ(graph->rank(index_of(*graph, name)), engine::Rank::kCompletion) << name;
    EXPECT_TRUE(comes_before(*graph, "kubelet.start", name)) << name;
  }
}

TEST_F(Hooks, HookBeforeKubeletAndWhatItWaitsForComeFirst) {
  declare("site.first", R"({"argv": ["/bin/true"], "before": ["site.second"]})");
  declare("site.second", R"({"argv": ["/bin/true"], "before": ["kubelet.started"], "fatal": false})");
  declare("site.third", R"({"argv": ["/bin/true"], "after": ["site.second"], "before": ["containerd.start"]})");
  const auto graph = plan();
  ASSERT_TRUE(graph) << graph.error().what;
  for (const char* name : {"site.first", "site.second", "site.third"})
    EXPECT_EQ(graph->rank(index_of(*graph, name)), engine::Rank::kCritical) << name;
  EXPECT_TRUE(comes_before(*graph, "site.first", "site.second"));
  EXPECT_TRUE(comes_before(*graph, "site.third", "containerd.start"));
  EXPECT_THAT(plan_text(*graph), HasSubstr("hook: runs /bin/true"));
}

TEST_F(Hooks, ConflictsAreRefusedBeforeAnythingRuns) {
  declare("a.hook", R"({"argv": ["/bin/true"], "after": ["kubelet.start"], "before": ["containerd.start"]})");
  EXPECT_THAT(refusal(), testing::AllOf(StartsWith("step a.hook: "), HasSubstr("cycle")));
  EXPECT_EQ(plan().error().step, "a.hook");
  declare("a.hook", R"({"argv": ["/bin/true"], "before": ["kubelet.startd"]})");
  EXPECT_EQ(refusal(), "step a.hook: there is no step or milestone 'kubelet.startd' (did you mean 'kubelet.start'?)");
  declare("a.hook", R"({"argv": ["/bin/true"], "needs": ["gpu.driver"]})");
  EXPECT_THAT(refusal(), HasSubstr("not part of the plan"));
  declare("a.hook", R"({"argv": ["/bin/true"], "after": ["gpu.driver"]})");
  EXPECT_EQ(refusal(), "");
  declare("b.hook", R"({"argv": ["/bin/true"], "deferred": true})");
  declare("a.hook", R"({"argv": ["/bin/true"], "needs": ["b.hook"]})");
  EXPECT_THAT(refusal(), HasSubstr("'b.hook', which is deferred: defer both or neither"));
  world.disk.erase(std::string(paths::kHooks) + "/b.hook.json");
  declare("a.hook", R"({"argv": ["/bin/true"], "after": ["a.hook"]})");
  EXPECT_THAT(refusal(), HasSubstr("itself"));
  world.disk.erase(std::string(paths::kHooks) + "/a.hook.json");
  declare("kubelet.start", R"({"argv": ["/bin/true"]})");
  EXPECT_THAT(refusal(), HasSubstr("the name of a built-in step"));
  EXPECT_EQ(plan().error().step, "kubelet.start");
  world.disk.erase(std::string(paths::kHooks) + "/kubelet.start.json");
  declare("kubelet.started", R"({"argv": ["/bin/true"]})");
  EXPECT_THAT(refusal(), HasSubstr("milestone"));
}

TEST_F(Hooks, NodeIsWatchedOnlyIfAHookNamesIt) {
  const auto ready = [&](const std::string& members) {
    declare("site.joined", R"({"argv": ["/bin/true"], )" + members + "}");
    const auto graph = plan();
    EXPECT_TRUE(graph) << graph.error().what;
    EXPECT_TRUE(comes_before(*graph, "kubelet.start", "node.ready"));
    EXPECT_TRUE(comes_before(*graph, "node.ready", "site.joined"));
    EXPECT_THAT(plan_text(*graph), Not(HasSubstr("node.registered")));
    const size_t step = index_of(*graph, "node.ready");
    return std::pair(graph->rank(step), graph->steps()[step].fatal);
  };
  using engine::Rank;
  EXPECT_EQ(ready(R"("needs": ["node.ready"])"), std::pair(Rank::kCompletion, true));
  EXPECT_EQ(ready(R"("needs": ["node.ready"], "fatal": false)"), std::pair(Rank::kCompletion, false));
  EXPECT_EQ(ready(R"("after": ["node.ready"])"), std::pair(Rank::kCompletion, false));
  EXPECT_EQ(ready(R"("needs": ["node.ready"], "deferred": true)"), std::pair(Rank::kDeferred, false));
  declare("site.joined", R"({"argv": ["/bin/true"]})");
  EXPECT_THAT(plan_text(*plan()), Not(HasSubstr("node.ready")));
}

TEST_F(Hooks, NothingComesBeforeReady) {
  declare("a.hook", R"({"argv": ["/bin/true"], "before": ["node.ready"]})");
  EXPECT_THAT(refusal(), testing::AllOf(StartsWith("step a.hook: no hook can come before 'node.ready'"),
                                        HasSubstr("kubelet.started")));
  declare("a.hook", R"({"argv": ["/bin/true"], "needs": ["node.ready"], "before": ["kubelet.started"]})");
  EXPECT_THAT(refusal(), testing::AllOf(StartsWith("step a.hook: "), HasSubstr("cycle"), HasSubstr("'node.ready'")));
}

TEST_F(Hooks, PlanShowsLimitsAndTheExitCodeOfAFailure) {
  declare("site.fatal", R"({"argv": ["/bin/true"], "deadline": "5m", "retries": 2})");
  declare("site.late", R"({"argv": ["/bin/true"], "deferred": true})");
  const auto graph = plan();
  ASSERT_TRUE(graph) << graph.error().what;
  std::map<std::string, nlohmann::json> steps;
  const auto shown = nlohmann::json::parse(plan_json(*graph));
  for (const auto& step : shown["steps"]) steps[step["name"]] = step;
  EXPECT_EQ(steps["site.fatal"]["exit_code"], 1);
  EXPECT_EQ(steps["site.fatal"]["deadline"], 300);
  EXPECT_EQ(steps["site.fatal"]["retries"], 2);
  EXPECT_TRUE(steps["site.late"]["exit_code"].is_null());
}

TEST_F(Hooks, OnlyOtherSuffixesAndDotFilesAreIgnored) {
  declare(".hidden", "nonsense");
  put(std::string(paths::kHooks) + "/README", "nonsense");
  EXPECT_EQ(refusal(), "");
  declare("Site.E", R"({"argv": ["/bin/true"]})");
  const auto graph = plan();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().what, StartsWith("step Site.E: the name of a hook has"));
  EXPECT_EQ(graph.error().hint, "rename /etc/aks-node-controller/steps.d/Site.E.json, or remove it");
}

TEST_F(Hooks, DeclarationThatOthersCanChangeIsRefused) {
  declare("a.hook", R"({"argv": ["/bin/true"]})");
  ASSERT_TRUE(read());
  const std::string path = std::string(paths::kHooks) + "/a.hook.json";
  for (const std::string& changed : {path, std::string(paths::kHooks), std::string("/etc/aks-node-controller"),
                                     std::string("/etc"), std::string("/")}) {
    for (const mode_t mode : {mode_t{0664}, mode_t{0646}}) {
      const mode_t before = std::exchange(world.disk.at(changed).mode, mode);
      EXPECT_THAT(read().error().what, HasSubstr("others can change it")) << changed;
      world.disk.at(changed).mode = before;
    }
  }
  world.disk.at(path) = host::sim::Node{FileKind::kSymlink, 0777, "/etc/hostname"};
  put("/etc/hostname", R"({"argv": ["/bin/true"]})");
  EXPECT_THAT(read().error().what, HasSubstr("not a regular file"));
}

TEST_F(Hooks, MembersAreCheckedWithAReason) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"{\n  \"argv\": [\"/x\"],\n}", "not a JSON object: 2:17: "},
      {"{\"argv\": [\"/x\"]} {}", "not a JSON object: 1:18: "},
      {"{}", "\"argv\" must be"},
      {R"({"argv": "x"})", "\"argv\" must be a list"},
      {R"({"argv": ["sh", "-c", "x"]})", "absolute path"},
      {R"({"argv": ["/x"], "deadline": "0s"})", "\"deadline\" must be"},
      {R"({"argv": ["/x"], "deadline": 5})", "\"deadline\" must be"},
      {R"({"argv": ["/x"], "deadline": "2h"})", "\"deadline\" must be"},
      {R"({"argv": ["/x"], "retries": -1})", "\"retries\" must be"},
      {R"({"argv": ["/x"], "fatal": "no"})", "\"fatal\" must be"},
      {R"({"argv": ["/x"], "when": "now"})", "unknown member \"when\""},
      {R"({"argv": ["/x"], "argv": ["/y"]})", "occurs twice"},
      {R"({"argv": ["/x"], "environment": ["A=B"]})", "not the name of a variable"},
      {R"({"argv": ["/x"], "deferred": true, "fatal": true})", "cannot be fatal"},
      {R"({"argv": ["/x"], "deferred": true, "before": ["kubelet.started"]})", "nothing can wait"},
  };
  for (const auto& [text, why] : wrong) {
    const auto hook = parse_hook("a.hook", text);
    ASSERT_FALSE(hook) << text;
    EXPECT_THAT(hook.error().what, testing::AllOf(StartsWith("step a.hook: "), HasSubstr(why))) << text;
  }
  EXPECT_FALSE(parse_hook("a.hook", std::string(70000, ' ')));
  EXPECT_FALSE(parse_hook("A hook", R"({"argv": ["/x"]})"));
  EXPECT_FALSE(parse_hook("../x", R"({"argv": ["/x"]})"));
}

TEST_F(Hooks, SchemaNamesTheSameMembers) {
  std::ifstream file(SUNUP_SOURCE_DIR "/docs/hook.schema.json");
  const auto schema = nlohmann::json::parse(file);
  std::vector<std::string> documented;
  for (const auto& [name, about] : schema["properties"].items()) documented.push_back(name);
  std::vector<std::string> known;
  for (const std::string_view name : hook_members()) known.emplace_back(name);
  EXPECT_THAT(documented, testing::UnorderedElementsAreArray(known));
  EXPECT_EQ(schema["additionalProperties"], false);
}

TEST_F(Hooks, ProgramGetsItsArgumentsAndOnlyTheVariablesItNames) {
  declare("a.hook", R"({"argv": ["/usr/local/bin/hook", "a b", "$HOME"], "environment": ["KUBERNETES_VERSION"]})");
  program("/usr/local/bin/hook");
  world.programs["/usr/local/bin/hook"].output = "mounted\n";
  config.set_kubernetes_version("1.34.1");
  const auto graph = plan();
  ASSERT_TRUE(graph) << graph.error().what;
  ASSERT_TRUE(run_hook_of(*graph, "a.hook"));
  ASSERT_EQ(spawned.size(), 1u);
  EXPECT_THAT(spawned[0].argv, ElementsAre("/usr/local/bin/hook", "a b", "$HOME"));
  EXPECT_THAT(spawned[0].env, ElementsAre(StartsWith("PATH="), "HOOK_NAME=a.hook", "KUBERNETES_VERSION=1.34.1"));
  EXPECT_THAT(notes, Contains(HasSubstr("printed: mounted")));
}

TEST_F(Hooks, CredentialsAreNotGivenAway) {
  declare("a.hook", R"({"argv": ["/bin/true"], "environment": ["TLS_BOOTSTRAP_TOKEN"]})");
  EXPECT_THAT(refusal(), HasSubstr("contains a credential"));
}

TEST_F(Hooks, CredentialsInTheControllersOwnEnvironmentAreNotGivenAway) {
  ::setenv("SITE_PROXY", "http://user:abcdef.0123456789abcdef@proxy", 1);  // NOLINT(concurrency-mt-unsafe): one thread
  ::setenv("SITE_NAME", "site", 1);                                        // NOLINT(concurrency-mt-unsafe)
  declare("a.hook", R"({"argv": ["/bin/true"], "environment": ["SITE_NAME"]})");
  EXPECT_EQ(refusal(), "");
  declare("a.hook", R"({"argv": ["/bin/true"], "environment": ["SITE_NAME", "SITE_PROXY"]})");
  EXPECT_THAT(refusal(), HasSubstr("the variable SITE_PROXY contains a credential"));
}

// Who can write to one of its directories can put another program there. The mode 1777 is that of /tmp.
TEST_F(Hooks, ProgramInADirectoryThatOthersCanWriteToIsNotRun) {
  declare("a.hook", R"({"argv": ["/srv/hook"]})");
  program("/opt/site/bin/hook");
  put("/srv/hook", "/opt/site/bin/hook", FileKind::kSymlink);
  world.programs["/srv/hook"] = {};
  const auto graph = plan();
  ASSERT_TRUE(graph);
  const auto as_declared = run_hook_of(*graph, "a.hook");
  EXPECT_TRUE(as_declared) << as_declared.error().what;
  ASSERT_EQ(spawned.size(), 1u);
  for (const char* folder : {"/", "/srv", "/opt", "/opt/site", "/opt/site/bin"})
    for (const mode_t mode : {mode_t{0775}, mode_t{0757}, mode_t{01777}}) {
      const mode_t before = std::exchange(world.disk.at(folder).mode, mode);
      const auto refused = run_hook_of(*graph, "a.hook");
      ASSERT_FALSE(refused) << folder;
      EXPECT_THAT(refused.error().what, StartsWith(std::string(folder) + ": others can change it"));
      EXPECT_THAT(refused.error().hint, HasSubstr("chmod go-w " + std::string(folder)));
      world.disk.at(folder).mode = before;
    }
  EXPECT_EQ(spawned.size(), 1u);
}

TEST_F(Hooks, DirectoriesThatALinkLeadsThroughCountToo) {
  put("/opt/site/bin/hook", "");
  put("/srv/some/link", "../../var/../opt/./site", FileKind::kSymlink);
  put("/var/x", "");
  host::sim::Machine machine(world);
  const auto check = [&] { return only_root_changes(machine.host().files, "/srv//some/link/bin/hook", false); };
  EXPECT_TRUE(check());
  for (const char* path :
       {"/", "/srv", "/srv/some", "/var", "/opt", "/opt/site", "/opt/site/bin", "/opt/site/bin/hook"}) {
    const mode_t before = std::exchange(world.disk.at(path).mode, 0777);
    EXPECT_FALSE(check()) << path;
    world.disk.at(path).mode = before;
  }
  world.disk.at("/srv/some/link").content = "link";
  EXPECT_EQ(check().error().os_errno, ELOOP);
}

TEST_F(Hooks, ProgramThatOthersCanChangeIsNotRun) {
  declare("a.hook", R"({"argv": ["/usr/local/bin/hook"]})");
  program("/usr/local/bin/hook");
  const auto graph = plan();
  ASSERT_TRUE(graph);
  world.disk["/usr/local/bin/hook"].mode = 0775;
  EXPECT_FALSE(run_hook_of(*graph, "a.hook"));
  world.disk["/usr/local/bin/hook"].mode = 0644;
  EXPECT_FALSE(run_hook_of(*graph, "a.hook"));
  world.disk.erase("/usr/local/bin/hook");
  EXPECT_FALSE(run_hook_of(*graph, "a.hook"));
  EXPECT_THAT(spawned, testing::IsEmpty());
}

TEST_F(Hooks, TreeIsLeftAlone) {
  files_only = true;
  declare("a.hook", R"({"argv": ["/usr/local/bin/hook"], "needs": ["node.ready"]})");
  const auto graph = plan();
  ASSERT_TRUE(graph) << graph.error().what;
  ASSERT_TRUE(run_hook_of(*graph, "a.hook"));
  EXPECT_THAT(left_out, Contains("run /usr/local/bin/hook"));
  ASSERT_TRUE(run_hook_of(*graph, "node.ready"));
  EXPECT_THAT(left_out, Contains("waiting for the node to be Ready"));
}

TEST_F(Hooks, ImageThatIsOnlyPreparedRunsNone) {
  declare("a.hook", R"({"argv": ["/bin/true"], "before": ["kubelet.started"]})");
  config.set_pre_provision_only(true);
  const auto graph = plan();
  ASSERT_TRUE(graph) << graph.error().what;
  EXPECT_THAT(plan_text(*graph), Not(HasSubstr("a.hook")));
}

}  // namespace
}  // namespace sunup::plan
