#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/input.h"
#include "fleet/sources/document.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_class_hash.h"
#include "standard_output.h"
#include "verbs.h"

namespace sunup {
namespace {

// An object that consists only of a spec is completed, so that it can be validated.
fleet::Document completed(fleet::Document doc) {
  const auto fill = [](nlohmann::json& object, const char* name, const char* value) {
    if (!object.contains(name)) object[name] = value;
  };
  fill(doc.value, "apiVersion", "karpenter.azure.com/v1beta1");
  fill(doc.value, "kind", "AKSNodeClass");
  if (!doc.value.contains("metadata")) doc.value["metadata"] = nlohmann::json::object();
  if (doc.value["metadata"].is_object()) fill(doc.value["metadata"], "name", "default");
  return doc;
}

int print_hashes(const std::string& path, bool as_written) {
  auto documents = fleet::read_document_file(path);
  if (!documents) return complain("nodeclass hash", documents.error());
  std::vector<const fleet::Document*> classes;
  for (const auto& doc : *documents)
    if (fleet::is_node_class(doc.value)) classes.push_back(&doc);
  if (classes.empty()) return complain("nodeclass hash", Error(input_name(path) + ": contains no AKSNodeClass"));

  // An object that the API server would reject has no meaningful hash.
  fleet::Findings findings;
  for (const fleet::Document* doc : classes) fleet::read_node_class(completed(*doc), findings);
  std::fputs(fleet::describe(findings, fleet::Severity::kWarning, "warning: ").c_str(), stderr);
  std::fputs(fleet::describe(findings, fleet::Severity::kError, "error: ").c_str(), stderr);
  if (fleet::has_errors(findings)) return 1;

  std::string lines;
  for (const fleet::Document* doc : classes) {
    nlohmann::json object = doc->value;
    if (!as_written) fleet::apply_node_class_defaults(object);
    const auto hash = fleet::node_class_hash(object.value("spec", nlohmann::json::object()));
    if (!hash) return complain("nodeclass hash", hash.error().in(doc->file), 1);
    lines += *hash;
    if (classes.size() > 1) lines += "  " + doc->name();  // a single hash needs no name
    lines += '\n';
  }
  std::fputs(lines.c_str(), stdout);
  return 0;
}

}  // namespace

void add_nodeclass(CLI::App& app, int& exit_code) {
  auto* verb = add_verb(app, "nodeclass", "commands for AKSNodeClass objects");
  verb->require_subcommand(1);
  verb->footer("Example: sunup nodeclass hash nodeclass.yaml");
  auto* hash = add_verb(*verb, "hash", "print the drift hash of an AKSNodeClass");
  hash->footer(
      "Prints the value of the annotation karpenter.azure.com/aksnodeclass-hash (version v3) for this object. If the "
      "file\ncontains several objects, prints a line for each, with its name after the hash. Defaults are filled in "
      "first, as by\nthe API server; --as-written leaves them out. Tags are ignored. An object that violates a rule "
      "has no hash.\n\n  sunup nodeclass hash nodeclass.yaml\n  4108492229247269128");
  auto path = std::make_shared<std::string>();
  auto as_written = std::make_shared<bool>(false);
  hash->add_option("FILE", *path, "the AKSNodeClass, YAML or JSON; - is standard input")->required();
  hash->add_flag("--as-written", *as_written, "hash the object without filling in defaults");
  hash->callback([path, as_written, &exit_code] { exit_code = print_hashes(*path, *as_written); });
}

}  // namespace sunup
