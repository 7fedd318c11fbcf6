#include "fleet/launch/drift.h"

#include <cstdio>
#include <memory>
#include <string>

#include "base/input.h"
#include "fleet/sources/document.h"
#include "verbs.h"

namespace sunup {
namespace {

int run(const std::string& was, const std::string& is, const std::string& format) {
  nlohmann::json documents[2];
  const std::string* paths[] = {&was, &is};
  for (int i = 0; i < 2; ++i) {
    auto read = fleet::read_document_file(*paths[i]);
    if (!read) {
      std::fprintf(stderr, "sunup drift: %s\n", read.error().what.c_str());
      return 2;
    }
    if (read->empty()) {
      std::fprintf(stderr, "sunup drift: %s: contains nothing to compare\n", input_name(*paths[i]).c_str());
      return 2;
    }
    // Several documents (or a List, which the reader splits) all describe one node.
    documents[i] = read->size() == 1 ? (*read)[0].value : nlohmann::json{{"items", nlohmann::json::array()}};
    if (read->size() != 1)
      for (const auto& doc : *read) documents[i]["items"].push_back(doc.value);
  }
  const auto report = fleet::compare_drift(documents[0], documents[1]);
  if (!report) {
    const Error& error = report.error();
    std::fprintf(stderr, "sunup drift: %s%s%s\n", error.what.c_str(), error.hint.empty() ? "" : "; ",
                 error.hint.c_str());
    return 2;
  }
  if (format == "json")
    std::puts(fleet::drift_json(*report).dump(2).c_str());
  else if (format == "patch")
    std::puts(report->patch.is_null() ? "{}" : report->patch.dump(2).c_str());
  else
    std::fputs(fleet::drift_text(*report).c_str(), stdout);
  return report->drifted() ? 1 : 0;
}

}  // namespace

void add_drift(CLI::App& app, int& exit_code) {
  auto* verb = add_verb(app, "drift", "show which fields of a node have drifted, and whether a new node is needed");
  verb->footer(
      "A describes the existing node: a launch template of `sunup resolve`, or the state of the live node (a Node, "
      "a\nNodeClaim, their AKSNodeClass or AKS machine, or a List of them, as JSON or YAML). B is the current launch "
      "template.\nFormat patch is the body of the PATCH request that updates the VM in place ({} if there is "
      "none).\nExit code: 0 no drift, 1 "
      "drift.\n\n  sunup resolve ... > today.json && sunup drift yesterday.json today.json");
  auto was = std::make_shared<std::string>();
  auto is = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  verb->add_option("A", *was, "launch template or live state of the node; - is standard input")->required();
  verb->add_option("B", *is, "the current launch template")->required();
  verb->add_option("--format", *format, "text, json or patch")->check(one_of({"text", "json", "patch"}));
  verb->callback([=, &exit_code] { exit_code = run(*was, *is, *format); });
}

}  // namespace sunup
