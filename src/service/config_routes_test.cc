#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "service/router.h"

namespace sunup::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string example(const std::string& name) {
  std::ifstream file(std::string(SUNUP_SOURCE_DIR "/examples/") + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

ApiResponse send(std::string_view method, std::string_view target, std::string_view body = "") {
  return handle(request_of(method, target, body));
}

json post(std::string_view target, std::string_view body, int status = 200) {
  const ApiResponse response = send("POST", target, body);
  EXPECT_EQ(response.status, status) << target << ": " << response.body;
  return json::parse(response.body);
}

json finding(const json& reply, const std::string& rule) {
  for (const json& one : reply["findings"])
    if (one["rule"] == rule) return one;
  return nullptr;
}

TEST(ConfigRoutes, CheckReportsFindingsAtTheirLines) {
  const json reply = post("/v1/config/check", example("node/broken.json"));
  EXPECT_EQ(reply["refused"], false);
  EXPECT_EQ(reply["errors"], 2);
  EXPECT_EQ(reply["warnings"], 2);
  EXPECT_EQ(finding(reply, "cluster-ca")["line"], 10);
  EXPECT_EQ(finding(reply, "unknown-field")["line"], 36);
}

TEST(ConfigRoutes, CheckOfATextThatCannotBeReadIsARefusalWithItsPlace) {
  const json reply = post("/v1/config/check", "{\n  \"version\": \"v1\",\n  oops\n}");
  EXPECT_EQ(reply["refused"], true);
  ASSERT_EQ(reply["findings"].size(), 1u);
  EXPECT_EQ(reply["findings"][0]["line"], 3);
}

TEST(ConfigRoutes, ExplainsOneFieldOrAll) {
  const json one = json::parse(send("GET", "/v1/config/explain?field=kubelet_flags").body);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0]["path"], "kubelet_config.kubelet_flags");
  EXPECT_GT(json::parse(send("GET", "/v1/config/explain").body).size(), 100u);
  const ApiResponse none = send("GET", "/v1/config/explain?field=kubelet_flagz");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("did you mean kubelet_config.kubelet_flags"));
}

TEST(ConfigRoutes, DiffTellsWhatAChangeDoesToTheNodeAndHidesSecrets) {
  json left = json::parse(example("node/config.json"));
  json right = left;
  right["kubelet_config"]["kubelet_flags"]["--max-pods"] = "42";
  right["bootstrapping_config"]["tls_bootstrapping_token"] = "abcdef.fedcba9876543210";
  // As objects, and as texts.
  const json objects = post("/v1/config/diff", json{{"left", left}, {"right", right}}.dump());
  const json texts = post("/v1/config/diff", json{{"left", left.dump()}, {"right", right.dump(2)}}.dump());
  EXPECT_EQ(objects, texts);
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_THAT(objects.dump(), Not(HasSubstr("fedcba9876543210")));
  const json& flag = objects[0]["secret"] == true ? objects[1] : objects[0];
  EXPECT_EQ(flag["right"], "\"42\"");
  EXPECT_THAT(flag["files"], testing::Contains("/etc/default/kubelet"));
  EXPECT_EQ(post("/v1/config/diff", json{{"left", left}, {"right", left}}.dump()), json::array());
  post("/v1/config/diff", json{{"left", left}}.dump(), 422);
  post("/v1/config/diff", json{{"left", left}, {"right", "{"}}.dump(), 422);
  post("/v1/config/diff", "[]", 400);
}

TEST(ConfigRoutes, PlanHasTheStepsInOrderAndSaysWhatItAssumes) {
  const json plan = post("/v1/plan?os=ubuntu2404", example("node/config.json"));
  EXPECT_EQ(plan["milestone"], "kubelet.started");
  std::set<std::string> seen;
  std::set<std::string> all;
  for (const json& step : plan["steps"])
    for (const json& name : step["provides"]) all.insert(name);
  for (const json& step : plan["steps"]) {
    for (const json& name : step["needs"])
      EXPECT_TRUE(seen.contains(name)) << step["name"] << " needs " << name << ", which comes later";
    for (const json& name : step["provides"]) seen.insert(name);
  }
  EXPECT_THAT(plan["assumed"].dump(), HasSubstr("ubuntu2404"));
  EXPECT_THAT(plan["critical_path"].dump(), HasSubstr("kubelet.start"));
  post("/v1/plan?os=beos", example("node/config.json"), 400);
  post("/v1/plan", "{", 422);
}

TEST(ConfigRoutes, ACommandThatIsNotUnderstoodIsRefused) {
  post("/v1/config/from-nbc", "echo hello", 422);
}

TEST(DocumentRoutes, ANodePoolWithItsClassGivesAConfig) {
  const std::string text = example("fleet/nodepool.yaml") + "---\n" + example("fleet/nodeclass.yaml") + "---\n" +
                           example("fleet/settings.yaml");
  const json reply = post("/v1/resolve/check", text);
  EXPECT_EQ(reply["refused"], false) << reply;
  EXPECT_EQ(reply["nodeConfig"]["kubernetes_version"], "1.33.1");
  post("/v1/plan", reply["nodeConfig"].dump());
}

TEST(DocumentRoutes, FindingsHaveTheLinesOfTheWholeText) {
  const std::string pool = example("fleet/nodepool.yaml");
  const std::string text = pool + "---\n" + example("fleet/broken.yaml") + "---\n" + example("fleet/settings.yaml");
  const json reply = post("/v1/resolve/check", text);
  EXPECT_EQ(reply["refused"], true);
  EXPECT_FALSE(reply.contains("nodeConfig"));
  const auto lines = [](const std::string& part) { return std::count(part.begin(), part.end(), '\n'); };
  const json& first = reply["findings"][0];
  EXPECT_GT(first["line"], lines(pool) + 1) << first;
  EXPECT_LE(first["line"], lines(pool) + 1 + lines(example("fleet/broken.yaml"))) << first;
  const json unreadable = post("/v1/resolve/check", "kind: NodePool\n  x: [\n");
  EXPECT_EQ(unreadable["refused"], true);
  EXPECT_EQ(unreadable["findings"][0]["line"], 2) << unreadable;
}

TEST(Page, IsOneDocumentWithAPolicyForItsOwnParts) {
  const ApiResponse page = send("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_LT(page.body.size(), 100u << 10);
  for (const char* mark : {"{policy}", "{style}", "{script}"}) EXPECT_THAT(page.body, Not(HasSubstr(mark)));
  EXPECT_THAT(page.body, HasSubstr("default-src 'none'; connect-src 'self'"));
  for (const char* never : {"unsafe-inline", "innerHTML", "http:", " onclick=", "eval("})
    EXPECT_EQ(page.body.substr(0, page.body.find("const EXAMPLES")).find(never), std::string::npos) << never;
}

}  // namespace
}  // namespace sunup::service
