// A node config: read tolerantly, judged, and given on to the functions of render.h.
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

// Something to be said about a config. Never holds a secret.
struct Remark {
  enum class Severity { kError, kWarning, kNote };
  Severity severity = Severity::kError;
  std::string rule;  // "unknown-field"
  std::string path;  // "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  int line = 0;      // 1-based; 0: no place in the text
  int column = 0;
  std::string message;
  std::string hint;
};

class NodeConfig {
 public:
  // An error says what is wrong and where. `name` stands for the file in it.
  static Result<NodeConfig> parse(std::string_view json, std::string_view name = "config");
  static Result<NodeConfig> load(const std::string& path);

  // What reading it tolerated: fields and values that this version does not know.
  const std::vector<Remark>& tolerated() const;
  // What would make a node that is dead, or not the one that was meant. Certificates are judged at `now`; 0: their
  // dates are not judged.
  std::vector<Remark> check(std::time_t now = 0) const;
  // Equal configs give equal text. Fields that this version does not know are in it.
  std::string canonical_json() const;

  struct Content;  // for the library itself
  const Content& content() const { return *content_; }

 private:
  explicit NodeConfig(std::shared_ptr<const Content> content);
  std::shared_ptr<const Content> content_;  // shared: a config does not change, and copies are cheap
};

}  // namespace sunup
