// The page, and the routes that it uses: the plan, and documents as one text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
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

TEST(PlanRoutes, PlanHasTheStepsInOrderAndSaysWhatItAssumes) {
  const json plan = post("/v1/plan?os=ubuntu2404", example("node/config.json"));
  EXPECT_EQ(plan["milestone"], "kubelet.started");
  std::set<std::string> seen;
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

TEST(DocumentRoutes, ANodePoolWithItsClassGivesAConfig) {
  const std::string text = example("fleet/nodepool.yaml") + "---\n" + example("fleet/nodeclass.yaml") + "---\n" +
                           example("fleet/settings.yaml");
  const json reply = post("/v1/resolve/check", text);
  EXPECT_EQ(reply["refused"], false) << reply;
  EXPECT_EQ(reply["nodeConfig"]["kubernetes_version"], "1.33.1");
  post("/v1/plan", reply["nodeConfig"].dump());
  // The line of "maxPods: 60" determines --max-pods.
  const auto until = text.begin() + static_cast<std::ptrdiff_t>(text.find("maxPods:"));
  const auto line = std::count(text.begin(), until, '\n') + 1;
  EXPECT_TRUE(std::ranges::any_of(reply["effects"], [&](const json& effect) {
    return effect["line"] == line && effect["name"] == "--max-pods" && effect["value"] == "60";
  })) << reply["effects"];
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
