#include "engine/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/sim/machine.h"

namespace sunup::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPath = "/var/lib/sunup/journal";

Step step(std::string name, std::string inputs = "", Lasts lasts = Lasts::kThisBoot) {
  Step made;
  made.name = std::move(name);
  made.inputs = std::move(inputs);
  made.lasts = lasts;
  return made;
}

struct JournalTest : testing::Test {
  host::sim::World world{1};
  host::sim::Machine machine{world};
  host::Files& files = machine.host().files;

  Journal open(std::string boot = "b1", std::string generation = "g") {
    return Journal(files, kPath, boot, generation);
  }
  bool knows(const Journal& journal, const Step& which) {
    std::string why;
    return journal.find(which, &why) != nullptr;
  }
  std::string why(const Journal& journal, const Step& which) {
    std::string reason;
    (void)journal.find(which, &reason);
    return reason;
  }
};

TEST_F(JournalTest, RemembersStepsTheirInputsAndFacts) {
  {
    Journal journal = open();
    ASSERT_TRUE(journal.finished(step("a", "in"), {{"fact", "line\n\ttab = 100%\x7f"}}));
  }
  const Journal journal = open();
  std::string reason;
  const Journal::Done* done = journal.find(step("a", "in"), &reason);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->facts.at("fact"), "line\n\ttab = 100%\x7f");
  EXPECT_EQ(why(journal, step("a", "other")), "its inputs have changed");
  EXPECT_EQ(why(journal, step("b")), "not done before");
  EXPECT_TRUE(journal.troubles().empty());
}

TEST_F(JournalTest, AnotherGenerationStartsAfresh) {
  ASSERT_TRUE(open().finished(step("a"), {}));
  EXPECT_FALSE(knows(open("b1", "new config"), step("a")));
}

TEST_F(JournalTest, AfterARebootOnlyWhatIsProvenDurableAndLastsIsBelieved) {
  const Step file = step("file", "", Lasts::kOnDisk);
  const Step unit = step("unit");
  const Step during = step("during", "", Lasts::kOnDisk);
  {
    Journal journal = open("b1");
    ASSERT_TRUE(journal.finished(file, {}));
    ASSERT_TRUE(journal.finished(unit, {}));
    EXPECT_FALSE(knows(open("b2"), file));
    const uint64_t mark = journal.mark();
    ASSERT_TRUE(journal.finished(during, {}));  // while the disk was being synced
    ASSERT_TRUE(journal.barrier(mark));
  }
  EXPECT_TRUE(knows(open("b2"), file));
  EXPECT_EQ(why(open("b2"), unit), "done in an earlier boot, and does not survive a reboot");
  EXPECT_EQ(why(open("b2"), during), "done in an earlier boot, but possibly not on disk");
  EXPECT_TRUE(knows(open("b1"), during));
}

TEST_F(JournalTest, StepThatWasStartedAgainIsNotDoneUntilItHasFinished) {
  ASSERT_TRUE(open().finished(step("a", "old"), {}));
  {
    Journal journal = open();
    ASSERT_TRUE(journal.started(step("a", "new")));
  }
  EXPECT_FALSE(knows(open(), step("a", "old")));  // it may be half way to a different state
}

TEST_F(JournalTest, RewritingKeepsWhatWasProven) {
  const Step file = step("file", "", Lasts::kOnDisk);
  const Step late = step("late", "", Lasts::kOnDisk);
  {
    Journal journal = open("b1");
    ASSERT_TRUE(journal.finished(file, {{"f", "1"}}));
    ASSERT_TRUE(journal.barrier(journal.mark()));
    ASSERT_TRUE(journal.finished(late, {}));
  }
  ASSERT_TRUE(files.append(kPath, "garbage"));
  EXPECT_THAT(open("b2").troubles(), ElementsAre(HasSubstr("1 of 4 records are damaged")));
  EXPECT_TRUE(open("b2").troubles().empty());  // the first one has rewritten the file
  EXPECT_TRUE(knows(open("b2"), file));
  EXPECT_FALSE(knows(open("b2"), late));
  EXPECT_TRUE(knows(open("b1"), late));
}

// After damage, a journal may report only a subset of the records that were written.
void expect_subset(JournalTest& test, const std::string& text, const std::string& what) {
  ASSERT_TRUE(test.files.write(kPath, text, 0600));
  Journal journal = test.open("b2");
  for (int i = 0; i < 6; ++i) {
    const Step each = step("step" + std::to_string(i), "inputs", Lasts::kOnDisk);
    std::string reason;
    if (const Journal::Done* done = journal.find(each, &reason)) {
      EXPECT_LT(i, 4) << what << ": a step was believed that no barrier covers";
      EXPECT_EQ(done->facts.at("n"), std::to_string(i)) << what;
    }
  }
  // The journal still works: a record that is added now is present after it is opened again.
  const Step more = step("more");
  ASSERT_TRUE(journal.finished(more, {})) << what;
  const Journal again = test.open("b2");
  EXPECT_TRUE(test.knows(again, more)) << what;
  EXPECT_TRUE(again.troubles().empty()) << what;
}

std::string sample(JournalTest& test) {
  Journal journal = test.open("b1");
  for (int i = 0; i < 6; ++i) {
    if (i == 4) {
      EXPECT_TRUE(journal.barrier(journal.mark()));
    }
    EXPECT_TRUE(
        journal.finished(step("step" + std::to_string(i), "inputs", Lasts::kOnDisk), {{"n", std::to_string(i)}}));
  }
  return *test.files.read(kPath);
}

TEST_F(JournalTest, CutAtEveryByteItOpensAndGoesOn) {
  const std::string whole = sample(*this);
  for (size_t length = 0; length <= whole.size(); ++length)
    expect_subset(*this, whole.substr(0, length), "cut at byte " + std::to_string(length));
}

TEST_F(JournalTest, WithAnyByteFlippedItOpensReportsAndGoesOn) {
  const std::string whole = sample(*this);
  for (size_t at = 0; at < whole.size(); ++at)
    for (const int bit : {0x01, 0x80, 0x2b}) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ bit);
      const std::string what = "byte " + std::to_string(at) + " flipped by " + std::to_string(bit);
      ASSERT_TRUE(files.write(kPath, flipped, 0600));
      EXPECT_FALSE(open("b2").troubles().empty()) << what;
      expect_subset(*this, flipped, what);
    }
}

TEST_F(JournalTest, AfterAFullDiskItGoesOn) {
  Journal journal = open();
  ASSERT_TRUE(journal.finished(step("a"), {}));
  world.faults.file_errors = 100;
  EXPECT_FALSE(journal.finished(step("b"), {}));
  EXPECT_FALSE(journal.finished(step("c"), {}));
  world.faults = {};
  ASSERT_TRUE(journal.finished(step("d"), {}));
  const Journal again = open();
  EXPECT_TRUE(knows(again, step("a")));
  EXPECT_TRUE(knows(again, step("d")));
}

TEST_F(JournalTest, ReportsDamage) {
  std::string text = sample(*this);
  text[20] = '#';
  ASSERT_TRUE(files.write(kPath, text, 0600));
  EXPECT_THAT(open().troubles(), ElementsAre(HasSubstr("1 of 7 records are damaged and were dropped")));
}

}  // namespace
}  // namespace sunup::engine
