#include "plan/node_watch.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_member.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "contract/x509.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr size_t kLargestLine = 8 << 20;  // etcd accepts objects of 1.5 MiB
constexpr uint64_t kLargestKubeconfig = 1 << 20;

// The API server ends a watch after this time, and the next one is started. A lost connection ends soon after this
// time, unless keepalive (host/real/socket.cc) has ended it earlier.
constexpr std::chrono::seconds kWatchLasts = 4min;
constexpr std::chrono::seconds kAnswerTakes = 30s;

// The entry with this name in a list of a kubeconfig.
YAML::Node named(const YAML::Node& list, const std::string& name) {
  if (list.IsSequence())
    for (const YAML::Node& entry : list)
      if (entry.IsMap() && entry["name"].IsDefined() && entry["name"].as<std::string>("") == name) return entry;
  return YAML::Node(YAML::NodeType::Undefined);
}

std::string yaml_text(const YAML::Node& map, const char* key) {
  if (!map.IsDefined() || !map.IsMap() || !map[key].IsDefined()) return "";
  return map[key].as<std::string>("");
}

YAML::Node child(const YAML::Node& map, const char* key) {
  if (!map.IsDefined() || !map.IsMap() || !map[key].IsDefined()) return YAML::Node(YAML::NodeType::Undefined);
  return map[key];
}

Result<NodeAccess> access_in(const YAML::Node& document) {
  if (!document.IsMap()) return Error("the kubeconfig is not a map");
  const YAML::Node context = child(named(document["contexts"], yaml_text(document, "current-context")), "context");
  const YAML::Node cluster = child(named(document["clusters"], yaml_text(context, "cluster")), "cluster");
  const YAML::Node user = child(named(document["users"], yaml_text(context, "user")), "user");
  NodeAccess access{.server = yaml_text(cluster, "server"),
                    .ca_file = yaml_text(cluster, "certificate-authority"),
                    .certificate = yaml_text(user, "client-certificate"),
                    .key = yaml_text(user, "client-key")};
  if (access.server.empty()) return Error("the kubeconfig names no server for its current context");
  if (access.ca_file.empty() || access.certificate.empty() || access.key.empty())
    return Error("the kubeconfig does not name the files of the CA, the client certificate and its key");
  while (access.server.ends_with('/')) access.server.pop_back();
  return access;
}

struct Question {
  NodeAccess access;
  std::string node_name;
};

Result<Question> question_of(host::Host& host) {
  const auto text = host.files.read(paths::kKubeconfig, kLargestKubeconfig);
  if (!text) return text.error();
  auto access = parse_kubeconfig(*text);
  if (!access) return std::move(access).error();
  const auto pem = host.files.read(access->certificate, kLargestKubeconfig);
  if (!pem) return pem.error();
  // The file also contains the key.
  const std::string_view whole = *pem;
  const size_t begin = whole.find("-----BEGIN CERTIFICATE-----");
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
  const size_t end = begin == std::string_view::npos ? begin : whole.find(kEnd, begin);
  if (end == std::string_view::npos) return Error(access->certificate + " contains no certificate");
  const auto certificates =
      contract::read_certificates(std::string(whole.substr(begin, end + kEnd.size() - begin)) + "\n");
  const std::string name = certificates.empty() ? "" : node_name_in(certificates[0].subject);
  if (name.empty()) return Error(access->certificate + " is not the certificate of a node");
  return Question{.access = *std::move(access), .node_name = name};
}

// Returns when the watch has reported the event, or an error if the stream ends before.
host::Task<Result<void>> watch_once(host::Host& host, Question question, std::shared_ptr<NodeWatch> events,
                                    NodeState what, std::shared_ptr<std::string> said) {
  host::HttpRequest request;
  const std::string query = what != NodeState::kRunsPod ? "nodes?fieldSelector=metadata.name%3D" + question.node_name
                                                        : "pods?fieldSelector=spec.nodeName%3D" + question.node_name;
  request.url =
      fmt::format("{}/api/v1/{}&watch=true&timeoutSeconds={}", question.access.server, query, kWatchLasts.count());
  request.ca_file = question.access.ca_file;
  request.client_certificate = question.access.certificate;
  request.client_key = question.access.key;
  request.limit = kWatchLasts + kAnswerTakes;
  request.max_body = std::numeric_limits<size_t>::max() / 2;
  request.on_body = [events, said](const host::HttpReply&, std::string_view piece) -> Result<void> {
    if (auto added = events->add(piece); !added) return added;
    *said = events->state();
    return events->reached() ? Result<void>(Error("reached")) : Result<void>();
  };
  auto reply = co_await host.network.request(std::move(request));
  if (events->reached()) co_return Result<void>();
  if (!reply) co_return std::move(reply).error();
  if (reply->status != 200) co_return Error(fmt::format("the API server answers with HTTP status {}", reply->status));
  co_return Error("the API server has ended the watch");
}

}  // namespace

Result<NodeAccess> parse_kubeconfig(std::string_view yaml) {
  try {
    return access_in(YAML::Load(std::string(yaml)));
  } catch (const std::exception& error) {
    return Error(std::string("the kubeconfig cannot be read: ") + error.what());
  }
}

std::string node_name_in(std::string_view subject) {
  constexpr std::string_view kPrefix = "CN=system:node:";
  const size_t at = subject.find(kPrefix);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = subject.substr(at + kPrefix.size());
  return std::string(rest.substr(0, rest.find_first_of(",+/ ")));
}

Result<void> NodeWatch::add(std::string_view piece) {
  while (!piece.empty() && !reached_) {
    const size_t end = piece.find('\n');
    line_ += piece.substr(0, end);
    if (line_.size() > kLargestLine) return Error("the API server's answer has a line that is too long");
    if (end == std::string_view::npos) return {};
    piece.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    if (auto known = read(line); !known) return known;
  }
  return {};
}

Result<void> NodeWatch::read(std::string_view line) {
  if (line.find_first_not_of(" \r\t") == std::string_view::npos) return {};
  const json event = json::parse(line, nullptr, false);
  const std::string type = text_of(event, "type");
  const json& object = member_of(event, "object");
  if (type == "ERROR") return Error("the API server ends the watch: " + text_of(object, "message"));
  if (type.empty()) return Error("the API server's answer is not a watch");
  if (type != "ADDED" && type != "MODIFIED") return {};
  const json& status = member_of(object, "status");
  if (what_ == NodeState::kRunsPod) {
    const std::string phase = text_of(status, "phase");
    state_ = "the pod " + text_of(member_of(object, "metadata"), "name") + " is " + (phase.empty() ? "new" : phase);
    reached_ = phase == "Running";
    return {};
  }
  if (!boot_id_.empty() && text_of(member_of(status, "nodeInfo"), "bootID") != boot_id_) {
    state_ = "kubelet has not reported the node's state since this boot";
    return {};
  }
  if (what_ == NodeState::kRegistered) {
    state_ = "the node is registered";
    reached_ = true;
    return {};
  }
  state_ = "the node has no Ready condition";
  const json& conditions = member_of(status, "conditions");
  if (!conditions.is_array()) return {};
  for (const json& condition : conditions) {
    if (text_of(condition, "type") != "Ready") continue;
    reached_ = text_of(condition, "status") == "True";
    const std::string message = text_of(condition, "message");
    state_ = reached_ ? "the node is Ready" : "the node is not Ready" + (message.empty() ? "" : ": " + message);
  }
  return {};
}

// Starts a watch again when it ends. The pauses grow, so that a server that is down is not overloaded.
host::Task<Result<void>> node_reaches(host::Host& host, NodeState what, std::shared_ptr<std::string> said) {
  *said = "kubelet has no credentials yet";
  if (auto there = co_await host.watch.path_appears(paths::kKubeconfig); !there) co_return there;
  for (host::Duration pause = 100ms;; pause = std::min<host::Duration>(pause * 2, 5s)) {
    // kubelet writes its kubeconfig before it has its certificate.
    const auto text = host.files.read(paths::kKubeconfig, kLargestKubeconfig);
    const Result<NodeAccess> access = text ? parse_kubeconfig(*text) : Result<NodeAccess>(text.error());
    if (access)
      if (auto there = co_await host.watch.path_appears(access->certificate); !there) co_return there;
    auto question = question_of(host);
    if (question) {
      const auto events = std::make_shared<NodeWatch>(what, host.boot_id);
      const host::TimePoint began = host.loop.now();
      *said = "the API server has not answered";
      auto watched = co_await watch_once(host, *std::move(question), events, what, said);
      if (watched) co_return Result<void>();
      *said = watched.error().what + "; " + events->state();
      if (host.loop.now() - began > 10s) pause = 100ms;
    } else {
      *said = question.error().what;
    }
    co_await host.loop.after(pause);
  }
}

}  // namespace sunup::plan
