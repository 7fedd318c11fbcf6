// Work for a request grows with its size and not with its square: four times as much to do takes less than nine times
// as many instructions' time of this thread. Square growth takes sixteen times as long.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "fleet/sources/document.h"
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

double processor_seconds(std::string_view target, const std::string& body, int expected) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double before = now();
    EXPECT_EQ(handle(request_of("POST", target, body)).status, expected);
    best = std::min(best, now() - before);
  }
  return best;
}

template <class Make>
void expect_no_square(std::string_view target, Make make, int size, int expected = 200) {
  const double small = processor_seconds(target, make(size / 4).dump(), expected);
  const double large = processor_seconds(target, make(size).dump(), expected);
  EXPECT_LT(large, 9 * small) << target << " takes " << small << " s for " << size / 4 << " and " << large << " s for "
                              << size;
}

TEST(Scaling, Certificates) {
  const auto config = [](int count) {
    json certificates = json::array();
    for (int i = 0; i < count; ++i) certificates.push_back("QUJD" + std::to_string(100000 + i) + "==");
    return json{{"version", "v1"}, {"kubernetes_version", "1.33.1"}, {"custom_ca_certs", std::move(certificates)}};
  };
  expect_no_square("/v1/config/check", config, 75000);
  expect_no_square("/v1/render/env", config, 75000);
}

TEST(Scaling, RequirementValues) {
  const auto body = [](int count) {
    json values = json::array();
    for (int i = 0; i < count; ++i) values.push_back("v" + std::to_string(i));
    json out = resolve_body();
    out["nodePool"]["spec"]["template"]["spec"]["requirements"].push_back(
        {{"key", "example.com/x"}, {"operator", "In"}, {"values", std::move(values)}});
    return out;
  };
  expect_no_square("/v1/resolve", body, 200000);
}

TEST(Scaling, Taints) {
  for (const char* member : {"taints", "startupTaints"}) {
    const auto body = [member](int count) {
      json out = resolve_body();
      json& taints = out["nodePool"]["spec"]["template"]["spec"][member] = json::array();
      for (int i = 0; i < count; ++i)
        taints.push_back({{"key", "k" + std::to_string(i)}, {"value", "v"}, {"effect", "NoSchedule"}});
      return out;
    };
    expect_no_square("/v1/resolve", body, 50000);
  }
}

// Sizes times values is more than any request may take, so the deadline ends it.
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
