#include <sunup/node_config.h>

#include "client/content.h"
#include "contract/check.h"
#include "contract/write.h"
#include "render/config_or_command.h"

namespace sunup {
namespace {

Remark::Severity severity_of(contract::Severity severity) {
  switch (severity) {
    case contract::Severity::kError:
      return Remark::Severity::kError;
    case contract::Severity::kWarning:
      return Remark::Severity::kWarning;
    case contract::Severity::kNote:
      return Remark::Severity::kNote;
  }
  return Remark::Severity::kError;
}

std::vector<Remark> remarks_of(const std::vector<contract::Finding>& findings) {
  std::vector<Remark> remarks;
  for (const contract::Finding& finding : findings) {
    remarks.push_back({severity_of(finding.severity), finding.rule, finding.path, finding.at.line, finding.at.column,
                       finding.message, finding.hint});
  }
  return remarks;
}

}  // namespace

NodeConfig::NodeConfig(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

Result<NodeConfig> NodeConfig::parse(std::string_view json, std::string_view name) {
  contract::Details details;
  Result<contract::Loaded> loaded = render::load_only_config(json, name, &details);
  if (!loaded) return std::move(loaded).error();
  auto content = std::make_shared<Content>();
  content->config = std::move(loaded->config);
  content->places = std::move(details.places);
  content->unknown = std::move(loaded->unknown);
  content->text = json;
  content->tolerated = remarks_of(loaded->findings);
  return NodeConfig(std::move(content));
}

Result<NodeConfig> NodeConfig::load(const std::string& path) {
  Result<std::string> text = contract::read_config_file(path);
  if (!text) return std::move(text).error();
  return parse(*text, path);
}

const std::vector<Remark>& NodeConfig::tolerated() const {
  return content_->tolerated;
}

std::vector<Remark> NodeConfig::check(std::time_t now) const {
  return remarks_of(contract::check(content_->config, content_->places, {.now = now}));
}

std::string NodeConfig::canonical_json() const {
  return contract::to_json(content_->config, content_->unknown);
}

}  // namespace sunup
