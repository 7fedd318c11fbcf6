// A route that accepts Kubernetes objects and settings in one text of several documents, YAML or JSON. Findings have
// line numbers of that text.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "contract/write.h"
#include "fleet/launch/explain.h"
#include "fleet/launch/node_config.h"
#include "fleet/launch/resolve_request.h"
#include "fleet/sources/document.h"
#include "render/node/config_judgement.h"
#include "service/answers.h"
#include "service/context.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using contract::Finding;
using fleet::Findings;
using nlohmann::ordered_json;
namespace node = render::node;

// For output in a terminal the path begins with the position. In the response, the position has its own members.
void separate_place(Finding& finding) {
  const std::string place = "line " + std::to_string(finding.at.line) + ": ";
  if (finding.path.starts_with(place)) finding.path.erase(0, place.size());
}

bool is_of(const fleet::Document& document, std::string_view source) {
  const std::string kind = document.kind();
  if (source == "nodepool") return kind == "NodePool" || kind == "Provisioner";
  return source == "nodeclass" && (kind == "AKSNodeClass" || kind == "NodeTemplate");
}

// The properties of the node that the lines of the node pool and node class determine.
ordered_json effects_json(const fleet::Resolution& node, const std::vector<fleet::Document>& objects) {
  ordered_json effects = ordered_json::array();
  for (const fleet::Explanation& row : fleet::explain(node)) {
    const auto document =
        std::ranges::find_if(objects, [&](const fleet::Document& object) { return is_of(object, row.source); });
    const int line = document == objects.end() ? 0 : document->line(row.where);
    if (line == 0) continue;
    effects.push_back({{"line", line}, {"group", row.group}, {"name", row.name}, {"value", row.value}});
    if (!row.beat.empty()) effects.back()["insteadOf"] = row.beat.front().value;
  }
  return effects;
}

ApiResponse answer_findings(Findings findings, const std::optional<fleet::Resolution>& resolved,
                            const std::vector<fleet::Document>& objects) {
  std::ranges::for_each(findings, separate_place);
  ordered_json list = ordered_json::array();
  for (const Finding& finding : findings) list.push_back(node::finding_json(finding));
  const auto count = [&](contract::Severity severity) {
    return std::ranges::count(findings, severity, &Finding::severity);
  };
  ordered_json out = {{"refused", !resolved.has_value()},
                      {"findings", std::move(list)},
                      {"errors", count(contract::Severity::kError)},
                      {"warnings", count(contract::Severity::kWarning)},
                      {"notes", count(contract::Severity::kNote)}};
  if (resolved) {
    out["nodeConfig"] = ordered_json::parse(contract::to_json(fleet::node_config(*resolved)));
    out["effects"] = effects_json(*resolved, objects);
  }
  return answer(out);
}

ApiResponse answer_error(Findings findings, const Error& error, Position at) {
  findings.push_back({contract::Severity::kError, "refused", "", at, error.what, error.hint});
  return answer_findings(findings, std::nullopt, {});
}

// Parses "line 3: ... (column 5)", the form of errors of the document reader.
Position position_in(std::string_view error) {
  const auto number = [&](std::string_view before) {
    const size_t at = error.rfind(before);
    if (at == std::string_view::npos) return 0;
    const std::string_view digits = error.substr(at + before.size());
    return static_cast<int>(as_number<int64_t>(digits.substr(0, digits.find_first_not_of("0123456789"))).value_or(0));
  };
  return {error.starts_with("line ") ? number("line ") : 0, number("(column ")};
}

// Settings have no kind, or are in a ConfigMap.
void sort_in(fleet::Document document, fleet::SourceDocuments& sources) {
  const std::string kind = document.kind();
  if (kind == "NodeClaim" && !sources.claim)
    sources.claim = std::move(document);
  else if (kind.empty() || kind == "ConfigMap")
    sources.settings.push_back(std::move(document));
  else
    sources.objects.push_back(std::move(document));
}

// Parsing cannot be interrupted at the deadline of the request, and a megabyte of YAML takes seconds. A node pool, its
// class, a claim and settings are some KiB.
constexpr size_t kMostText = 256u << 10;

ApiResponse resolve_check(const ApiRequest& request) {
  if (request.body.size() > kMostText) return refuse(413, Error("the documents are larger than 256 KiB"));
  auto documents = fleet::read_documents(request.body);
  if (!documents) return answer_error({}, documents.error(), position_in(documents.error().what));
  fleet::SourceDocuments given;
  for (fleet::Document& document : *documents) sort_in(std::move(document), given);
  if (request.deadline.passed()) return refuse(503, Deadline::error());
  auto sources = fleet::read_sources(given);
  if (request.deadline.passed()) return refuse(503, Deadline::error());
  if (!sources) return answer_error({}, sources.error(), {});
  Findings findings = sources->findings;
  findings.insert(findings.end(), sources->claim_findings.begin(), sources->claim_findings.end());
  if (sources->refused()) return answer_findings(findings, std::nullopt, {});
  fleet::Resolver resolver =
      fleet::make_resolver(sources->settings, {}, context().image_versions(),
                           fleet::BootstrapChoice{fleet::Bootstrap::kNodeConfig, "/v1/resolve/check"});
  resolver.set_deadline(request.deadline);
  auto resolved = fleet::resolve_request(*sources, resolver);
  if (request.deadline.passed()) return refuse(503, Deadline::error());
  if (!resolved) return answer_error(findings, resolved.error(), {});
  findings.insert(findings.end(), resolved->warnings.begin(), resolved->warnings.end());
  return answer_findings(findings, *std::move(resolved), given.objects);
}

constexpr char kReply[] = R"({
  "type": "object",
  "required": ["refused", "findings", "errors", "warnings", "notes"],
  "properties": {
    "refused": {"type": "boolean", "description": "there is no node for these documents"},
    "findings": {"$ref": "#/components/schemas/Findings"},
    "errors": {"type": "integer", "description": "the number of findings that are errors"},
    "warnings": {"type": "integer", "description": "the number of findings that are warnings"},
    "notes": {"type": "integer", "description": "the number of findings that are notes"},
    "nodeConfig": {"$ref": "#/components/schemas/AKSNodeConfig"},
    "effects": {
      "type": "array",
      "description": "what the lines of node pool and node class determine",
      "items": {
        "type": "object",
        "required": ["line", "group", "name", "value"],
        "properties": {
          "line": {"type": "integer", "description": "counted from 1"},
          "group": {"type": "string", "description": "the kind of property: flag, label, taint, variable ..."},
          "name": {"type": "string", "description": "the property of the node"},
          "value": {"type": "string", "description": "its value"},
          "insteadOf": {"type": "string", "description": "the value without this line"}
        }
      }
    }
  }
})";

}  // namespace

std::vector<Route> document_routes() {
  return {
      {.method = "POST",
       .path = "/v1/resolve/check",
       .summary = "What is wrong with a node pool, its class and the settings, and the config of the node",
       .caller = Caller::kClient,
       .request = {R"({"type":"string","description":"documents of NodePool, AKSNodeClass, NodeClaim and settings"})",
                   kYaml},
       .replies = {{200, "The findings, and the config unless the documents are refused.", {kReply}}},
       .handler = resolve_check},
  };
}

}  // namespace sunup::service
