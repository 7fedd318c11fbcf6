#include "controller/wait_for.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/node_paths.h"
#include "contract/x509.h"
#include "controller/node_secrets.h"
#include "controller/node_watch.h"
#include "controller/own_output.h"
#include "controller/result_files.h"
#include "host/running.h"
#include "plan/kubelet_health.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kLargestKubeconfig = 1 << 20;

// The API server ends a watch after this time, and the next one is started. A lost connection ends soon after this
// time, unless keepalive (host/real/socket.cc) has ended it earlier.
constexpr std::chrono::seconds kWatchLasts = 4min;
constexpr std::chrono::seconds kAnswerTakes = 30s;

std::string_view word(Awaited what) {
  switch (what) {
    case Awaited::kKubelet:
      return "kubelet";
    case Awaited::kReady:
      return "ready";
    case Awaited::kPod:
      break;
  }
  return "pod";
}

struct Question {
  NodeAccess access;
  std::string node_name;
};

Result<Question> question_of(Node& node) {
  const auto text = node.files.read(paths::kKubeconfig, kLargestKubeconfig);
  if (!text) return text.error();
  auto access = parse_kubeconfig(*text);
  if (!access) return std::move(access).error();
  const auto pem = node.files.read(access->certificate, kLargestKubeconfig);
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
host::Task<Result<void>> watch_once(Node& node, Question question, std::shared_ptr<NodeWatch> events, Awaited what) {
  host::HttpRequest request;
  const std::string query = what == Awaited::kReady ? "nodes?fieldSelector=metadata.name%3D" + question.node_name
                                                    : "pods?fieldSelector=spec.nodeName%3D" + question.node_name;
  request.url =
      fmt::format("{}/api/v1/{}&watch=true&timeoutSeconds={}", question.access.server, query, kWatchLasts.count());
  request.ca_file = question.access.ca_file;
  request.client_certificate = question.access.certificate;
  request.client_key = question.access.key;
  request.limit = kWatchLasts + kAnswerTakes;
  request.max_body = std::numeric_limits<size_t>::max() / 2;
  request.on_body = [events](const host::HttpReply&, std::string_view piece) -> Result<void> {
    if (auto added = events->add(piece); !added) return added;
    return events->reached() ? Result<void>(Error("reached")) : Result<void>();
  };
  auto reply = co_await node.host.network.request(std::move(request));
  if (events->reached()) co_return Result<void>();
  if (!reply) co_return std::move(reply).error();
  if (reply->status != 200) co_return Error(fmt::format("the API server answers with HTTP status {}", reply->status));
  co_return Error("the API server has ended the watch");
}

// Starts a watch again when it ends. The pauses grow, so that a server that is down is not overloaded.
host::Task<Result<void>> watch_api_server(Node& node, Awaited what, std::shared_ptr<std::string> state) {
  *state = "kubelet has no credentials yet";
  if (auto there = co_await node.watch.path_appears(paths::kKubeconfig); !there) co_return there;
  for (host::Duration pause = 100ms;; pause = std::min<host::Duration>(pause * 2, 5s)) {
    // kubelet writes its kubeconfig before it has its certificate.
    const auto text = node.files.read(paths::kKubeconfig, kLargestKubeconfig);
    const Result<NodeAccess> access = text ? parse_kubeconfig(*text) : Result<NodeAccess>(text.error());
    if (access)
      if (auto there = co_await node.watch.path_appears(access->certificate); !there) co_return there;
    auto question = question_of(node);
    if (question) {
      const auto events = std::make_shared<NodeWatch>(
          what == Awaited::kReady ? NodeWatch::For::kReady : NodeWatch::For::kPod, node.host.boot_id);
      const host::TimePoint began = node.loop.now();
      *state = "the API server has not answered";
      auto watched = co_await watch_once(node, *std::move(question), events, what);
      if (watched) co_return Result<void>();
      *state = watched.error().what + "; " + events->state();
      if (node.loop.now() - began > 10s) pause = 100ms;
    } else {
      *state = question.error().what;
    }
    co_await node.loop.after(pause);
  }
}

host::Task<Result<void>> reached(Node& node, Awaited what, std::shared_ptr<std::string> state) {
  if (what != Awaited::kKubelet) co_return co_await watch_api_server(node, what, std::move(state));
  *state = "kubelet has not completed its start";
  co_return co_await node.watch.socket_accepts(plan::kKubeletStarted);
}

// Returns only if provisioning has failed: the event may then never happen.
host::Task<Result<void>> provisioning_fails(Node& node) {
  if (auto there = co_await node.watch.path_appears(paths::kComplete); !there) co_return there;
  const auto result = recorded_result(node);
  if (result && *result)
    if (const auto code = report::exit_code_of(**result); code && *code != 0)
      co_return Error(fmt::format("provisioning has failed with exit code {}: {}", *code, (*result)->error));
  const host::Slot<bool> never(node.loop);
  co_await never;
  co_return Result<void>();
}

host::Task<Result<void>> reached_or_failed(Node& node, Awaited what, std::shared_ptr<std::string> state) {
  auto first = co_await host::first_of(node.loop, reached(node, what, std::move(state)), provisioning_fails(node));
  if (first.index() == 0) co_return std::move(std::get<0>(first));
  co_return std::move(std::get<1>(first));
}

}  // namespace

std::optional<Awaited> parse_awaited(std::string_view text) {
  for (const Awaited what : {Awaited::kKubelet, Awaited::kReady, Awaited::kPod})
    if (text == word(what)) return what;
  return std::nullopt;
}

host::Task<int> wait_for(Node& node, Awaited what, std::optional<host::Duration> limit) {
  TaskReport report(node, "ProvisionWait");
  NodeSecrets secrets(node);
  secrets.hide();
  if (const auto made = node.files.make_directories(paths::kContainers); !made)
    node.log.warn("cannot create the directory of the result", {{"path", paths::kContainers}});
  const auto state = std::make_shared<std::string>();
  auto waiting = reached_or_failed(node, what, state);
  const std::string name = fmt::format("waiting for {}", word(what));
  auto done = limit ? co_await host::within(node.loop, *limit, std::move(waiting), name) : co_await std::move(waiting);
  secrets.hide();
  if (done) {
    write_stdout(fmt::format("{}: reached\n", word(what)));
    report.succeeded();
    co_return 0;
  }
  std::string why = done.error().what;
  if (done.error().os_errno == ETIMEDOUT) why += "; " + *state;
  why = node.redactor.redact(why);
  write_stdout(fmt::format("{}: not reached: {}\n", word(what), why));
  report.failed(why);
  co_return 1;
}

}  // namespace sunup::controller
