#include "controller/node_custom_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

using testing::HasSubstr;

// "hello\n", packed.
constexpr char kGzip[] = "H4sIAAAAAAAAA8tIzcnJ5wIAIDA6NgYAAAA=";

std::vector<CustomDataFile> parse(std::string_view yaml, std::string* bad = nullptr) {
  std::string wrong;
  auto files = parse_custom_data(yaml, wrong);
  if (bad != nullptr)
    *bad = wrong;
  else
    EXPECT_EQ(wrong, "");
  return files;
}

TEST(NodeCustomData, DecodesEachEncoding) {
  const auto files = parse(std::string(R"(#cloud-config
write_files:
- path: /plain
  permissions: "0744"
  owner: root
  content: |
    hello
- path: /base64
  encoding: base64
  content: aGVsbG8K
- path: /gzip
  permissions: 4755
  encoding: gzip
  content: !!binary |
    )") + kGzip + "\n");
  ASSERT_EQ(files.size(), 3u);
  for (const auto& file : files) EXPECT_EQ(file.content, "hello\n") << file.path;
  EXPECT_EQ(files[0].mode, 0744u);
  EXPECT_EQ(files[1].mode, 0644u);
  EXPECT_EQ(files[2].mode, 0755u) << "only the lower nine bits count";
}

TEST(NodeCustomData, NothingToWriteIsFine) {
  for (const char* nothing : {"", "#cloud-config\n", "write_files: []\n", "write_files:\n", "other: 1\n"})
    EXPECT_TRUE(parse(nothing).empty()) << nothing;
}

TEST(NodeCustomData, StopsAtTheFirstBadEntryAndNamesIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"content: x", "no path"},
      {"path: relative", "not absolute"},
      {"path: /x\n  owner: joe", "unsupported owner \"joe\""},
      {"path: /x\n  permissions: rwx", "not octal"},
      {"path: /x\n  encoding: gz+b64", "unsupported encoding \"gz+b64\""},
      {"path: /x\n  encoding: base64\n  content: '*'", "not base64"},
      {"path: /x\n  encoding: gzip\n  content: plain", "damaged"},
  };
  for (const auto& [entry, why] : cases) {
    std::string bad;
    const auto files = parse(std::string("write_files:\n- path: /good\n- ") + entry + "\n- path: /later\n", &bad);
    EXPECT_THAT(bad, HasSubstr("write_files[1]")) << entry;
    EXPECT_THAT(bad, HasSubstr(why)) << entry;
    EXPECT_EQ(files.size(), 1u) << entry;
  }
}

TEST(NodeCustomData, SaysWhatIsWrongWithTheFile) {
  std::string bad;
  parse("write_files: 1\n", &bad);
  EXPECT_NE(bad, "");
  parse("a: [", &bad);
  EXPECT_NE(bad, "");
  parse("- just a list\n", &bad);
  EXPECT_NE(bad, "");
}

}  // namespace
}  // namespace sunup::controller
