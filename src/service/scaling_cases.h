// The largest requests, for each route whose work grows with the request: scaling_test.cc counts what they allocate,
// scaling_bench.cc measures their time.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/base64.h"
#include "contract/load.h"
#include "fleet/launch/node_bootstrapping.h"
#include "fleet/sources/document.h"
#include "render/custom_data.h"
#include "service/context.h"
#include "service/router.h"

namespace sunup::service::scaling {

using nlohmann::json;

constexpr size_t kBody = 4u << 20;  // RequestLimits::body
constexpr char kKarpenter[] =
    "/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/demo-rg/providers/"
    "Microsoft.ContainerService/managedclusters/demo/nodeBootstrapping";

struct Case {
  std::string name;
  std::string target;
  size_t size;                              // in bytes, or the number of items
  std::function<std::string(size_t)> body;  // for a size
  std::string method = "POST";
};

inline json example(const char* name) {
  return (*fleet::read_document_file(std::string(SUNUP_SOURCE_DIR "/examples/fleet/") + name))[0].value;
}

inline json resolve_body() {
  return {{"settings", example("settings.yaml")},
          {"nodePool", example("nodepool.yaml")},
          {"nodeClass", example("nodeclass.yaml")}};
}

inline json provision_values() {
  return (*fleet::read_document_file(SUNUP_SOURCE_DIR "/tests/fuzz/seeds/provision_values/ubuntu.json"))[0].value;
}

// The settings that the route for Karpenter needs.
inline void set_example_context() {
  fleet::Findings findings;
  const auto documents = fleet::read_document_file(SUNUP_SOURCE_DIR "/examples/fleet/settings.yaml");
  set_context({.settings = fleet::read_cluster_settings(*documents, findings)});
}

// {"k100000":"v",...}: 14 bytes each
inline json many_members(size_t bytes) {
  json members = json::object();
  for (size_t i = 0; i < bytes / 14; ++i) members["k" + std::to_string(100000 + i)] = "v";
  return members;
}

// ["PREFIX10000000SUFFIX",...]
inline json many_texts(size_t count, const std::string& prefix, const std::string& suffix = "") {
  json texts = json::array();
  for (size_t i = 0; i < count; ++i) texts.push_back(prefix + std::to_string(10000000 + i) + suffix);
  return texts;
}

inline std::string config_with(const char* pointer, json value) {
  json config = {{"version", "v1"}, {"kubernetes_version", "1.33.1"}};
  config[json::json_pointer(pointer)] = std::move(value);
  return config.dump();
}

inline std::string certificates(size_t count) {
  return config_with("/custom_ca_certs", many_texts(count, "QUJD"));
}

inline std::string labels(size_t size) {
  return config_with("/kubelet_config/kubelet_node_labels", many_members(size - 200));
}

inline std::string requirement_values(size_t count) {
  json body = resolve_body();
  body["nodePool"]["spec"]["template"]["spec"]["requirements"].push_back(
      {{"key", "example.com/x"}, {"operator", "In"}, {"values", many_texts(count, "v")}});
  return body.dump();
}

inline std::string taints(size_t count) {
  json body = resolve_body();
  json& list = body["nodePool"]["spec"]["template"]["spec"]["taints"] = json::array();
  for (size_t i = 0; i < count; ++i)
    list.push_back({{"key", "k" + std::to_string(10000000 + i)}, {"value", "v"}, {"effect", "NoSchedule"}});
  return body.dump();
}

// The objects of a NodePool with its class as text.
inline std::string documents(size_t size) {
  json body = resolve_body();
  body["nodeClass"]["spec"]["tags"] = many_members(size - 4000);
  return body["nodePool"].dump() + "\n---\n" + body["nodeClass"].dump() + "\n---\n" + body["settings"].dump();
}

inline std::string drift(const char* member, size_t size) {
  json was = json::parse(handle(request_of("POST", "/v1/resolve", resolve_body().dump())).body), is = was;
  was[member] = many_members(size - 2 * was.dump().size() - 1000);
  is[member] = {{"k", "v"}};
  return json{{"was", std::move(was)}, {"is", std::move(is)}}.dump();
}

// Two templates with the same number of tags, all of them different.
inline std::string drift_of_both(size_t size) {
  json was = json::parse(handle(request_of("POST", "/v1/resolve", resolve_body().dump())).body), is = was;
  was["tags"] = is["tags"] = many_members((size - 2 * was.dump().size()) / 2 - 1000);
  for (json& tag : is["tags"]) tag = "w";
  return json{{"was", std::move(was)}, {"is", std::move(is)}}.dump();
}

// Labels of the config in the custom data of an old node, and as many requirements of the new one.
inline std::string drift_of_requirements(size_t count) {
  json was = json::parse(handle(request_of("POST", "/v1/resolve", resolve_body().dump())).body), is = was;
  json config = {{"version", "v1"}, {"kubernetes_version", "1.33.1"}};
  for (size_t i = 0; i < count; ++i) {
    const std::string label = "k" + std::to_string(10000000 + i);
    config["kubelet_config"]["kubelet_node_labels"][label] = "v";
    is["requirements"].push_back({{"key", label}, {"operator", "In"}, {"values", {"w"}}});
  }
  const auto loaded = contract::load_text(config.dump(), "config");
  was["customData"] =
      base64_encode(*render::custom_data(loaded->config, {.compression = render::Compression::kAlways}));
  return json{{"was", std::move(was)}, {"is", std::move(is)}}.dump();
}

// An old node whose custom data is an Ignition config with unknown members.
inline std::string drift_of_ignition(size_t size) {
  json was = json::parse(handle(request_of("POST", "/v1/resolve", resolve_body().dump())).body), is = was;
  json document = many_members((size - 2 * was.dump().size()) * 3 / 4 - 1000);
  document["ignition"] = {{"version", "3.3.0"}};
  was["customData"] = base64_encode(document.dump());
  return json{{"was", std::move(was)}, {"is", std::move(is)}}.dump();
}

inline std::string tags_of_a_vm(size_t size) {
  json body = resolve_body();
  body["nodeClass"]["spec"]["tags"] = many_members(size - 4000);
  body["format"] = "vm";
  return body.dump();
}

inline std::string node_class(size_t size) {
  json object = example("nodeclass.yaml");
  object["spec"]["tags"] = many_members(size - 2000);
  return object.dump();
}

inline std::string provisioning(const char* member, json value) {
  json values = provision_values();
  values["provisionProfile"][member] = std::move(value);
  return values.dump();
}

inline std::vector<Case> cases() {
  std::vector<Case> all = {
      {"certificates checked", "/v1/config/check", 240000, certificates},
      {"75,000 certificates checked", "/v1/config/check", 75000, certificates},
      {"certificates", "/v1/render/env", 240000, certificates},
      {"75,000 certificates", "/v1/render/custom-data", 75000, certificates},
      {"labels in custom data", "/v1/render/custom-data", kBody, labels},
      {"unknown members in custom data", "/v1/render/custom-data", kBody,
       [](size_t size) { return config_with("/unknown", many_members(size - 200)); }},
      {"labels in files", "/v1/render/files", kBody, labels},
      {"labels in a plan", "/v1/plan", kBody, labels},
      {"200,000 values of a requirement", "/v1/resolve", 200000, requirement_values},
      {"50,000 taints", "/v1/resolve", 50000, taints},
      // The text of such a request is at most 256 KiB.
      {"documents", "/v1/resolve/check", 256u << 10, documents},
      {"drift of labels", "/v1/drift", kBody, [](size_t size) { return drift("labels", size); }},
      {"drift of tags", "/v1/drift", kBody, [](size_t size) { return drift("tags", size); }},
      {"drift of all tags", "/v1/drift", kBody, drift_of_both},
      {"drift of requirements", "/v1/drift", 20000, drift_of_requirements},
      {"drift of an Ignition config", "/v1/drift", kBody, drift_of_ignition},
      {"a hash", "/v1/nodeclass/hash", kBody, node_class},
      {"tags in a request for a VM", "/v1/resolve", kBody, tags_of_a_vm},
      {"labels for Karpenter", kKarpenter, kBody,
       [](size_t size) { return provisioning("customNodeLabels", many_members(size - 4000)); }, "GET"},
      {"taints for Karpenter", kKarpenter, 150000,
       [](size_t count) { return provisioning("nodeTaints", many_texts(count, "k", ":NoSchedule")); }, "GET"},
  };
  for (const char* piece : {"{", "[", "{\"ExitCode\":\"1\",", "\\", "[stdout]\n[stderr]\n", "{\"a\":\"{"})
    all.push_back({"a status of " + json(piece).dump(), "/v1/status/parse", kBody, [piece](size_t size) {
                     std::string text;
                     while (text.size() + std::string_view(piece).size() < size) text += piece;
                     return text;
                   }});
  return all;
}

}  // namespace sunup::service::scaling
