#include "timeline/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "timeline/formats.h"

namespace sunup::timeline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kHead[] =
    R"({"sunup":"run record","v":1,"boot":"b","t":1000000000,"wall":1794769175000000000,"mode":"native"})"
    "\n";
constexpr char kStep[] = R"({"t":1100000000,"e":"started","step":"containerd.start","attempt":1}
{"t":1400000000,"e":"ended","step":"containerd.start","attempt":1}
)";
constexpr char kRunEnded[] = R"({"t":2000000000,"e":"run ended"})"
                             "\n";
constexpr char kStarted[] =
    R"({"time":"2026-11-15T18:59:34.900Z","level":"INFO","msg":"aks-node-controller started","task":"Provision"})"
    "\n";
constexpr char kWaitStarted[] =
    R"({"time":"2026-11-15T18:59:35.100Z","level":"INFO","msg":"aks-node-controller started","task":"ProvisionWait"})"
    "\n";
constexpr char kFailed[] =
    R"({"time":"2026-11-15T18:59:37Z","level":"ERROR","msg":"aks-node-controller failed","error":"no way out"})"
    "\n";
constexpr char kFinished[] =
    R"({"time":"2026-11-15T18:59:38Z","level":"INFO","msg":"aks-node-controller finished successfully."})"
    "\n";
constexpr char kWaitFinished[] =
    R"({"time":"2026-11-15T18:59:38Z","level":"INFO","msg":"provision-wait finished","provisionOutput":""})"
    "\n";

Sources with_notes(Sources sources) {
  const auto note = [&sources](const char* name, bool there) {
    if (there) sources.notes.push_back({name, true, std::string("DIR/") + name});
  };
  note("run record", sources.run_record.has_value());
  note("aks-node-controller.log", sources.controller_log.has_value());
  note("provision.json", sources.provision_json.has_value());
  note("cloud-init.log", sources.cloud_init_log.has_value());
  note("guest-agent events", !sources.events.empty());
  note("systemd", sources.units.has_value());
  note("journal", sources.journal.has_value());
  return sources;
}

Timeline built(Sources sources) {
  auto timeline = build(with_notes(std::move(sources)));
  EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().what);
  return timeline.ok() ? std::move(*timeline) : Timeline();
}

// An event of a step as the controller writes it for the guest agent: with the name from the scripts, in a file named
// by nanoseconds.
std::pair<std::string, std::string> told_step() {
  return {"1794769178000000000.json",
          R"({"Timestamp":"2026-11-15 18:59:35.500","OperationId":"2026-11-15 18:59:36.000",)"
          R"("TaskName":"AKS.CSE.ensureContainerd","Message":"Completed: containerd.start"})"};
}

TEST(Build, ResultDecidesTheStateOfARunWhoseRecordWasCut) {
  Sources sources;
  sources.run_record = std::string(kHead) + R"({"t":1100000000,"e":"started","step":"containerd.start","attempt":1})"
                                            "\n{\"t\":14000";
  sources.controller_log = std::string(kStarted) + kFinished;
  sources.provision_json = R"({"ExitCode":"0","CSEStartTime":"Sun Nov 15 18:59:35 UTC 2026"})";
  const Timeline timeline = built(sources);
  EXPECT_EQ(timeline.state, RunState::kSucceeded);
  EXPECT_EQ(timeline.exit_code, "0");
  EXPECT_TRUE(timeline.find("provision.complete")) << "the log knows when it ended";
  EXPECT_THAT(timeline.warnings, testing::Contains(HasSubstr("the run record ends before the run did")));
  EXPECT_FALSE(timeline.waiting_for);
}

TEST(Build, ResultOfAnEarlierRunSaysNothingAboutThisOne) {
  Sources sources;
  sources.run_record = std::string(kHead) + kStep;
  sources.controller_log = kStarted;
  sources.provision_json = R"({"ExitCode":"50","CSEStartTime":"Sun Nov 15 18:00:00 UTC 2026"})";
  sources.machine_is_up = true;
  const Timeline timeline = built(sources);
  EXPECT_EQ(timeline.state, RunState::kRunning);
  EXPECT_EQ(timeline.exit_code, "");
}

TEST(Build, WaitThatBeganDuringTheProvisionDoesNotTakeItsEnd) {
  Sources sources;
  sources.controller_log = std::string(kStarted) + kWaitStarted + kFailed + kFinished + kWaitFinished;
  EXPECT_EQ(built(sources).state, RunState::kFailed);
  EXPECT_EQ(built(sources).error, "no way out");
  sources.controller_log = std::string(kStarted) + kWaitStarted + kFailed + kWaitFinished;
  sources.machine_is_up = true;
  EXPECT_EQ(built(sources).state, RunState::kRunning) << "only the wait gave up";
  sources.provision_json = R"({"ExitCode":"50","CSEStartTime":"Sun Nov 15 18:59:35 UTC 2026"})";
  EXPECT_EQ(built(sources).state, RunState::kFailed);
}

TEST(Build, LookAtANodeThatIsProvisionedIsNoEndOfItsProvision) {
  Sources sources;
  sources.controller_log =
      std::string(kStarted) +
      R"({"time":"2026-11-15T19:59:37Z","level":"INFO","msg":"aks-node-controller started","task":"Provision"})" +
      "\n" + R"({"time":"2026-11-15T19:59:37Z","level":"INFO","msg":"this node is provisioned already"})" + "\n" +
      R"({"time":"2026-11-15T19:59:38Z","level":"INFO","msg":"aks-node-controller finished successfully."})" + "\n";
  EXPECT_EQ(built(sources).state, RunState::kCutOff);
  EXPECT_FALSE(built(sources).find("provision.complete"));
}

constexpr char kDryStarted[] =
    R"({"time":"2026-11-15T19:59:37Z","msg":"aks-node-controller started","task":"Provision","dryRun":true})"
    "\n";
constexpr char kDryShown[] = R"({"time":"2026-11-15T19:59:37.5Z","msg":"dry-run","step":"containerd.start"})"
                             "\n";
constexpr char kDryFinished[] = R"({"time":"2026-11-15T19:59:38Z","msg":"aks-node-controller finished successfully."})"
                                "\n";

TEST(Build, DryRunIsNoProvision) {
  Sources sources;
  sources.controller_log = std::string(kDryStarted) + kDryShown + kDryFinished;
  // The guest-agent events of both runs.
  sources.events.emplace_back("1794772778000000000.json",
                              R"({"Timestamp":"2026-11-15 19:59:37.000","OperationId":"2026-11-15 19:59:38.000",)"
                              R"("TaskName":"AKS.AKSNodeController.Provision","Message":"Completed"})");
  const Timeline timeline = built(sources);
  EXPECT_EQ(timeline.state, RunState::kDryRun);
  EXPECT_FALSE(timeline.find("provision.complete"));
  EXPECT_THAT(as_text(timeline), HasSubstr("provision: dry run only, nothing was provisioned\n"));
  EXPECT_THAT(as_text(timeline), HasSubstr("provision complete: there was only a dry run"));
  EXPECT_EQ(nlohmann::json::parse(as_json(timeline))["state"], "dry run");
}

TEST(Build, DryRunThatEndedBeforeItShowedAnythingIsNoFailedProvision) {
  Sources sources;
  sources.controller_log =
      std::string(kDryStarted) +
      R"({"time":"2026-11-15T19:59:38Z","msg":"aks-node-controller failed","error":"no such file"})" + "\n";
  EXPECT_EQ(built(sources).state, RunState::kDryRun);
}

TEST(Build, DryRunHidesNoProvisionThatWasBeforeOrComesAfter) {
  Sources sources;
  sources.controller_log = std::string(kStarted) + kFailed + kDryStarted + kDryShown + kDryFinished;
  EXPECT_EQ(built(sources).state, RunState::kFailed);
  EXPECT_EQ(built(sources).error, "no way out");
  EXPECT_EQ(built(sources).mode, "") << "the dry run's steps tell nothing of it";
  sources.controller_log = std::string(kDryStarted) + kDryShown + kDryFinished + kStarted + kFinished;
  EXPECT_EQ(built(sources).state, RunState::kSucceeded);
  EXPECT_TRUE(built(sources).find("provision.complete"));
}

TEST(Build, NativeRunWithoutItsRecordIsNotCalledOneOfScripts) {
  for (const std::string record : {"", "\x01\xff nonsense\n\x02"}) {
    Sources sources;
    if (!record.empty()) sources.run_record = record;
    sources.controller_log =
        std::string(kStarted) +
        R"({"time":"2026-11-15T18:59:36Z","level":"INFO","msg":"step done","step":"containerd.start","took":"1ms"})" +
        "\n" + kFinished;
    sources.events.push_back(told_step());
    sources.events.emplace_back("1794769178000000001.json",
                                R"({"Timestamp":"2026-11-15 18:59:35.000","OperationId":"2026-11-15 18:59:37.000",)"
                                R"("TaskName":"AKS.CSE.cse_start","Message":"{}"})");
    const Timeline timeline = built(sources);
    EXPECT_EQ(timeline.mode, "native");
    EXPECT_FALSE(timeline.find("cse.start"));
    ASSERT_EQ(timeline.spans.size(), 1u);
    EXPECT_EQ(timeline.spans[0].name, "containerd.start");
    EXPECT_EQ(timeline.spans[0].kind, SpanKind::kStep);
    sources.controller_log.reset();
    EXPECT_EQ(built(sources).mode, "native") << "the names of the events tell too";
  }
}

TEST(Build, ConfigThatWasRefusedIsANativeRunWithItsStep) {
  Sources sources;
  sources.controller_log = std::string(kStarted) + kFailed;
  sources.provision_json = R"({"ExitCode":"240","Error":"bad","FailedStep":"config"})";
  const Timeline timeline = built(sources);
  EXPECT_EQ(timeline.mode, "native");
  EXPECT_EQ(timeline.state, RunState::kFailed);
  EXPECT_EQ(timeline.failed_step, "config");
}

TEST(Build, ModeThatNothingTellsIsNotGuessed) {
  Sources sources;
  sources.controller_log = std::string(kStarted) + kFinished;
  EXPECT_EQ(built(sources).mode, "");
}

TEST(Build, ResultAloneIsShownAsFarAsItGoes) {
  Sources sources;
  sources.provision_json = R"({"ExitCode":"50","Error":"no way out","FailedStep":"network.outbound"})";
  const Timeline timeline = built(sources);
  EXPECT_EQ(timeline.state, RunState::kFailed);
  for (size_t i = 0; i < std::size(kFormatNames); ++i) EXPECT_NE(show(timeline, static_cast<Format>(i)), "");
  EXPECT_THAT(as_text(timeline), HasSubstr("provision: failed, exit code 50 (native mode)\nno source says when\n"
                                           "failed step: network.outbound\nerror: no way out\n"));
  sources.provision_json = R"({"ExitCode":"0","CSEStartTime":"Sun Nov 15 18:59:35 UTC 2026","ExecDuration":"9"})";
  EXPECT_THAT(as_text(built(sources)), HasSubstr("provision complete: +9.000s (approximate)"));
}

TEST(Build, SourcesThatCannotBeReadAreNamedAsSuch) {
  const std::string noise("\x01\xfe\x00 \n\xff[[{\n", 10);
  Sources sources;
  sources.run_record = noise;
  sources.cloud_init_log = noise;
  sources.provision_json = noise;
  sources.units = noise;
  sources.journal = noise;
  sources.events.emplace_back("1.json", noise);
  sources.controller_log = std::string(kStarted) + noise;
  const Timeline timeline = built(sources);
  for (const SourceNote& source : timeline.sources) {
    const bool good = source.name == "aks-node-controller.log";
    EXPECT_EQ(source.found, good) << source.name;
    if (!good) {
      EXPECT_THAT(source.detail, HasSubstr("there, but unreadable (DIR/")) << source.name;
    }
  }
  EXPECT_THAT(timeline.warnings, testing::Contains(HasSubstr("lines of aks-node-controller.log could not be read")));
}

TEST(Build, LinesOfTheRecordWhoseTimeCannotBeAreCountedAndLeftOut) {
  Sources sources;
  sources.run_record =
      R"({"sunup":"run record","v":1,"boot":"b","t":1000000000,"wall":1794769175000000000}
{"t":1100000000,"e":"started","step":"a","attempt":1}
{"t":9223372036854775807,"e":"started","step":"b","attempt":1}
{"t":18446744073709551615,"e":"ended","step":"b"}
{"t":-9223372036854775808,"e":"ended","step":"a"}
{"t":1e300,"e":"ended","step":"a"}
{"t":"x","e":"ended","step":"a"}
{"t":400000000000000000,"e":"ended","step":"a"}
{"e":"ended","step":"a"}
{"t":1200000000,"e":"ended","step":"a","attempt":1}
{"t":1300000000,"e":"run ended"}
)";
  const auto timeline = build(sources);
  ASSERT_TRUE(timeline.ok());
  EXPECT_THAT(timeline->warnings, testing::Contains("7 lines of the run record could not be read"));
  ASSERT_EQ(timeline->spans.size(), 1u);
  for (const Point& point : timeline->points) EXPECT_LE(timeline->seconds(point.at), 0.3) << point.id;
}

TEST(Build, ClockMayBeginAtZero) {
  Sources sources;
  sources.run_record =
      "{\"sunup\":\"run record\",\"v\":1,\"boot\":\"b\",\"t\":0}\n{\"t\":0,\"e\":\"started\",\"step\":\"a\"}\n";
  const auto timeline = build(sources);
  ASSERT_TRUE(timeline.ok());
  EXPECT_EQ(timeline->spans.size(), 1u);
}

TEST(Build, RecordWhoseHeadHasNoTimeThatCanBeIsUnreadable) {
  Sources sources;
  sources.provision_json = R"({"ExitCode":"0"})";
  sources.run_record = R"({"sunup":"run record","v":1,"boot":"b","t":9223372036854775807,"wall":-5})";
  const auto timeline = build(sources);
  ASSERT_TRUE(timeline.ok());
  EXPECT_EQ(timeline->sources.back().detail, "there, but unreadable");
}

TEST(Build, LinesOfTheJournalThatCannotBeReadAreCountedWhateverTheOthersAre) {
  Sources sources;
  sources.provision_json = R"({"ExitCode":"0"})";
  sources.journal =
      "nonsense\n{}\n"
      R"({"_BOOT_ID":"b","__REALTIME_TIMESTAMP":"1794786626000000","__MONOTONIC_TIMESTAMP":"99999999999999999999"})"
      "\n";
  const auto timeline = build(sources);
  ASSERT_TRUE(timeline.ok());
  EXPECT_THAT(timeline->warnings, testing::Contains("3 lines of the journal could not be read"));
}

TEST(Build, EndOfAStepCanBeTheZero) {
  Sources sources;
  sources.run_record =
      R"({"sunup":"run record","v":1,"boot":"b","t":1000000000,"wall":1794769175000000000}
{"t":1100000000,"e":"started","step":"a","attempt":1}
{"t":1200000000,"e":"ended","step":"a","attempt":1}
)";
  const auto timeline = build(sources, {.zero = "step:a:end"});
  ASSERT_TRUE(timeline.ok()) << timeline.error().what;
  EXPECT_EQ(timeline->zero, 1'200'000'000);
  EXPECT_EQ(timeline->zero_label, "a done");
  const auto none = build(sources, {.zero = "step:a:start"});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().what, testing::HasSubstr("the end of a step is step:NAME:end"));
}

std::string shown_unit(const std::string& name, int begin_us, int active_us) {
  return "\nId=" + name + "\nActiveState=active\nInactiveExitTimestampMonotonic=" + std::to_string(begin_us) +
         "\nActiveEnterTimestampMonotonic=" + std::to_string(active_us) + "\n";
}

TEST(Build, NetworkStageHasTwoNamesAndTheSameMilestones) {
  for (const std::string name : {"cloud-init.service", "cloud-init-network.service"}) {
    Sources sources;
    sources.run_record = std::string(kHead) + kStep + kRunEnded;
    sources.units_boot = "b";
    sources.units = "UserspaceTimestampMonotonic=1\n" + shown_unit(name, 500'000, 900'000);
    for (const char* from : {"systemd", "journal"}) {
      const Timeline timeline = built(sources);
      ASSERT_TRUE(timeline.find("cloudinit.network.start")) << name << " in " << from;
      EXPECT_EQ(timeline.points[*timeline.find("cloudinit.network.start")].at, 500'000'000);
      ASSERT_TRUE(timeline.find("cloudinit.network.done")) << name << " in " << from;
      EXPECT_EQ(timeline.points[*timeline.find("cloudinit.network.done")].at, 900'000'000);
      EXPECT_THAT(as_text(timeline), Not(HasSubstr("cloud-init network stage: no source mentions it")));
      // The same from the journal.
      sources.units.reset();
      const auto entry = [&](const char* id, const char* at) {
        return nlohmann::json{{"_BOOT_ID", "b"},
                              {"_TRANSPORT", "journal"},
                              {"_SYSTEMD_UNIT", "init.scope"},
                              {"UNIT", name},
                              {"MESSAGE_ID", id},
                              {"__REALTIME_TIMESTAMP", std::string("1794769174") + at},
                              {"__MONOTONIC_TIMESTAMP", at}}
                   .dump() +
               "\n";
      };
      sources.journal =
          entry("7d4958e842da4a758f6c1cdc7b36dcc5", "500000") + entry("39f53479d3a045ac8e11786248231fbf", "900000");
    }
  }
}

TEST(Build, UnitThatIsShownUnderTwoNamesIsOne) {
  Sources sources;
  sources.run_record = std::string(kHead) + kStep + kRunEnded;
  sources.units_boot = "b";
  sources.units = "UserspaceTimestampMonotonic=1\n" + shown_unit("walinuxagent.service", 500'000, 900'000) +
                  shown_unit("walinuxagent.service", 500'000, 900'000);
  const Timeline timeline = built(sources);
  EXPECT_EQ(std::ranges::count(timeline.spans, "walinuxagent.service", &Span::name), 1);
}

TEST(Build, GuestAgentOfAzureLinuxIsShown) {
  Sources sources;
  sources.run_record = std::string(kHead) + kStep + kRunEnded;
  sources.journal = R"({"_BOOT_ID":"b","_TRANSPORT":"journal","_SYSTEMD_UNIT":"init.scope","UNIT":"waagent.service",)"
                    R"("MESSAGE_ID":"39f53479d3a045ac8e11786248231fbf","__REALTIME_TIMESTAMP":"1794769175900000",)"
                    R"("__MONOTONIC_TIMESTAMP":"1900000"})"
                    "\n";
  EXPECT_EQ(std::ranges::count(built(sources).spans, "waagent.service", &Span::name), 1);
}

TEST(Build, FirstPodThatRanIsAMilestoneAndItsAbsenceIsNoGap) {
  const auto kubelet_said = [](const char* at, const char* text) {
    return nlohmann::json{{"_BOOT_ID", "b"},
                          {"_TRANSPORT", "stdout"},
                          {"_SYSTEMD_UNIT", "kubelet.service"},
                          {"MESSAGE", text},
                          {"__REALTIME_TIMESTAMP", std::string("179476917") + at},
                          {"__MONOTONIC_TIMESTAMP", at}}
               .dump() +
           "\n";
  };
  Sources sources;
  sources.run_record = std::string(kHead) + kStep + kRunEnded;
  sources.journal = kubelet_said("1700000", R"("Successfully registered node" node="a")");
  EXPECT_FALSE(built(sources).find("pod.running"));
  EXPECT_THAT(as_text(built(sources)), Not(HasSubstr("first pod running")));
  for (const char* at : {"2500000", "2900000"})
    *sources.journal += kubelet_said(at, R"("Observed pod startup duration" pod="default/a" podStartSLOduration=1.2)");
  const Timeline timeline = built(sources);
  ASSERT_TRUE(timeline.find("pod.running"));
  EXPECT_EQ(timeline.points[*timeline.find("pod.running")].at, 2'500'000'000);
}

TEST(Chain, OfARunThatGoesOnEndsAtWhatIsBeingWaitedFor) {
  Sources sources;
  sources.run_record = std::string(kHead) + kStep +
                       R"({"t":1000000000,"e":"declared","step":"later","rank":"deferred"}
{"t":1400000000,"e":"started","step":"network.outbound","attempt":1}
{"t":1500000000,"e":"started","step":"later","attempt":1}
{"t":1600000000,"e":"note","step":"network.outbound","text":"x"}
)";
  sources.machine_is_up = true;
  const Timeline timeline = built(sources);
  ASSERT_TRUE(timeline.waiting_for);
  EXPECT_EQ(timeline.spans[*timeline.waiting_for].name, "network.outbound") << "nobody waits for the other";
  ASSERT_FALSE(timeline.chain.empty());
  EXPECT_EQ(timeline.points[timeline.chain.back().to].id, "step:network.outbound:end");
  EXPECT_EQ(timeline.chain.back().waited_for, "step network.outbound, which is still running");
  EXPECT_THAT(as_text(timeline), HasSubstr("\nwaiting for network.outbound since +0.400s\n"));
}

TEST(Build, DeferredStepIsRunningUntilItsNodeOwesNoneAnyMore) {
  Sources sources;
  sources.run_record = std::string(kHead) + R"({"t":1000000000,"e":"declared","step":"later","rank":"deferred"}
)" + kStep + R"({"t":1500000000,"e":"started","step":"later","attempt":1}
)" + kRunEnded;
  sources.provision_json = R"({"ExitCode":"0"})";
  sources.units_boot = "b";
  sources.machine_is_up = true;
  sources.owes_deferred = true;
  EXPECT_EQ(built(sources).state, RunState::kSucceeded);
  EXPECT_THAT(as_text(built(sources)), HasSubstr("- later running: "));
  EXPECT_THAT(as_text(built(sources)), Not(HasSubstr("the run record ends before it does")));
  sources.owes_deferred = false;
  EXPECT_THAT(as_text(built(sources)), HasSubstr("- later cancelled: "));
  sources.owes_deferred = true;
  sources.units_boot = "the next";
  EXPECT_THAT(as_text(built(sources)), HasSubstr("- later cancelled: ")) << "that boot has ended";
}

TEST(Chain, ToTheResultDoesNotRunThroughStepsThatNobodyWaitsFor) {
  Sources sources;
  sources.run_record = std::string(kHead) +
                       R"({"t":1000000000,"e":"declared","step":"containerd.start","rank":"critical"}
{"t":1000000000,"e":"declared","step":"later","rank":"deferred"}
)" + kStep + R"({"t":1500000000,"e":"started","step":"later","attempt":1}
{"t":1900000000,"e":"ended","step":"later","attempt":1}
)" + kRunEnded;
  const Timeline timeline = built(sources);
  EXPECT_THAT(as_text(timeline), HasSubstr("* "));
  ASSERT_FALSE(timeline.chain.empty());
  EXPECT_EQ(timeline.points[timeline.chain.back().to].id, "provision.complete");
  EXPECT_EQ(timeline.points[timeline.chain.back().from].id, "step:containerd.start:end");
  for (const Span& span : timeline.spans) EXPECT_FALSE(span.deferred && span.critical) << span.name;
}

TEST(Build, StepsThatLeftTheMachineAloneAreNotCalledDone) {
  Sources sources;
  sources.run_record = std::string(kHead) + R"({"t":1100000000,"e":"started","step":"containerd.start","attempt":1}
{"t":1200000000,"e":"left out","step":"containerd.start","text":"start unit containerd.service"}
{"t":1300000000,"e":"ended","step":"containerd.start","attempt":1,"did":"nothing"}
{"t":1300000000,"e":"started","step":"ssh.config","attempt":1}
{"t":1300000000,"e":"left out","step":"ssh.config","text":"restart unit ssh.service"}
{"t":1400000000,"e":"ended","step":"ssh.config","attempt":1,"did":"part"}
)" + kRunEnded;
  const Timeline timeline = built(sources);
  ASSERT_EQ(timeline.spans.size(), 2U);
  EXPECT_EQ(timeline.spans[0].state, SpanState::kSkipped);
  EXPECT_EQ(timeline.spans[0].why, "left alone: start unit containerd.service");
  EXPECT_EQ(timeline.spans[1].state, SpanState::kDone);
  EXPECT_THAT(timeline.spans[1].notes, testing::ElementsAre("left alone: restart unit ssh.service"));
  EXPECT_THAT(as_text(timeline), HasSubstr("containerd.start skipped: "));
  EXPECT_THAT(as_text(timeline), HasSubstr("ssh.config done in part: "));
}

TEST(Otlp, OnlyARunThatSucceededIsOk) {
  Sources sources;
  const auto status = [&] {
    const auto request = nlohmann::json::parse(as_otlp(built(sources)));
    return request["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"]["code"].get<int>();
  };
  sources.run_record = std::string(kHead) + kStep;
  EXPECT_EQ(status(), 0) << "cut off";
  sources.run_record = std::string(kHead) + kStep + kRunEnded;
  EXPECT_EQ(status(), 1);
  sources.provision_json = R"({"ExitCode":"4"})";
  EXPECT_EQ(status(), 2);
}

TEST(Otlp, TimesBefore1970AreLeftOut) {
  Sources sources;
  sources.run_record = R"({"sunup":"run record","v":1,"boot":"b","t":5000000000,"wall":1000000000,"mode":"native"})"
                       "\n" +
                       std::string(kStep) + R"({"t":6000000000,"e":"run ended"})" + "\n";
  const auto request = nlohmann::json::parse(as_otlp(built(sources)));
  EXPECT_THAT(request.dump(), Not(HasSubstr("\"-")));
  EXPECT_EQ(request["resourceSpans"][0]["scopeSpans"][0]["spans"].size(), 1u) << "the step was before";
}

}  // namespace
}  // namespace sunup::timeline
