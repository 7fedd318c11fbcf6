// A node config: loaded tolerantly, checked, and passed to the functions of render.h.
//
//   sunup::Result<sunup::NodeConfig> config = sunup::NodeConfig::load("node.json");
//   if (!config) return fail(config.error().what);
//   for (const sunup::Remark& remark : config->check()) show(remark);
#pragma once

#include <sunup/result.h>

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sunup {

// A finding about a config. Never contains a secret.
struct Remark {
  enum class Severity { kError, kWarning, kNote };
  Severity severity = Severity::kError;
  std::string rule;  // "unknown-field"
  std::string path;  // "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  int line = 0;      // 1-based; 0: no position in the text
  int column = 0;
  std::string message;
  std::string hint;
};

class NodeConfig {
 public:
  // The error contains what is wrong and where. `name` is used as the file name.
  static Result<NodeConfig> parse(std::string_view json, std::string_view name = "config");
  static Result<NodeConfig> load(const std::string& path);

  // Findings of the loader: fields and values that this version does not know.
  const std::vector<Remark>& tolerated() const;
  // Mistakes that lead to a node that does not become Ready or differs from what was intended. Certificates are checked
  // at `now`; 0: their dates are not checked.
  std::vector<Remark> check(std::time_t now = 0) const;
  // The canonical text: equal for equal configs. Contains fields that this version does not know.
  std::string canonical_json() const;

  struct Content;  // for the library itself
  const Content& content() const { return *content_; }

 private:
  explicit NodeConfig(std::shared_ptr<const Content> content);
  std::shared_ptr<const Content> content_;  // shared, because a config does not change
};

}  // namespace sunup
