#include "controller/unread_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>

namespace sunup::controller {
namespace {

class UnreadOutputTest : public testing::Test {
 protected:
  UnreadOutputTest() {
    ::signal(SIGPIPE, SIG_IGN);  // as the program does
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader = ends[0];
    writer = ends[1];
  }
  ~UnreadOutputTest() override {
    ::close(reader);
    ::close(writer);
  }

  std::string read_what_is_there() const {
    int size = 0;
    EXPECT_EQ(::ioctl(reader, FIONREAD, &size), 0);
    std::string text(static_cast<size_t>(size), '\0');
    EXPECT_EQ(::read(reader, text.data(), text.size()), size);
    return text;
  }
  // The text that a reader gets that reads until nothing is left.
  std::string read_on(UnreadOutput& output) const {
    std::string all = read_what_is_there();
    while (output.waiting()) {
      output.write_some();
      all += read_what_is_there();
    }
    return all;
  }
  static std::string lines(size_t bytes) {
    std::string text;
    for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + "\n";
    return text;
  }

  int reader = -1;
  int writer = -1;
};

TEST_F(UnreadOutputTest, GoesOutAtOnceIfItIsRead) {
  UnreadOutput output(writer);
  output.add("now\n");
  EXPECT_FALSE(output.waiting());
  EXPECT_EQ(read_what_is_there(), "now\n");
}

TEST_F(UnreadOutputTest, IsKeptForAReaderThatPauses) {
  UnreadOutput output(writer);
  const std::string text = lines(1u << 20);
  for (size_t at = 0; at < text.size(); at += 10'000) output.add(std::string_view(text).substr(at, 10'000));
  EXPECT_TRUE(output.waiting());
  EXPECT_EQ(read_on(output), text);
  output.add("later\n");
  EXPECT_EQ(read_what_is_there(), "later\n");
}

TEST_F(UnreadOutputTest, BeyondTheMostALineSaysHowMuchIsLeftOut) {
  const auto pipe_holds = static_cast<size_t>(::fcntl(writer, F_GETPIPE_SZ));
  for (const bool in_a_line : {false, true}) {
    UnreadOutput output(writer, 0);
    const std::string kept = lines(UnreadOutput::kMost + pipe_holds) + (in_a_line ? "and" : "");
    output.add(kept);
    output.add("a record\n");
    output.add("another\n");
    EXPECT_EQ(read_on(output), kept + (in_a_line ? "\n" : "") + "[17 bytes left out]\n");
    output.add("read again\n");
    EXPECT_EQ(read_what_is_there(), "read again\n");
  }
}

TEST_F(UnreadOutputTest, AReaderThatIsBehindButReadsIsWaitedFor) {
  UnreadOutput output(writer);
  const std::string piece = lines(64u << 10);
  const size_t total = piece.size() * (3 * UnreadOutput::kMost / piece.size());
  std::atomic<size_t> added = 0;
  size_t got = 0;
  std::thread slow([&] {
    while (added < UnreadOutput::kMost) std::this_thread::yield();  // up to the limit
    std::array<char, 4096> buffer;
    while (got < total) {
      const ssize_t n = ::read(reader, buffer.data(), buffer.size());
      if (n <= 0) return;
      got += static_cast<size_t>(n);
    }
  });
  while (added < total) {
    output.add(piece);
    added += piece.size();
  }
  while (output.waiting() && takes_more(writer, 60'000)) output.write_some();
  ::close(writer);
  slow.join();
  writer = -1;
  EXPECT_EQ(got, total);
}

TEST_F(UnreadOutputTest, AReaderThatHasGoneCostsNothing) {
  UnreadOutput output(writer);
  output.add(lines(1u << 20));
  ::close(reader);
  output.add("nobody hears this\n");
  EXPECT_FALSE(output.waiting());
  reader = -1;
}

}  // namespace
}  // namespace sunup::controller
