#include "server/node_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>

#include "base/digest.h"
#include "base/utf8.h"
#include "fleet/sources/patterns.h"
#include "report/exit_codes.h"

namespace sunup::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using service::NodeReport;

constexpr char kMergePatch[] = "application/merge-patch+json";
constexpr char kNodes[] = "/api/v1/nodes/";
constexpr char kNodeClaims[] = "/apis/karpenter.sh/v1/nodeclaims/";
constexpr char kNodePrefix[] = "aks-";  // Karpenter's VM and its node are named aks-CLAIM

struct Object {
  std::string path, kind, api_version, name, uid;
};

// The name is the same for the same report about the same object, so the API server refuses a duplicate. The kind
// and the uid are part of it, because a recreated object has the name of its predecessor, and a NodeClaim may have the
// name of a Node.
std::string event_name(const Object& object, const NodeReport& report) {
  const std::string told = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", object.kind, object.uid, report.node, report.run,
                                       report.exit_code, report.step, report.cause);
  return object.name.substr(0, 200) + "." + sha256_hex(told).substr(0, 16);
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

// A member of an object as text; empty if it is not text.
std::string text_at(const json& object, const char* pointer) {
  const json::json_pointer path(pointer);
  return object.contains(path) && object[path].is_string() ? object[path].get<std::string>() : "";
}

// Sends the requests that record one report.
class Recorder {
 public:
  Recorder(const ApiServer& cluster, const NodeReport& report, Deadline deadline)
      : cluster_(cluster), report_(report), deadline_(deadline) {}

  // An object, or null if it does not exist.
  Result<json> read(const char* collection, const std::string& name) const {
    const std::string path = collection + name;
    auto answer = cluster_.send("GET", path, {}, {}, deadline_);
    if (!answer) return std::move(answer).error();
    if (answer->status == 404) return json();
    if (answer->status != 200) return unexpected(*answer, path);
    return std::move(answer->body);
  }

  // Writes the report about an object; returns whether the object exists. The first object determines whether the
  // report is new.
  Result<bool> write(const char* collection, const char* kind, const char* api_version, const std::string& name) {
    Object object{collection + name, kind, api_version, name, {}};
    const json patch = {{"metadata", {{"annotations", {{kResultAnnotation, result_annotation(report_)}}}}}};
    const auto annotated = cluster_.send("PATCH", object.path, kMergePatch, patch, deadline_);
    if (!annotated) return annotated.error();
    if (annotated->status == 404) return false;
    if (annotated->status != 200) return unexpected(*annotated, "the annotation of " + object.path);
    object.uid = text_at(annotated->body, "/metadata/uid");
    const auto made =
        cluster_.send("POST", "/api/v1/namespaces/default/events", "application/json", event(object), deadline_);
    if (!made) return made.error();
    if (made->status / 100 != 2 && made->status != 409) return unexpected(*made, "the event about " + object.path);
    if (!is_new_) is_new_ = made->status != 409;
    return true;
  }

  bool is_new() const { return is_new_.value_or(false); }

 private:
  static Error unexpected(const ApiServerAnswer& answer, std::string_view about) {
    return Error(fmt::format("the cluster answered {} to {}", answer.status, about));
  }

  // Events about objects without a namespace are in the namespace "default".
  json event(const Object& object) const {
    const std::string now = timestamp();
    return {{"apiVersion", "v1"},
            {"kind", "Event"},
            {"metadata", {{"name", event_name(object, report_)}, {"namespace", "default"}}},
            {"involvedObject",
             {{"apiVersion", object.api_version}, {"kind", object.kind}, {"name", object.name}, {"uid", object.uid}}},
            {"type", report_.exit_code == 0 ? "Normal" : "Warning"},
            {"reason", report_.exit_code == 0 ? "NodeProvisioned" : "NodeProvisioningFailed"},
            {"message", result_message(report_)},
            {"source", {{"component", "sunup"}}},
            {"reportingComponent", "sunup"},
            {"firstTimestamp", now},
            {"lastTimestamp", now},
            {"count", 1}};
  }

  const ApiServer& cluster_;
  const NodeReport& report_;
  const Deadline deadline_;
  std::optional<bool> is_new_;
};

bool is_ready(const json& node) {
  const json::json_pointer path("/status/conditions");
  if (!node.contains(path) || !node[path].is_array()) return false;
  return std::ranges::any_of(node[path], [](const json& condition) {
    return text_at(condition, "/type") == "Ready" && text_at(condition, "/status") == "True";
  });
}

// The kernel and systemd write a boot ID with and without '-'.
bool same_boot(std::string a, std::string b) {
  std::erase(a, '-');
  std::erase(b, '-');
  return !a.empty() && a == b;
}

}  // namespace

std::set<std::string> nodes_of_claim(const json& claim, const std::string& name) {
  if (!claim.is_object()) return {};
  std::set<std::string> nodes = {kNodePrefix + name};
  // The name becomes part of a path.
  if (const std::string told = text_at(claim, "/status/nodeName"); fleet::is_object_name(told)) nodes.insert(told);
  return nodes;
}

std::string_view failure_class(int exit_code) {
  const report::ExitCode* code = report::find_exit_code(exit_code);
  return code == nullptr ? "transient" : report::name_of(code->failure);
}

bool report_is_believed(const json& node, const NodeReport& report, bool joined) {
  return joined || !is_ready(node) || same_boot(text_at(node, "/status/nodeInfo/bootID"), report.run);
}

std::string result_annotation(const NodeReport& report) {
  const report::ExitCode* code = report::find_exit_code(report.exit_code);
  ordered_json out = {{"exitCode", report.exit_code}};
  if (report.exit_code != 0) {
    out["name"] = code == nullptr ? "" : code->name;
    out["class"] = failure_class(report.exit_code);
    out["retryMayHelp"] = code != nullptr && code->retry_may_help;
    out["step"] = report.step;
    out["cause"] = report.cause;
    out["hint"] = !report.hint.empty() || code == nullptr ? report.hint : std::string(code->remedy);
  }
  if (!report.milestones.empty()) {
    ordered_json milestones = ordered_json::object();
    for (const auto& [name, seconds] : report.milestones) milestones[name] = seconds;
    out["milestones"] = std::move(milestones);
  }
  if (!report.timeline.empty()) out["timeline"] = report.timeline;
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string result_message(const NodeReport& report) {
  constexpr size_t kLongest = 1023;  // the API server's limit is 1024
  if (report.exit_code != 0 && !report.text.empty()) return fitting(report.text, kLongest);
  std::string text;
  if (report.exit_code == 0) {
    text = "provisioned";
    for (const auto& [name, seconds] : report.milestones)
      text += fmt::format("{}{} +{:.3f}s", text == "provisioned" ? ": " : ", ", name, seconds);
  } else {
    const report::ExitCode* code = report::find_exit_code(report.exit_code);
    text = fmt::format("provisioning failed: exit code {} {}", report.exit_code, code == nullptr ? "" : code->name);
    if (!report.step.empty()) text += "; step: " + report.step;
    if (!report.cause.empty()) text += "; cause: " + report.cause;
  }
  if (!report.timeline.empty()) text += "; " + report.timeline;
  return fitting(text, kLongest);
}

Recorded record_result(const ApiServer& cluster, const NodeReport& report, bool joined, Deadline deadline) {
  if (!cluster.configured()) return {503, "the server knows no cluster to write to"};
  if (deadline.passed()) return {503, Deadline::error().what};
  Recorder recorder(cluster, report, deadline);
  std::vector<std::string> names = {report.node};
  if (report.node.starts_with(kNodePrefix)) names.insert(names.begin(), report.node.substr(sizeof kNodePrefix - 1));
  std::string claim_name;
  Result<json> claim = json();
  for (const std::string& name : names) {
    claim = recorder.read(kNodeClaims, name);
    if (!claim) return {503, claim.error().what};
    if (claim->is_null()) continue;
    claim_name = name;
    break;
  }
  const auto node = recorder.read(kNodes, report.node);
  if (!node) return {503, node.error().what};
  constexpr char kNotBelieved[] =
      "the node is Ready: a bootstrap token reports only the result of the boot that it has";
  if (!report_is_believed(*node, report, joined)) return {403, kNotBelieved};
  // The NodeClaim may belong to a Node with another name than the one in the report, whose certificate says nothing
  // about that Node.
  for (const std::string& other : nodes_of_claim(*claim, claim_name)) {
    if (other == report.node) continue;
    const auto owner = recorder.read(kNodes, other);
    if (!owner) return {503, owner.error().what};
    if (!report_is_believed(*owner, report, false)) return {403, kNotBelieved};
  }
  Result<bool> of_claim = false;
  if (!claim_name.empty()) of_claim = recorder.write(kNodeClaims, "NodeClaim", "karpenter.sh/v1", claim_name);
  if (!of_claim) return {503, of_claim.error().what, recorder.is_new()};
  const Result<bool> of_node =
      node->is_null() ? Result<bool>(false) : recorder.write(kNodes, "Node", "v1", report.node);
  if (!of_node) return {503, of_node.error().what, recorder.is_new()};
  if (!*of_claim && !*of_node) return {404, "the cluster has neither a NodeClaim nor a Node for " + report.node};
  return {.is_new = recorder.is_new()};
}

double ReportLimit::Bucket::refilled(Clock::time_point now) const {
  return std::min(kBurst, left + std::chrono::duration<double>(now - at).count() * kPerSecond);
}

bool ReportLimit::take(const std::string& node, Clock::time_point now) {
  if (buckets_.size() >= kMostNodes)
    std::erase_if(buckets_, [&](const auto& entry) { return entry.second.refilled(now) >= kBurst; });
  if (buckets_.size() >= kMostNodes && !buckets_.contains(node)) return false;
  Bucket& bucket = buckets_.try_emplace(node, Bucket{kBurst, now}).first->second;
  bucket.left = bucket.refilled(now);
  bucket.at = now;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

void ReportLimit::give_back(const std::string& node, Clock::time_point now) {
  const auto found = buckets_.find(node);
  if (found == buckets_.end()) return;
  found->second.left += 1;
  if (found->second.refilled(now) >= kBurst) buckets_.erase(found);
}

}  // namespace sunup::server
