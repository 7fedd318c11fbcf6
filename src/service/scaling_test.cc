// The work for a request of the largest size grows linearly with its size, not quadratically. The test compares the
// processor time of this thread for the body with that for a sixteenth of it: linear work takes about 16 times as long,
// quadratic work 256 times. The bound is far from both, and a case that exceeds it is measured again, so that a busy
// machine does not fail the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "fleet/launch/node_bootstrapping.h"
#include "fleet/sources/document.h"
#include "service/context.h"
#include "service/router.h"

namespace sunup::service {
namespace {

using nlohmann::json;

json example(const char* name) {
  return (*fleet::read_document_file(std::string(SUNUP_SOURCE_DIR "/examples/fleet/") + name))[0].value;
}

json resolve_body() {
  return {{"settings", example("settings.yaml")},
          {"nodePool", example("nodepool.yaml")},
          {"nodeClass", example("nodeclass.yaml")}};
}

constexpr double kBound = 100;
constexpr size_t kBody = 4u << 20;  // RequestLimits::body

double processor_seconds(std::string_view method, std::string_view target, const std::string& body) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  const double before = now();
  EXPECT_LT(handle(request_of(method, target, body)).status, 500) << target;
  return now() - before;
}

// `make` returns a body of about this size.
template <class Make>
void expect_no_square(std::string_view target, Make make, size_t size = kBody, std::string_view method = "POST") {
  const std::string large = make(size), small = make(size / 16);
  EXPECT_GT(large.size(), size * 2 / 3) << target;
  EXPECT_LE(large.size(), size) << target;
  double best_small = 1e9, best_large = 1e9;
  int rounds = 0;
  do {
    for (int j = 0; j < 3; ++j) best_small = std::min(best_small, processor_seconds(method, target, small));
    best_large = std::min(best_large, processor_seconds(method, target, large));
  } while (++rounds < 3 && best_large >= kBound * best_small);
  EXPECT_LT(best_large, kBound * best_small) << target << " takes " << best_small << " s for " << small.size()
                                             << " bytes and " << best_large << " s for " << large.size();
}

// {"k000000":"v",...}: 14 bytes each
json many_members(size_t size) {
  json members = json::object();
  for (size_t i = 0; i < size / 14; ++i) members["k" + std::to_string(100000 + i)] = "v";
  return members;
}

std::string config_with(const char* pointer, json value) {
  json config = {{"version", "v1"}, {"kubernetes_version", "1.33.1"}};
  config[json::json_pointer(pointer)] = std::move(value);
  return config.dump();
}

std::string certificates(size_t size) {
  json list = json::array();
  for (size_t i = 0; i < size / 16; ++i) list.push_back("QUJD" + std::to_string(10000000 + i));
  list.erase(list.begin(), list.begin() + 10);
  return config_with("/custom_ca_certs", std::move(list));
}

std::string labels(size_t size) {
  return config_with("/kubelet_config/kubelet_node_labels", many_members(size - 200));
}

TEST(Scaling, Certificates) {
  expect_no_square("/v1/config/check", certificates);
  expect_no_square("/v1/render/env", certificates);
}

// The same function makes the custom data of a VM model and of AgentBaker's route.
TEST(Scaling, CustomData) {
  expect_no_square("/v1/render/custom-data", labels);
  expect_no_square("/v1/render/custom-data",
                   [](size_t size) { return config_with("/unknown", many_members(size - 200)); });
}

TEST(Scaling, Nodes) {
  expect_no_square("/v1/render/files", labels);
  expect_no_square("/v1/plan", labels);
}

TEST(Scaling, Statuses) {
  for (const char* piece : {"{", "[", "{\"ExitCode\":\"1\",", "\\", "[stdout]\n[stderr]\n", "{\"a\":\"{"})
    expect_no_square("/v1/status/parse", [piece = std::string_view(piece)](size_t size) {
      std::string text;
      while (text.size() + piece.size() < size) text += piece;
      return text;
    });
}

template <class Change>
auto resolved(Change change) {
  return [change](size_t size) {
    json body = resolve_body();
    change(body, size - 4000);
    return body.dump();
  };
}

TEST(Scaling, Resolving) {
  const auto values = resolved([](json& body, size_t size) {
    json list = json::array();
    for (size_t i = 0; i < size / 10; ++i) list.push_back("v" + std::to_string(100000 + i));
    body["nodePool"]["spec"]["template"]["spec"]["requirements"].push_back(
        {{"key", "example.com/x"}, {"operator", "In"}, {"values", std::move(list)}});
  });
  const auto taints = resolved([](json& body, size_t size) {
    json& list = body["nodePool"]["spec"]["template"]["spec"]["taints"] = json::array();
    for (size_t i = 0; i < size / 53; ++i)
      list.push_back({{"key", "k" + std::to_string(10000 + i)}, {"value", "v"}, {"effect", "NoSchedule"}});
  });
  const auto tags = resolved([](json& body, size_t size) { body["nodeClass"]["spec"]["tags"] = many_members(size); });
  expect_no_square("/v1/resolve", values);
  expect_no_square("/v1/resolve", taints);
  // The text of such a request is at most 1 MiB.
  expect_no_square(
      "/v1/resolve/check",
      [&](size_t size) {
        const json body = json::parse(tags(size));
        return body["nodePool"].dump() + "\n---\n" + body["nodeClass"].dump() + "\n---\n" + body["settings"].dump();
      },
      1u << 20);
  EXPECT_EQ(handle(request_of("POST", "/v1/resolve/check", std::string((1u << 20) + 1, ' '))).status, 413);
}

TEST(Scaling, Comparing) {
  const json made = json::parse(handle(request_of("POST", "/v1/resolve", resolve_body().dump())).body);
  for (const char* member : {"labels", "tags"})
    expect_no_square("/v1/drift", [&](size_t size) {
      json was = made, is = made;
      was[member] = many_members(size / 2 - made.dump().size());
      is[member] = {{"k", "v"}};
      return json{{"was", std::move(was)}, {"is", std::move(is)}}.dump() +
             std::string(size / 2 - 2 * made.dump().size(), ' ');
    });
  expect_no_square("/v1/nodeclass/hash", [](size_t size) {
    json object = example("nodeclass.yaml");
    object["spec"]["tags"] = many_members(size - 2000);
    return object.dump();
  });
}

TEST(Scaling, Karpenter) {
  fleet::Findings findings;
  const auto documents = fleet::read_document_file(SUNUP_SOURCE_DIR "/examples/fleet/settings.yaml");
  set_context({.settings = fleet::read_cluster_settings(*documents, findings)});
  const json seed =
      (*fleet::read_document_file(SUNUP_SOURCE_DIR "/tests/fuzz/seeds/provision_values/ubuntu.json"))[0].value;
  const auto with = [&](const char* member, auto value) {
    return [&seed, member, value](size_t size) {
      json values = seed;
      values["provisionProfile"][member] = value(size - 4000);
      return values.dump();
    };
  };
  constexpr char kPath[] =
      "/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/demo-rg/providers/"
      "Microsoft.ContainerService/managedclusters/demo/nodeBootstrapping";
  EXPECT_EQ(handle(request_of("GET", kPath, seed.dump())).status, 200);
  expect_no_square(kPath, with("customNodeLabels", many_members), kBody, "GET");
  expect_no_square(kPath,
                   with("nodeTaints",
                        [](size_t size) {
                          json list = json::array();
                          for (size_t i = 0; i < size / 24; ++i)
                            list.push_back("k" + std::to_string(100000 + i) + ":NoSchedule");
                          return list;
                        }),
                   kBody, "GET");
  set_context({});
}

// Sizes times values is more work than a request may do, so the deadline ends it.
TEST(Scaling, WorkThatIsTooLongIsGivenUp) {
  json body = resolve_body();
  json& requirements = body["nodePool"]["spec"]["template"]["spec"]["requirements"] = json::array();
  json values = json::array();
  for (int i = 0; i < 50000; ++i) values.push_back("Standard_X" + std::to_string(i));
  requirements.push_back({{"key", "node.kubernetes.io/instance-type"}, {"operator", "In"}, {"values", values}});
  body["instanceTypes"] = json::array();
  for (int i = 0; i < 10000; ++i)
    body["instanceTypes"].push_back(
        {{"name", "Standard_D" + std::to_string(i) + "s_v5"}, {"vCPUs", 4}, {"memoryGiB", 16}, {"arch", "amd64"}});
  const std::string text = body.dump();
  EXPECT_EQ(handle(request_of("POST", "/v1/resolve", text, Deadline::after(std::chrono::milliseconds(300)))).status,
            503);

  json flags = json::object();
  for (int i = 0; i < 100000; ++i) flags["--f" + std::to_string(i)] = "v";
  const json config = {{"version", "v1"}, {"kubelet_config", {{"kubelet_flags", std::move(flags)}}}};
  const std::string left = config.dump(), right = json{{"left", config}, {"right", {{"version", "v1"}}}}.dump();
  EXPECT_EQ(handle(request_of("POST", "/v1/config/check", left, Deadline::after(std::chrono::milliseconds(10)))).status,
            503);
  EXPECT_EQ(
      handle(request_of("POST", "/v1/config/diff", right, Deadline::after(std::chrono::milliseconds(300)))).status,
      503);
}

}  // namespace
}  // namespace sunup::service
