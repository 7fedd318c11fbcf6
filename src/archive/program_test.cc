#include "archive/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "archive/decompress.h"
#include "archive/package.h"
#include "archive/tar.h"
#include "archive/test_archives.h"

namespace sunup::archive {
namespace {

using namespace test_archives;
using testing::HasSubstr;

const std::string kProgram =
    "\x7f"
    "ELF" +
    std::string(300'000, 'k') + "end";

TEST(FindProgram, TakesItOutOfEveryFormItComesIn) {
  const Files files = {{"usr/share/doc/kubelet/copyright", "free"}, {"usr/bin/kubelet", kProgram}};
  for (const auto compress : {gzip, xz, zstd, as_it_is}) {
    EXPECT_EQ(*find_program(compress(tar(files)), "kubelet"), kProgram);
    EXPECT_EQ(*find_program(deb(files, compress), "kubelet"), kProgram);
    EXPECT_EQ(*find_program(rpm(files, compress), "kubelet"), kProgram);
  }
  EXPECT_EQ(*find_program(kProgram, "kubelet"), kProgram);
}

TEST(FindProgram, LooksIntoThePackageThatAnArchiveHolds) {
  const std::string package = deb({{"usr/bin/kubelet", kProgram}}, xz);
  EXPECT_EQ(*find_program(gzip(tar({{"repo/Packages", "list"},
                                    {"repo/kubelet_1.34.1_amd64.deb", package},
                                    {"repo/kubelet-extras.txt", "x"}})),
                          "kubelet"),
            kProgram);
}

TEST(FindProgram, SaysWhenItIsNotThereOrThereTwice) {
  EXPECT_THAT(find_program(gzip(tar({{"bin/kubectl", "x"}})), "kubelet").error().what, HasSubstr("no files"));
  EXPECT_THAT(find_program(gzip(tar({{"a/kubelet", "x"}, {"b/kubelet", "y"}})), "kubelet").error().what,
              HasSubstr("several files"));
  EXPECT_FALSE(find_program("<html>sign in to the network</html>", "kubelet"));
  EXPECT_FALSE(find_program("", "kubelet"));
}

TEST(FindProgram, APackageThatIsDamagedAnywhereIsAnErrorAndNeverAnotherProgram) {
  EXPECT_TRUE(rc::check("a damaged package gives an error or the program", [] {
    const Files files = {{"usr/bin/kubelet", "program " + std::string(5000, 'p')}};
    static const std::string kWhole[] = {deb(files, xz), deb(files, gzip), rpm(files, zstd), gzip(tar(files))};
    std::string bytes = kWhole[*rc::gen::inRange<size_t>(0, 4)];
    if (*rc::gen::arbitrary<bool>()) {
      bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size()));
    } else {
      bytes[*rc::gen::inRange<size_t>(0, bytes.size())] ^= static_cast<char>(*rc::gen::inRange(1, 256));
    }
    const auto found = find_program(bytes, "kubelet");
    if (found) RC_ASSERT(*found == files[0].second);
  }));
}

struct Pieces {
  std::string text;
  size_t largest = 0;
  Result<void> found = {};
};

Pieces pieces_of(std::string_view bytes) {
  Pieces pieces;
  pieces.found = find_program(bytes, "kubelet", [&pieces](std::string_view piece) {
    pieces.text += piece;
    pieces.largest = std::max(pieces.largest, piece.size());
    return Result<void>();
  });
  return pieces;
}

TEST(FindProgram, GivesItPieceByPiece) {
  const Files files = {{"usr/share/doc/kubelet/copyright", "free"}, {"usr/bin/kubelet", kProgram}};
  for (const auto compress : {gzip, xz, zstd, zstd_with_checksum}) {
    for (const std::string& form : {compress(tar(files)), deb(files, compress), rpm(files, compress)}) {
      const Pieces pieces = pieces_of(form);
      ASSERT_TRUE(pieces.found) << pieces.found.error().what;
      EXPECT_EQ(pieces.text, kProgram);
    }
    EXPECT_LT(pieces_of(deb(files, compress)).largest, kProgram.size()) << "a package's program is not held as a whole";
  }
  EXPECT_EQ(pieces_of(kProgram).text, kProgram);
  EXPECT_FALSE(pieces_of(deb({{"usr/bin/kubectl", "x"}}, zstd_with_checksum)).found);
  const Pieces two = pieces_of(deb({{"a/kubelet", "x"}, {"b/kubelet", "y"}}, zstd_with_checksum));
  ASSERT_FALSE(two.found);
  EXPECT_THAT(two.found.error().what, HasSubstr("several files"));
  const auto stops = find_program(deb(files, zstd), "kubelet", [](std::string_view) { return Error("full"); });
  EXPECT_EQ(stops.error().what, "full");
}

TEST(FindProgram, PiecesOfADamagedPackageAreAnErrorOrTheProgram) {
  EXPECT_TRUE(rc::check("a damaged package gives an error or the program", [] {
    std::string content = "program ";
    for (int i = 0; i < 5000; ++i) content += static_cast<char>('a' + i * 7919 % 26);
    const Files files = {{"usr/bin/kubelet", content}};
    static const std::string kWhole[] = {deb(files, zstd), deb(files, zstd_with_checksum)};
    std::string bytes = kWhole[*rc::gen::inRange<size_t>(0, 2)];
    if (*rc::gen::arbitrary<bool>())
      bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size()));
    else
      bytes[*rc::gen::inRange<size_t>(0, bytes.size())] ^= static_cast<char>(*rc::gen::inRange(1, 256));
    const Pieces pieces = pieces_of(bytes);
    if (pieces.found) RC_ASSERT(pieces.text == content);
  }));
}

TEST(Deb, PiecesThatAreNotWhatThePackageListsAreRefused) {
  const std::string wrong = std::string(32, '0') + "  usr/bin/kubelet";
  const Pieces pieces = pieces_of(deb({{"usr/bin/kubelet", kProgram}}, zstd, wrong));
  ASSERT_FALSE(pieces.found);
  EXPECT_THAT(pieces.found.error().what, HasSubstr("checksum"));
}

TEST(Deb, AFileThatIsNotWhatThePackageListsIsRefused) {
  const std::string wrong = std::string(32, '0') + "  usr/bin/kubelet";
  const auto read = read_deb(deb({{"usr/bin/kubelet", kProgram}}, gzip, wrong), [](std::string_view) { return true; });
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("checksum"));
}

TEST(Rpm, AContentThatIsNotWhatThePackageNamesIsRefused) {
  const auto read =
      read_rpm(rpm({{"usr/bin/kubelet", kProgram}}, zstd, std::string(64, 'a')), [](std::string_view) { return true; });
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("digest"));
}

TEST(Tar, KnowsPathsThatDoNotFitTheirHeader) {
  const std::string path = std::string(150, 'd') + "/kubelet";
  EXPECT_EQ(read_tar(tar({{path, "x"}}), [](std::string_view) { return true; })->at(path), "x");
  const std::string line = "path=" + path + "\n";
  const std::string pax = tar_entry("PaxHeaders/kubelet", std::to_string(line.size() + 4) + " " + line, 'x') +
                          tar_entry("short", "y", '0') + std::string(1024, '\0');
  EXPECT_EQ(read_tar(pax, [](std::string_view) { return true; })->at(path), "y");
}

TEST(Tar, AMemberThatClaimsMoreThanAnyProgramNeedsIsRefusedBeforeMemoryIsTaken) {
  std::string header = tar_entry("kubelet", "", '0');
  header.replace(124, 11, octal(uint64_t{1} << 32, 11));
  header.replace(148, 8, "        ");
  size_t sum = 0;
  for (size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(header[i]);
  header.replace(148, 6, octal(sum, 6));
  const auto read = read_tar(header, [](std::string_view) { return true; });
  EXPECT_THAT(read.error().what, HasSubstr("too large"));
}

TEST(Decompress, SeveralStreamsInARowAreOne) {
  for (const auto compress : {gzip, xz, zstd}) {
    std::string out;
    const auto take = [&out](std::string_view piece) {
      out += piece;
      return Result<void>();
    };
    EXPECT_TRUE(decompress(compress("one ") + compress("two"), take));
    EXPECT_EQ(out, "one two");
    EXPECT_FALSE(decompress(compress("one") + "rubbish", take));
  }
}

}  // namespace
}  // namespace sunup::archive
