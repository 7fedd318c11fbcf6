// One node to resolve in tests: reasonable everything, for a test to change one thing of.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fleet/resolver.h"

namespace sunup::fleet {

struct TestNode {
  nlohmann::json settings = {
      {"cluster-name", "cl"},
      {"cluster-endpoint", "https://cl-rg-123456-abcdef01.hcp.eastus.azmk8s.io:443"},
      {"kubelet-bootstrap-token", "abcdef.0123456789abcdef"},
      {"ssh-public-key", "ssh-rsa AAAA test"},
      {"network-policy", "cilium"},
      {"network-security-group", "aks-agentpool-46593302-nsg"},
      {"vnet-subnet-id",
       "/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/MC_rg_cl_eastus/providers/"
       "Microsoft.Network/virtualNetworks/aks-vnet-46593302/subnets/aks-subnet"},
      {"node-resource-group", "MC_rg_cl_eastus"},
      {"subscription-id", "12345678-1234-1234-1234-123456789012"},
      {"location", "eastus"},
      {"kubernetes-version", "1.33.1"},
      {"ca-bundle", "Q0EK"},
      {"dns-service-ip", "10.0.0.10"},
  };
  nlohmann::json pool = nlohmann::json::parse(R"({
    "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
    "spec": {"template": {"spec": {"requirements": [],
      "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}}}})");
  nlohmann::json node_class = nlohmann::json::parse(R"({
    "apiVersion": "karpenter.azure.com/v1beta1", "kind": "AKSNodeClass", "metadata": {"name": "default"}, "spec": {}})");
  std::string size = "Standard_D2s_v5";
  std::optional<InstanceType> type;  // in place of size
  Detected detected;
  Bootstrap bootstrap = Bootstrap::kScriptless;
  Environment environment;

  // What was read; a Resolution points into it.
  Findings findings;
  std::optional<NodePool> read_pool;
  std::optional<NodeClass> read_class;
  NodeClaim claim;
  InstanceType read_type;

  Resolver resolver() {
    findings.clear();
    Settings read = read_settings({{settings, {}, ""}}, environment, findings);
    check_settings(read, findings);
    read_pool = read_node_pool({pool, {}, ""}, findings);
    read_class = read_node_class({node_class, {}, ""}, findings);
    EXPECT_EQ(describe(findings, Severity::kError), "");
    claim = claim_of(*read_pool);
    read_type = type ? *type : *known_instance_type(size);
    Resolver made(std::move(read), detected, ImageProvider(recorded_image_versions()));
    if (bootstrap == Bootstrap::kNodeConfig) made.set_bootstrap(bootstrap);
    return made;
  }

  Result<Resolution> try_resolve() {
    const Resolver made = resolver();
    return made.resolve({&*read_pool, &*read_class, &claim, &read_type});
  }

  Resolution resolve() {
    auto resolved = try_resolve();
    if (!resolved) ADD_FAILURE() << resolved.error().what;
    return *std::move(resolved);
  }

  Result<std::string> try_choose(const std::vector<InstanceType>& types) {
    const Resolver made = resolver();
    auto chosen = made.choose({&*read_pool, &*read_class, &claim, nullptr}, types);
    if (!chosen) return chosen.error();
    return (*chosen)->name;
  }
};

}  // namespace sunup::fleet
