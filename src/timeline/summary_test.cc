#include "timeline/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::timeline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kHead[] = R"({"sunup":"run record","v":1,"boot":"b","t":1000000000,"wall":1794769175000000000})"
                         "\n";
constexpr char kContainerd[] =
    R"({"t":1000000000,"e":"declared","step":"containerd.start","provides":["containerd.ready"]}
{"t":1001000000,"e":"started","step":"containerd.start","attempt":1}
{"t":1412000000,"e":"ended","step":"containerd.start","attempt":1}
)";
constexpr char kOutbound[] = R"({"t":1002000000,"e":"started","step":"network.outbound","attempt":1}
{"t":2002000000,"e":"retry","step":"network.outbound","attempt":1,"text":"again in 1s","error":"refused"}
{"t":31202000000,"e":"ended","step":"network.outbound","attempt":2,"error":"refused","code":50}
)";

std::string of(const std::string& record) {
  Sources sources;
  sources.run_record = record;
  return summary_of(sources).line;
}

TEST(Summary, SaysHowFarItCameAndWhatTookLongWhileTheRunHasNoEndYet) {
  EXPECT_EQ(of(std::string(kHead) + kContainerd + kOutbound),
            "containerd ready +0.412s, kubelet never started, ended +30.202s; "
            "longest: network.outbound 30.200s (2 attempts), containerd.start 411ms");
}

TEST(Summary, KubeletThatStartedIsNotCalledNeverStarted) {
  EXPECT_EQ(of(std::string(kHead) + kContainerd +
               R"({"t":1000000000,"e":"declared","step":"kubelet.start","provides":["kubelet.started"]}
{"t":1413000000,"e":"started","step":"kubelet.start","attempt":1}
{"t":1500000000,"e":"ended","step":"kubelet.start","attempt":1}
)"),
            "containerd ready +0.412s, kubelet started +0.500s, ended +0.500s; longest: containerd.start 411ms");
}

TEST(Summary, RuntimeAndKubeletThatWereLeftAloneAreNeitherReadyNorLate) {
  EXPECT_EQ(of(std::string(kHead) +
               R"({"t":1000000000,"e":"declared","step":"containerd.ready"}
{"t":1000000000,"e":"declared","step":"kubelet.start","provides":["kubelet.started"]}
{"t":1001000000,"e":"started","step":"containerd.ready","attempt":1}
{"t":1001000000,"e":"left out","step":"containerd.ready","text":"wait for containerd"}
{"t":1002000000,"e":"ended","step":"containerd.ready","attempt":1,"did":"nothing"}
{"t":1003000000,"e":"started","step":"kubelet.start","attempt":1}
{"t":1003000000,"e":"left out","step":"kubelet.start","text":"start unit kubelet.service"}
{"t":1004000000,"e":"ended","step":"kubelet.start","attempt":1,"did":"part"}
)"),
            "containerd left alone, kubelet left alone, ended +0.004s");
  EXPECT_EQ(of(std::string(kHead) + R"({"t":1001000000,"e":"started","step":"containerd.start","attempt":1}
{"t":1001000000,"e":"left out","step":"containerd.start","text":"start unit containerd.service"}
{"t":1002000000,"e":"ended","step":"containerd.start","attempt":1,"did":"nothing"}
)"),
            "containerd left alone, kubelet left alone")
      << "a run that ended before their turn came";
}

TEST(Summary, RuntimeThatFailedIsNotCalledReady) {
  EXPECT_EQ(of(std::string(kHead) + R"({"t":1001000000,"e":"started","step":"containerd.ready","attempt":1}
{"t":1412000000,"e":"ended","step":"containerd.ready","attempt":1,"error":"containerd.service failed","code":4}
)"),
            "containerd never ready, kubelet never started, ended +0.412s; longest: containerd.ready 411ms");
}

TEST(Summary, OfScriptsDoesNotGuessAboutKubelet) {
  Sources sources;
  sources.controller_log =
      R"({"time":"2026-11-15T18:59:35.000Z","level":"INFO","msg":"aks-node-controller started","task":"Provision"})"
      "\n";
  sources.events.emplace_back("1794769176000.json",
                              R"({"Timestamp":"2026-11-15 18:59:36.000","OperationId":"2026-11-15 18:59:38.500",)"
                              R"("TaskName":"AKS.CSE.ensureContainerd","Message":"Completed: ensureContainerd"})");
  EXPECT_EQ(summary_of(sources).line, "ended +3.500s; longest: ensureContainerd 2.500s");
}

TEST(Summary, OfScriptsIsNotThatOfAnEarlierNativeRun) {
  Sources sources;
  sources.run_record = std::string(kHead) + kContainerd + kOutbound;
  const auto log_at = [&sources](const char* time) {
    sources.controller_log = std::string(R"({"time":")") + time +
                             R"(","level":"INFO","msg":"aks-node-controller started","task":"Provision"})" + "\n";
  };
  log_at("2026-11-15T18:59:34.900Z");  // the run of the record
  EXPECT_THAT(summary_of(sources).line, HasSubstr("network.outbound"));
  log_at("2026-11-15T19:20:00.000Z");
  EXPECT_THAT(summary_of(sources).line, Not(HasSubstr("network.outbound")));
}

TEST(Summary, HasTheMilestonesThatWereReachedInTheirOrder) {
  using testing::ElementsAre;
  using testing::Pair;
  Sources sources;
  // As on a node: the step has the name of its work, and provides the milestone.
  sources.run_record = std::string(kHead) + kContainerd +
                       R"({"t":1000000000,"e":"declared","step":"kubelet.start","provides":["kubelet.started"]}
{"t":1100000000,"e":"started","step":"kubelet.start","attempt":1}
{"t":1300000000,"e":"ended","step":"kubelet.start","attempt":1}
{"t":1600000000,"e":"run ended"}
)";
  EXPECT_THAT(summary_of(sources).milestones,
              ElementsAre(Pair("controller.start", 0.0), Pair("kubelet.started", 0.3), Pair("containerd.ready", 0.412),
                          Pair("provision.complete", 0.6)));
  sources.run_record = std::string(kHead) + R"({"t":1000000000,"e":"declared","step":"k","provides":["kubelet.started"]}
{"t":1100000000,"e":"started","step":"k","attempt":1}
{"t":1300000000,"e":"ended","step":"k","attempt":1,"error":"no","code":4}
)";
  EXPECT_THAT(summary_of(sources).milestones, ElementsAre(Pair("controller.start", 0.0)));
}

TEST(Summary, OfNothingIsNothing) {
  EXPECT_EQ(summary_of(Sources()).line, "");
  EXPECT_THAT(summary_of(Sources()).milestones, testing::IsEmpty());
}

}  // namespace
}  // namespace sunup::timeline
