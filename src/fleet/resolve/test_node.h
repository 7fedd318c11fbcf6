// A node to resolve in tests, with a reasonable value for everything; a test changes one of them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fleet/resolve/instance_choice.h"
#include "fleet/resolve/resolver.h"

namespace sunup::fleet {

// A certificate of an unused authority.
inline constexpr char kTestCa[] =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJWakNCL2FBREFnRUNBZ0VCTUFvR0NDcUdTTTQ5QkFNQ01CSXhFREFPQmdOVkJBTU1CMlJsYl"
    "c4dFkyRXcKSUJjTk1qUXdNVEF4TURBd01EQXdXaGdQTWpFeU5EQXhNREV3TURBd01EQmFNQkl4RURBT0JnTlZCQU1NQjJSbApiVzh0WTJFd1dUQVRC"
    "Z2NxaGtqT1BRSUJCZ2dxaGtqT1BRTUJCd05DQUFRWW85SEpUUVBKcnIxcFV1dEMvQWtyClpDcC9PcURsS2p6WUlSUWtxTWsxWllIZllvUUdYcG5rZj"
    "EyUjVIS3Rac2VxblUvZG01TC9LOTFDRFU1UzRwdnMKbzBJd1FEQVBCZ05WSFJNQkFmOEVCVEFEQVFIL01BNEdBMVVkRHdFQi93UUVBd0lCaGpBZEJn"
    "TlZIUTRFRmdRVQpCSW5ENXA2TUliQloyRFFsMlFNR29xMzRneDB3Q2dZSUtvWkl6ajBFQXdJRFNBQXdSUUloQU9udXEvMldwZy9GCmlWQlphRDJMK2"
    "9vazYvd2JvaW4rcXBxOUl6MURwVXVpQWlBWVg0UWdpeGZVbEVRS0ZQc0xxYm9lL0xTUE54OGIKMGFDeXlaNWkvdkJFdlE9PQotLS0tLUVORCBDRVJU"
    "SUZJQ0FURS0tLS0tCg==";

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
      {"ca-bundle", kTestCa},
      {"dns-service-ip", "10.0.0.10"},
      {"vnet-guid", "61f71907-753f-4802-a901-47361c3664f2"},
  };
  nlohmann::json pool = nlohmann::json::parse(R"({
    "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
    "spec": {"template": {"spec": {"requirements": [],
      "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}}}})");
  nlohmann::json node_class = nlohmann::json::parse(R"({
    "apiVersion": "karpenter.azure.com/v1beta1", "kind": "AKSNodeClass", "metadata": {"name": "default"}, "spec": {}})");
  std::string size = "Standard_D2s_v5";
  std::optional<InstanceType> type;  // replaces `size`
  Detected detected;
  Bootstrap bootstrap = Bootstrap::kScriptless;
  Environment environment;
  KindCheck check = nullptr;
  std::map<std::string, std::string> requests;  // of the claim

  // The parsed sources; a Resolution points to them.
  Findings findings;
  std::optional<NodePool> read_pool;
  std::optional<NodeClass> read_class;
  NodeClaim claim;
  InstanceType read_type;
  std::optional<Resolver> read_resolver;

  Resolver resolver() {
    findings.clear();
    Settings read = read_settings({{settings, {}, ""}}, environment, findings);
    check_settings(read, findings);
    read_pool = read_node_pool({pool, {}, ""}, findings);
    read_class = read_node_class({node_class, {}, ""}, findings);
    EXPECT_EQ(describe(findings, Severity::kError), "");
    claim = claim_of(*read_pool);
    claim.requests = requests;
    read_type = with_labels(type ? *type : *known_instance_type(size));
    Resolver made(std::move(read), detected, ImageProvider(recorded_image_versions()), check);
    if (bootstrap == Bootstrap::kNodeConfig) made.set_bootstrap(bootstrap);
    return made;
  }

  Result<Resolution> try_resolve() {
    read_resolver.emplace(resolver());
    return read_resolver->resolve({&*read_pool, &*read_class, &claim, &read_type});
  }

  Resolution resolve() {
    auto resolved = try_resolve();
    if (!resolved) ADD_FAILURE() << resolved.error().what;
    return *std::move(resolved);
  }

  Result<std::string> try_choose(const std::vector<InstanceType>& types) {
    const Resolver made = resolver();
    const Constraints constraints(claim, &*read_pool);
    std::vector<InstanceType> labelled;
    for (const InstanceType& one : types) labelled.push_back(with_labels(one));
    std::vector<const InstanceType*> pointers;
    for (const InstanceType& one : labelled) pointers.push_back(&one);
    auto chosen =
        choose_instance_type({&claim, &*read_pool, &*read_class, &made.settings(), &constraints, &made}, pointers);
    if (!chosen) return chosen.error();
    return (*chosen)->name;
  }
};

}  // namespace sunup::fleet
