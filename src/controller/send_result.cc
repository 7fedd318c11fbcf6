#include "controller/send_result.h"

#include "announce/result_service.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "base/url.h"
#include "controller/say_why.h"
#include "render/result_service.h"
#include "report/sent_result.h"

namespace sunup::controller {
namespace {

constexpr uint64_t kLongestFile = 64u << 10;

report::SentResult sent_result(Node& node, const Outcome& outcome) {
  report::Failure failure = failure_of(node, outcome);
  report::SentResult result{.node = lowered(failure.node),  // as kubelet registers it
                            .failure = {},
                            .timeline = failure.timeline,
                            .run = node.host.boot_id,
                            .milestones = outcome.milestones};
  if (!outcome.ok()) result.failure = std::move(failure);
  return result;
}

// Before the machine has its name, the kernel has one of these.
bool is_name_of_node(std::string_view name) {
  return !name.empty() && name != "localhost" && !name.starts_with("localhost.") && name != "(none)";
}

// Returns an error if the file cannot be used or the node has no credential.
Result<announce::ResultService> service_of(Node& node) {
  const auto text = node.files.read(paths::kResultService, kLongestFile);
  if (!text) return text.error();
  auto read = render::parse_result_service(*text);
  if (!read) return std::move(read).error().in(paths::kResultService);
  announce::ResultService service{
      .url = std::move(read->url), .ca = std::move(read->ca), .token = node.bootstrap_token, .client_certificate = {}};
  if (!service.token.empty()) return service;
  const auto certificate = node.files.exists(paths::kClientCertificate);
  if (!certificate) return certificate.error();
  if (!*certificate) return Error("this node has neither a bootstrap token nor a client certificate");
  service.client_certificate = paths::kClientCertificate;
  return service;
}

}  // namespace

bool sends_result(Node& node, const Outcome& outcome) {
  if (!node.root.empty() || outcome.base_only) return false;
  const auto there = node.files.exists(paths::kResultService);
  return !there || *there;  // send_result() logs why it cannot be read
}

host::Task<void> send_result(Node& node, Outcome outcome) {
  auto service = service_of(node);
  if (!service) {
    node.log.warn("the result is not sent", {{"error", service.error().what}});
    co_return;
  }
  const report::SentResult result = sent_result(node, outcome);
  if (!is_name_of_node(result.node)) {
    node.log.warn("the result is not sent", {{"error", "this node has no host name yet"}});
    co_return;
  }
  const std::string to = service->url;
  auto sending =
      announce::send_result(node.loop, node.host.network, std::move(*service), result.node, report::to_json(result));
  const auto sent = co_await std::move(sending);
  if (sent)
    node.log.info("the result is sent", {{"to", to}});
  else
    node.log.warn("cannot send the result", {{"to", to}, {"error", sent.error().what}});
}

}  // namespace sunup::controller
