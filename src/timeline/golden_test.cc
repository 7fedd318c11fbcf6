// Golden timelines: each folder of tests/timeline/cases contains the recorded data of a boot (input/) and the expected
// output of the formats: texts for every case, page and picture for two. SUNUP_GOLDEN_UPDATE=1 writes the expectations
// again; review the difference before you commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/real/machine.h"
#include "timeline/build.h"
#include "timeline/formats.h"
#include "timeline/gather.h"

namespace sunup::timeline {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(SUNUP_SOURCE_DIR) / "tests/timeline/cases";

struct Output {
  Format format;
  const char* file;
};
constexpr Output kTexts[] = {
    {Format::kText, "expected.txt"},
    {Format::kJson, "expected.json"},
    {Format::kPerfetto, "expected.perfetto.json"},
    {Format::kOtlp, "expected.otlp.json"},
};
// Pages and pictures repeat most lines from case to case.
constexpr std::string_view kDrawn[] = {"native-failed", "scripts"};
constexpr Output kDrawings[] = {
    {Format::kSvg, "expected.svg"},
    {Format::kHtml, "expected.html"},
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The path of the recorded directory is not part of the expectation.
Timeline timeline_of(const std::string& name) {
  auto machine = host::real::Machine::open();
  host::Host& host = (*machine)->host();
  const std::string input = fs::absolute(kCases / name / "input").lexically_normal().string();
  Sources sources = (*machine)->loop().run(gather_from_directory(host.files, host.processes, input));
  for (SourceNote& note : sources.notes)
    for (size_t at = note.detail.find(input); at != std::string::npos; at = note.detail.find(input))
      note.detail.replace(at, input.size(), "DIR");
  auto built = build(sources);
  EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().what);
  return built.ok() ? std::move(*built) : Timeline();
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

// Style and script are the same in every page and picture, and tests/timeline/page_test.py runs them in a browser. They
// are omitted, so that a change to them does not change every expectation.
std::string without_frame(std::string page) {
  for (const auto& [begin, end] : {std::pair("<style>", "</style>"), std::pair("<script>", "</script>")}) {
    const size_t from = page.find(begin);
    if (from == std::string::npos) continue;
    const size_t inner = from + std::string_view(begin).size();
    page.replace(inner, page.find(end, inner) - inner, "...");
  }
  return page;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, IsShownAsRecorded) {
  const Timeline timeline = timeline_of(GetParam());
  const bool update = std::getenv("SUNUP_GOLDEN_UPDATE") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  const auto compare = [&](const Output& output) {
    const fs::path file = kCases / GetParam() / output.file;
    const std::string shown = without_frame(show(timeline, output.format));
    if (update) std::ofstream(file, std::ios::binary) << shown;
    EXPECT_EQ(shown, text_of(file)) << file << " differs; SUNUP_GOLDEN_UPDATE=1 writes it again";
  };
  std::ranges::for_each(kTexts, compare);
  if (std::ranges::find(kDrawn, GetParam()) != std::end(kDrawn)) std::ranges::for_each(kDrawings, compare);
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(cases()), [](const auto& chosen) {
  std::string name = chosen.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

double at(const Timeline& timeline, const char* id) {
  const auto point = timeline.find(id);
  EXPECT_TRUE(point) << id;
  return point ? timeline.seconds(timeline.points[*point].at) : -1;
}

TEST(Recorded, ClockThatWasSetMovesNothing) {
  const Timeline straight = timeline_of("scripts");
  const Timeline jumped = timeline_of("clock-set");
  for (const Point& point : straight.points) {
    if (!point.milestone) continue;
    EXPECT_NEAR(at(jumped, point.id.c_str()), straight.seconds(point.at), 0.001) << point.id;
  }
  ASSERT_EQ(jumped.warnings.size(), 1u);
  EXPECT_NE(jumped.warnings[0].find("set forward by 7205.0"), std::string::npos) << jumped.warnings[0];
}

TEST(Recorded, RebootedNodeStillShowsTheBootOfTheRun) {
  const Timeline before = timeline_of("scripts");
  const Timeline after = timeline_of("rebooted");
  EXPECT_EQ(after.boot, before.boot);
  for (const char* id : {"controller.start", "kubelet.started", "node.registered", "node.ready"})
    EXPECT_NEAR(at(after, id), at(before, id), 0.010) << id;
}

TEST(Recorded, RealRebootLeavesTheWholeWay) {
  const Timeline timeline = timeline_of("native-rebooted");
  EXPECT_EQ(timeline.state, RunState::kSucceeded);
  const auto systemd = std::ranges::find(timeline.sources, "systemd", &SourceNote::name);
  ASSERT_NE(systemd, timeline.sources.end());
  EXPECT_FALSE(systemd->found) << "its timestamps are of the second boot";
  for (const char* id : {"controller.start", "containerd.ready", "kubelet.started", "node.registered", "node.ready"})
    EXPECT_TRUE(timeline.find(id)) << id;
  EXPECT_EQ(timeline.points[timeline.chain.back().to].id, "node.ready");
}

TEST(Recorded, MissingSourcesAreNamedAndTheirMilestonesNotGuessed) {
  const Timeline timeline = timeline_of("no-journal");
  EXPECT_FALSE(timeline.find("kubelet.started"));
  EXPECT_FALSE(timeline.find("node.ready"));
  const auto missing = std::ranges::find(timeline.missing, "NodeReady", &Missing::label);
  ASSERT_NE(missing, timeline.missing.end());
  EXPECT_EQ(missing->why, "journal not available");
  EXPECT_TRUE(timeline.find("cse.start"));
}

TEST(Recorded, ChainOfTheRealBootGoesFromSystemdToNodeReadyWithoutAHole) {
  const Timeline timeline = timeline_of("scripts");
  ASSERT_FALSE(timeline.chain.empty());
  EXPECT_EQ(timeline.points[timeline.chain.front().from].id, "systemd.start");
  EXPECT_EQ(timeline.points[timeline.chain.back().to].id, "node.ready");
  for (size_t i = 0; i < timeline.chain.size(); ++i) {
    const Link& link = timeline.chain[i];
    EXPECT_FALSE(link.waited_for.empty());
    EXPECT_LE(timeline.points[link.from].at, timeline.points[link.to].at);
    if (i > 0) {
      EXPECT_EQ(timeline.chain[i - 1].to, link.from);
    }
  }
}

TEST(Recorded, FailedRunsChainEndsAtTheStepThatFailed) {
  const Timeline timeline = timeline_of("native-failed");
  EXPECT_EQ(timeline.state, RunState::kFailed);
  EXPECT_EQ(timeline.points[timeline.chain.back().to].id, "step:containerd.ready:end");
}

TEST(Recorded, RunWithoutAnEndIsCutOffUnlessItsMachineIsUp) {
  EXPECT_EQ(timeline_of("going-on").state, RunState::kCutOff);
}

}  // namespace
}  // namespace sunup::timeline
