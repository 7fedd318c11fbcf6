#include <charconv>
#include <set>

#include "timeline/draft.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

constexpr std::string_view kKubelet = "kubelet.service";

// "I1115 23:50:36.946630  275 kubelet.go:74] ...": the time when kubelet wrote the line, which may be earlier than the
// time when journald read it. Only the seconds within the minute are compared, so the time zone does not matter.
Nanos read_late_by(const JournalEntry& entry) {
  constexpr Nanos kMinute = 60 * kSecond;
  constexpr Nanos kBelievable = 5 * kSecond;
  const std::string_view text = entry.message;
  if (text.size() < 21 || text.find_first_of("IWEF") != 0 || text[8] != ':' || text[11] != ':' || text[14] != '.')
    return 0;
  int64_t seconds = 0;
  int64_t micros = 0;
  if (std::from_chars(text.data() + 12, text.data() + 14, seconds).ec != std::errc()) return 0;
  if (std::from_chars(text.data() + 15, text.data() + 21, micros).ec != std::errc()) return 0;
  const Nanos late = ((entry.wall - (seconds * kSecond + micros * 1000)) % kMinute + kMinute) % kMinute;
  return late < kBelievable ? late : 0;
}

bool is_kubelets(const JournalEntry& entry) {
  return entry.unit == kKubelet && !entry.by_manager;
}

struct Complaint {
  std::string_view text, meaning;
};
// The most specific first.
constexpr Complaint kComplaints[] = {
    {"no such host", "the API server's name does not resolve"},
    {"connection refused", "the API server refuses connections"},
    {"x509:", "a certificate is not accepted"},
    {"Unauthorized", "the API server does not accept kubelet's credential"},
    {"forbidden", "the API server denies a request"},
    {"i/o timeout", "the API server does not answer in time"},
    {"cni plugin not initialized", "there is no CNI configuration yet"},
    {"NetworkPluginNotReady", "there is no CNI configuration yet"},
    {"network plugin is not ready", "there is no CNI configuration yet"},
    {"container runtime is down", "the container runtime does not answer"},
    {"failed to get sandbox image", "the sandbox image cannot be pulled"},
};

}  // namespace

std::optional<Nanos> first_node_ready(const Draft& draft) {
  for (const JournalEntry& entry : draft.journal)
    if (is_kubelets(entry) && entry.monotonic >= draft.run_start && kubelet_milestone(entry.message) == "node.ready")
      return entry.monotonic;
  return std::nullopt;
}

void add_kubelet(Draft& draft) {
  Timeline& timeline = draft.timeline;
  const auto started = timeline.find("kubelet.started");
  const Nanos from = started ? timeline.points[*started].at : draft.run_start;
  std::set<std::string_view> seen;
  for (const JournalEntry& entry : draft.journal) {
    if (!is_kubelets(entry)) continue;
    const Nanos at = entry.monotonic - read_late_by(entry);
    const std::string_view id = kubelet_milestone(entry.message);
    // A kubelet that crashed earlier may have obtained the certificate; all other lines must be from this kubelet.
    if (at < (id == "kubelet.tls" ? draft.run_start : from)) continue;
    if (started && seen.insert("kubelet.first_log").second) draft.milestone("kubelet.first_log", at, "journal");
    if (!id.empty() && seen.insert(id).second) draft.milestone(id, at, "journal");
  }
  if (seen.contains("kubelet.tls")) return;
  for (const TimedEvent& event : draft.events)
    if (event.task == "AKS.Runtime.waitForTLSBootstrapping")
      draft.milestone_at_wall("kubelet.tls", event.end, "guest-agent events");
}

void add_evidence(Draft& draft) {
  Timeline& timeline = draft.timeline;
  for (Link& link : timeline.chain) {
    const Nanos from = timeline.points[link.from].at;
    const Nanos to = timeline.points[link.to].at;
    const std::string& id = timeline.points[link.to].id;
    if (!id.starts_with("kubelet.") && !id.starts_with("node.")) continue;
    for (const Complaint& complaint : kComplaints) {
      int times = 0;
      for (const JournalEntry& entry : draft.journal)
        times += is_kubelets(entry) && entry.monotonic >= from && entry.monotonic <= to &&
                 entry.message.find(complaint.text) != std::string::npos &&
                 entry.message.find("FLAG:") == std::string::npos;
      if (times == 0) continue;
      link.waited_for += "; kubelet reported meanwhile: " + std::string(complaint.meaning);
      if (times > 1) link.waited_for += " (" + std::to_string(times) + " times)";
      break;
    }
  }
}

}  // namespace sunup::timeline
