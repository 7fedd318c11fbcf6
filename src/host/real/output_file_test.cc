#include "host/real/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "host/real/fd.h"
#include "host/real/test_dir.h"

namespace sunup::host::real {
namespace {

using testing::HasSubstr;

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct stat look(const std::string& path) {
  struct stat st = {};
  EXPECT_EQ(::lstat(path.c_str(), &st), 0) << path;
  return st;
}

TEST(OutputFile, ReplacesARegularFileAtOnceAndKeepsItsMode) {
  TestingDir dir;
  std::ofstream(dir / "page") << "old";
  ASSERT_EQ(::chmod((dir / "page").c_str(), 0640), 0);
  const Fd reader(::open((dir / "page").c_str(), O_RDONLY));
  ASSERT_TRUE(write_output(dir / "page", "new"));
  char seen[8] = {};
  EXPECT_EQ(::read(reader.get(), seen, sizeof seen), 3);
  EXPECT_STREQ(seen, "old");
  EXPECT_EQ(content(dir / "page"), "new");
  EXPECT_EQ(look(dir / "page").st_mode & 07777, 0640u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(OutputFile, GivesANewFileTheModeLessTheUmask) {
  TestingDir dir;
  const mode_t mask = ::umask(027);
  EXPECT_TRUE(write_output(dir / "page", "x"));
  EXPECT_TRUE(write_output(dir / "bundle", "x", 0600));
  ::umask(mask);
  EXPECT_EQ(look(dir / "page").st_mode & 07777, 0640u);
  EXPECT_EQ(look(dir / "bundle").st_mode & 07777, 0600u);
}

TEST(OutputFile, NeverLeavesAnExistingFileWiderThanAskedFor) {
  TestingDir dir;
  std::ofstream(dir / "bundle") << "old";
  ASSERT_EQ(::chmod((dir / "bundle").c_str(), 0644), 0);
  ASSERT_TRUE(write_output(dir / "bundle", "x", 0600));
  EXPECT_EQ(look(dir / "bundle").st_mode & 07777, 0600u);
}

TEST(OutputFile, FollowsSymlinksToWhatIsThereAndToWhatIsNot) {
  TestingDir dir;
  std::ofstream(dir / "real") << "old";
  std::filesystem::create_symlink("real", dir / "link");
  std::filesystem::create_symlink("later", dir / "dangling");
  ASSERT_TRUE(write_output(dir / "link", "new"));
  ASSERT_TRUE(write_output(dir / "dangling", "first"));
  EXPECT_TRUE(S_ISLNK(look(dir / "link").st_mode));
  EXPECT_TRUE(S_ISLNK(look(dir / "dangling").st_mode));
  EXPECT_EQ(content(dir / "real"), "new");
  EXPECT_EQ(content(dir / "later"), "first");
}

TEST(OutputFile, WritesIntoADeviceOrAFifo) {
  TestingDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  const Fd reader(::open((dir / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(write_output(dir / "pipe", "through"));
  char seen[16] = {};
  EXPECT_EQ(::read(reader.get(), seen, sizeof seen), 7);
  EXPECT_STREQ(seen, "through");
  EXPECT_TRUE(S_ISFIFO(look(dir / "pipe").st_mode));

  EXPECT_TRUE(write_output("/dev/null", "gone"));
  EXPECT_TRUE(S_ISCHR(look("/dev/null").st_mode));
  const auto full = write_output("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().what, "writing /dev/full: No space left on device");
}

TEST(OutputFile, MakesNoDirectories) {
  TestingDir dir;
  const auto missing = write_output(dir / "no/such/page", "x");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("/no/such: no such directory"));
  EXPECT_FALSE(std::filesystem::exists(dir / "no"));
  const auto directory = write_output(dir.path(), "x");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().os_errno, EISDIR);
}

}  // namespace
}  // namespace sunup::host::real
