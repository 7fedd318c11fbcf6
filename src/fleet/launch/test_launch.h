// A node to render in tests.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fleet/launch/launch_template.h"
#include "fleet/launch/node_config.h"
#include "fleet/resolve/test_node.h"

namespace sunup::fleet {

// Uses the same check as the resolvers of the programs.
struct CheckedNode : TestNode {
  CheckedNode() { check = refuse_node_config; }
};

// The launch template of a node, with its sources.
struct TestLaunch {
  CheckedNode test;
  Resolution node;
  LaunchTemplate made;

  explicit TestLaunch(CheckedNode from) : test(std::move(from)), node(test.resolve()) {
    auto result = make_launch_template(node);
    if (!result) ADD_FAILURE() << result.error().what;
    made = *std::move(result);
  }
  nlohmann::json to_json() const { return nlohmann::json::parse(launch_template_json(node, made)); }
};

}  // namespace sunup::fleet
