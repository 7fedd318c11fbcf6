#include "server/node_results.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "report/exit_codes.h"
#include "report/fitting.h"

namespace sunup::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using service::NodeReport;

constexpr char kMergePatch[] = "application/merge-patch+json";
constexpr char kNodePrefix[] = "aks-";  // Karpenter's VM, and so its node, has the name of the claim behind it

std::string failure_class(int exit_code) {
  const report::ExitCode* code = report::find_exit_code(exit_code);
  return std::string(code == nullptr ? "transient" : report::name_of(code->failure));
}

// The same for the same report, so that the API server refuses the second one.
std::string event_name(const std::string& object, const NodeReport& report) {
  const std::string told =
      fmt::format("{}\n{}\n{}\n{}\n{}", report.node, report.run, report.exit_code, report.step, report.cause);
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(told.data()), told.size(), digest);
  std::string name = object.substr(0, 200) + ".";
  for (int i = 0; i < 8; ++i) name += fmt::format("{:02x}", digest[i]);
  return name;
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

struct Object {
  std::string path, kind, api_version, name, uid;
};

// An error: the cluster did not say whether there is one.
Result<std::optional<Object>> find(const ApiServer& cluster, const char* collection, const char* kind,
                                   const char* api_version, const std::string& name) {
  Object object{std::string(collection) + "/" + name, kind, api_version, name, {}};
  auto answer = cluster.send("GET", object.path);
  if (!answer) return std::move(answer).error();
  if (answer->status == 404) return std::optional<Object>();
  if (answer->status != 200) return Error(fmt::format("the cluster answered {} for {}", answer->status, object.path));
  const auto metadata = answer->body.find("metadata");
  if (metadata != answer->body.end() && metadata->is_object()) object.uid = metadata->value("uid", "");
  return std::optional(std::move(object));
}

Result<void> write(const ApiServer& cluster, const Object& object, const NodeReport& report) {
  const json patch = {{"metadata", {{"annotations", {{kResultAnnotation, result_annotation(report)}}}}}};
  const auto annotated = cluster.send("PATCH", object.path, kMergePatch, patch);
  if (!annotated) return annotated.error();
  if (annotated->status != 200)
    return Error(fmt::format("the cluster answered {} to the annotation of {}", annotated->status, object.path));
  const std::string now = timestamp();
  // Events about objects without a namespace are in the namespace default.
  const json event = {
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", event_name(object.name, report)}, {"namespace", "default"}}},
      {"involvedObject",
       {{"apiVersion", object.api_version}, {"kind", object.kind}, {"name", object.name}, {"uid", object.uid}}},
      {"type", report.exit_code == 0 ? "Normal" : "Warning"},
      {"reason", report.exit_code == 0 ? "NodeProvisioned" : "NodeProvisioningFailed"},
      {"message", result_message(report)},
      {"source", {{"component", "sunup"}}},
      {"reportingComponent", "sunup"},
      {"firstTimestamp", now},
      {"lastTimestamp", now},
      {"count", 1}};
  const auto made = cluster.send("POST", "/api/v1/namespaces/default/events", "application/json", event);
  if (!made) return made.error();
  if (made->status / 100 != 2 && made->status != 409)
    return Error(fmt::format("the cluster answered {} to the event about {}", made->status, object.path));
  return {};
}

}  // namespace

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
  if (report.exit_code != 0 && !report.text.empty()) return report::fitting(report.text, kLongest);
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
  return report::fitting(text, kLongest);
}

Recorded record_result(const ApiServer& cluster, const NodeReport& report) {
  if (!cluster.configured()) return {503, "the server knows no cluster to write to"};
  std::vector<std::string> names = {report.node};
  if (report.node.starts_with(kNodePrefix)) names.insert(names.begin(), report.node.substr(sizeof kNodePrefix - 1));
  bool found_one = false;
  const auto record = [&](Result<std::optional<Object>> found) -> Result<bool> {
    if (!found) return std::move(found).error();
    if (!*found) return false;
    found_one = true;
    if (auto written = write(cluster, **found, report); !written) return std::move(written).error();
    return true;
  };
  for (const std::string& name : names) {
    const auto done = record(find(cluster, "/apis/karpenter.sh/v1/nodeclaims", "NodeClaim", "karpenter.sh/v1", name));
    if (!done) return {503, done.error().what};
    if (*done) break;
  }
  const auto done = record(find(cluster, "/api/v1/nodes", "Node", "v1", report.node));
  if (!done) return {503, done.error().what};
  if (!found_one) return {404, "the cluster has neither a NodeClaim nor a Node for " + report.node};
  return {};
}

bool ReportLimit::take(const std::string& node, Clock::time_point now) {
  const auto refilled = [now](const Bucket& bucket) {
    return std::min(kBurst, bucket.left + std::chrono::duration<double>(now - bucket.at).count() * kPerSecond);
  };
  if (buckets_.size() >= kMostNodes)
    std::erase_if(buckets_, [&](const auto& entry) { return refilled(entry.second) >= kBurst; });
  if (buckets_.size() >= kMostNodes && !buckets_.contains(node)) return false;
  Bucket& bucket = buckets_.try_emplace(node, Bucket{kBurst, now}).first->second;
  bucket.left = refilled(bucket);
  bucket.at = now;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

}  // namespace sunup::server
