// Tests of the rule tables themselves, so that a new row is tested automatically: every field accepts some value and
// refuses what each of its rules forbids, and some test violates every condition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "fleet/resolve/test_node.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/node_class_rules.h"
#include "fleet/sources/node_pool_rules.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

constexpr int64_t kNoMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kNoMax = std::numeric_limits<int64_t>::max();

const std::vector<std::pair<std::string, const Object*>>& tables() {
  static const std::vector<std::pair<std::string, const Object*>> kTables = {
      {"AKSNodeClass", &kNodeClassObject},        {"AKSNodeClass v1alpha2", &kAlphaNodeClassObject},
      {"NodeTemplate", &kNodeTemplateObject},     {"NodePool", &kNodePoolObject},
      {"NodePool v1beta1", &kBetaNodePoolObject}, {"NodeClaim", &kNodeClaimObject},
      {"Provisioner", &kProvisionerObject}};
  return kTables;
}

void walk(const std::string& path, const Object& object,
          const std::function<void(const std::string&, const Object&)>& visit) {
  visit(path, object);
  for (const Property& field : object.fields)
    if (field.object != nullptr) walk(path + "." + std::string(field.name), *field.object, visit);
}

// The rules that a value violates as the only field of an object, except those of its content.
std::set<std::string> broken(const Property& field, const json& value) {
  const Property fields[] = {field};
  Findings findings;
  check(Object{.fields = fields}, {{std::string(field.name), value}}, "", Document{}, findings);
  std::set<std::string> rules;
  for (const Finding& finding : findings)
    if (finding.severity == Severity::kError) rules.insert(finding.rule);
  return rules;
}

std::string first_choice(const Property& field) {
  return std::string(field.one_of.substr(0, field.one_of.find('|')));
}

json of_wrong_type(const Property& field) {
  return field.shape == Shape::kText || field.shape == Shape::kQuantity ? json(json::array()) : json("wrong");
}

json items(const Property& field, int64_t count) {
  json list = json::array();
  for (int64_t i = 0; i < count; ++i)
    list.push_back(field.item != nullptr ? json(first_choice(*field.item)) : json::object());
  return list;
}

json entries(int64_t count) {
  json map = json::object();
  for (int64_t i = 0; i < count; ++i) map["k" + std::to_string(i)] = "v";
  return map;
}

void expect_broken(const Property& field, const json& value, const std::string& rule) {
  EXPECT_THAT(broken(field, value), testing::Contains(rule)) << value.dump();
}

void expect_fine(const Property& field, const json& value) {
  EXPECT_THAT(broken(field, value), testing::IsEmpty()) << value.dump();
}

void check_bounds(const Property& field) {
  const auto length = [&](int64_t n) { return json(std::string(static_cast<size_t>(n), 'a')); };
  switch (field.shape) {
    case Shape::kText:
      if (field.min > 0) expect_broken(field, length(field.min - 1), "minLength");
      if (field.max != kNoMax) expect_broken(field, length(field.max + 1), "maxLength");
      return;
    case Shape::kInt:
      if (field.min != kNoMin) expect_broken(field, field.min - 1, "minimum");
      if (field.max != kNoMax) expect_broken(field, field.max + 1, "maximum");
      if (field.min != kNoMin) expect_fine(field, field.min);
      if (field.max != kNoMax) expect_fine(field, field.max);
      return;
    case Shape::kList:
      if (field.min > 0) expect_broken(field, items(field, field.min - 1), "minItems");
      if (field.max != kNoMax) expect_broken(field, items(field, field.max + 1), "maxItems");
      return;
    case Shape::kMap:
      if (field.max != kNoMax) expect_broken(field, entries(field.max + 1), "maxProperties");
      return;
    case Shape::kQuantity:
      if (field.min == 0) expect_broken(field, "-1", "minimum");
      return;
    default:
      return;
  }
}

// For every text with a pattern, one of these is valid.
bool takes_something(const Property& field) {
  const char* samples[] = {"a",
                           "1h",
                           "1h30m",
                           "100ms",
                           "10Mi",
                           "10%",
                           "50Mi",
                           "1024 65535",
                           ".",
                           "10.0.0.10",
                           "1.34.2",
                           "@daily",
                           "2Gi",
                           "example.com/a",
                           "12345678-1234-1234-1234-123456789012",
                           "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n"};
  if (!field.one_of.empty()) return broken(field, first_choice(field)).empty();
  return std::any_of(std::begin(samples), std::end(samples),
                     [&](const char* text) { return broken(field, text).empty(); });
}

TEST(Rules, EveryFieldRefusesWhatEachOfItsRulesForbids) {
  size_t fields = 0;
  for (const auto& [name, table] : tables())
    walk(name, *table, [&](const std::string& path, const Object& object) {
      for (const Property& field : object.fields) {
        SCOPED_TRACE(path + "." + std::string(field.name));
        ++fields;
        if (field.required) {
          Findings findings;
          const Property alone[] = {field};
          check(Object{.fields = alone}, json::object(), "", Document{}, findings);
          EXPECT_EQ(findings.size(), 1u);
        }
        if (field.shape == Shape::kAny) continue;
        expect_broken(field, of_wrong_type(field), "type");
        check_bounds(field);
        if (field.shape == Shape::kText) {
          EXPECT_TRUE(takes_something(field));
          if (!field.one_of.empty()) expect_broken(field, "no such choice", "enum");
          if (field.pattern != nullptr) expect_broken(field, "!/ !", "pattern");
        }
        if (field.shape == Shape::kMap && field.keys != nullptr) expect_broken(field, {{"!/ <!", "a"}}, "key");
        if (field.shape == Shape::kMap && field.pattern != nullptr)
          expect_broken(field, {{"a", std::string(600, '!')}}, "pattern");
        if (field.shape == Shape::kQuantity) expect_broken(field, "lots", "pattern");
      }
    });
  EXPECT_GT(fields, 100u);
}

// Conditions relate fields, so they cannot be violated by the table alone. Each must be named, in whole or in part, by
// a test that violates it.
TEST(Rules, EveryConditionIsBrokenByATestThatNamesIt) {
  std::vector<std::string> literals;
  for (const auto& file : std::filesystem::recursive_directory_iterator(SUNUP_SOURCE_DIR "/src/fleet")) {
    if (!file.path().string().ends_with("_test.cc")) continue;
    std::ifstream in(file.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 1)) {
      const size_t end = text.find('"', at + 1);
      if (end == text.npos) break;
      if (end - at > 16) literals.push_back(text.substr(at + 1, end - at - 1));
      at = end;
    }
  }
  size_t conditions = 0;
  for (const auto& [name, table] : tables())
    walk(name, *table, [&](const std::string& path, const Object& object) {
      for (const Condition& condition : object.conditions) {
        ++conditions;
        EXPECT_TRUE(std::any_of(literals.begin(), literals.end(),
                                [&](const std::string& literal) {
                                  return literal.find(condition.must) != literal.npos ||
                                         condition.must.find(literal) != condition.must.npos;
                                }))
            << path << ": " << condition.must;
      }
    });
  EXPECT_GT(conditions, 20u);
}

TEST(Rules, RefuseNumbersThatTheirFieldCannotHold) {
  for (const char* number : {"2147483648", "9223372036854775808", "18446744073709551615"}) {
    json node_class = TestNode().node_class;
    node_class["spec"]["kubelet"]["containerLogMaxFiles"] = json::parse(number);
    Findings findings;
    EXPECT_FALSE(read_node_class({node_class, {}, ""}, findings)) << number;
    EXPECT_THAT(describe(findings, Severity::kError), ::testing::HasSubstr("(rule: maximum)")) << number;
  }
}

}  // namespace
}  // namespace sunup::fleet
