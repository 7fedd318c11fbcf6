#include <cstdio>
#include <memory>
#include <string>

#include "fleet/document.h"
#include "fleet/node_class.h"
#include "fleet/node_class_hash.h"
#include "verbs.h"

namespace sunup {
namespace {

int print_hash(const std::string& path, bool as_written) {
  auto documents = fleet::read_document_file(path);
  if (!documents) {
    std::fprintf(stderr, "sunup nodeclass hash: %s\n", documents.error().what.c_str());
    return 2;
  }
  const fleet::Document* found = nullptr;
  for (const auto& doc : *documents)
    if (doc.kind() == "AKSNodeClass" || (doc.kind().empty() && doc.value.contains("spec"))) found = &doc;
  if (found == nullptr) {
    std::fprintf(stderr, "sunup nodeclass hash: %s: holds no AKSNodeClass\n", path.c_str());
    return 2;
  }
  nlohmann::json object = found->value;
  if (!as_written) fleet::apply_node_class_defaults(object);
  const auto hash = fleet::node_class_hash(object.value("spec", nlohmann::json::object()));
  if (!hash) {
    std::fprintf(stderr, "sunup nodeclass hash: %s: %s\n", path.c_str(), hash.error().what.c_str());
    return 1;
  }
  std::puts(hash->c_str());
  return 0;
}

}  // namespace

void add_nodeclass(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("nodeclass", "about AKSNodeClass objects");
  verb->require_subcommand(1);
  auto* hash = verb->add_subcommand("hash", "the drift hash of an AKSNodeClass");
  hash->footer(
      "Prints the number that annotation karpenter.azure.com/aksnodeclass-hash (version v3) holds for this object.\n"
      "Defaults are filled in first, as the API server does; --as-written leaves them out. Tags do not count.\n\n"
      "  sunup nodeclass hash nodeclass.yaml\n  4108492229247269128");
  auto path = std::make_shared<std::string>();
  auto as_written = std::make_shared<bool>(false);
  hash->add_option("FILE", *path, "the AKSNodeClass, YAML or JSON")->required();
  hash->add_flag("--as-written", *as_written, "hash the object without filling in defaults");
  hash->callback([path, as_written, &exit_code] { exit_code = print_hash(*path, *as_written); });
}

}  // namespace sunup
