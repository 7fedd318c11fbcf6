#include "timeline/bounded_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/real/files.h"
#include "host/real/loop.h"
#include "host/real/test_dir.h"

namespace sunup::timeline {
namespace {

struct BoundedReadTest : testing::Test {
  host::real::TestingDir root;
  std::unique_ptr<host::real::Loop> loop = std::move(*host::real::Loop::open());
  host::real::Files files{*loop, root.path()};
};

TEST_F(BoundedReadTest, ShortFileIsReadWhole) {
  std::ofstream(root.path() + "/log") << "one\ntwo";
  const auto read = read_ends(files, "/log", 7);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->text, "one\ntwo");
  EXPECT_EQ(said_of_cut(*read), "");
}

TEST_F(BoundedReadTest, LongFileGivesWholeLinesOfBothEndsAndSaysSo) {
  std::ofstream(root.path() + "/log") << "first\nsecond\nthird\nfourth\nfifth\nlast\n";
  const auto read = read_ends(files, "/log", 20);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->text, "first\nlast\n");
  EXPECT_EQ(said_of_cut(*read), "cut: 26 bytes in its middle are omitted, it has 37 bytes");
}

// A file of a terabyte: reading all of it would never end.
TEST_F(BoundedReadTest, HugeFileCostsNoMoreThanWhatIsTaken) {
  std::ofstream(root.path() + "/log") << "first\n";
  std::filesystem::resize_file(root.path() + "/log", uint64_t{1} << 40);
  const auto read = read_ends(files, "/log", 4096);
  ASSERT_TRUE(read.ok()) << read.error().what;
  EXPECT_EQ(read->text, "first\n");
  EXPECT_THAT(said_of_cut(*read), testing::HasSubstr("1048576 MiB"));
}

TEST(Places, AreThoseOfABundleOfLogsAndOfAWholeDisk) {
  EXPECT_THAT(places("/d", "/var/log/azure/aks/provision.json"),
              testing::ElementsAre("/d/provision.json", "/d/aks/provision.json", "/d/azure/aks/provision.json",
                                   "/d/var/log/azure/aks/provision.json"));
  EXPECT_THAT(places("/d", "/etc/os-release"), testing::ElementsAre("/d/os-release", "/d/etc/os-release"));
}

}  // namespace
}  // namespace sunup::timeline
