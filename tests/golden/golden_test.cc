// Runs every folder of cases/: the input is config.json and facts.json, and the resulting files, modes, links and
// removals must be the recorded ones. SUNUP_GOLDEN_UPDATE=1 records them again instead (./dev golden --update); review
// the difference before you commit it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "contract/load.h"
#include "render/node/files.h"

namespace sunup::render::node {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

struct Outcome {
  NodeFiles files;
  std::string manifest;
};

Outcome render(const fs::path& folder, const std::string& arch = "") {
  const auto loaded = contract::load_text(read(folder / "config.json"), "config.json");
  EXPECT_TRUE(loaded) << loaded.error().what;
  auto facts = facts_from_json(read(folder / "facts.json"));
  EXPECT_TRUE(facts) << facts.error().what;
  if (!loaded || !facts) return {};
  if (!arch.empty()) facts->arch = arch;
  EXPECT_THAT(loaded->findings, testing::IsEmpty()) << "a golden config is one without remarks";
  const auto files = node_files(loaded->config, *facts);
  EXPECT_TRUE(files) << files.error().what;
  if (!files) return {};

  Outcome outcome{*files, ""};
  for (const NodeFile& file : *files) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", file.mode);
    outcome.manifest += std::string(mode) + (file.secret ? " secret " : " ") + file.path + "\n";
  }
  for (const NodeLink& link : node_links(loaded->config, *facts))
    outcome.manifest += "link " + link.path + " -> " + link.target + "\n";
  for (const std::string& path : node_removals(loaded->config, *facts)) outcome.manifest += "gone " + path + "\n";
  return outcome;
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(SUNUP_GOLDEN_CASES))
    if (entry.is_directory()) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, GivesTheRecordedFiles) {
  const fs::path folder = fs::path(SUNUP_GOLDEN_CASES) / GetParam();
  const Outcome outcome = render(folder);
  const fs::path tree = folder / "expected";
  if (std::getenv("SUNUP_GOLDEN_UPDATE") != nullptr) {  // NOLINT(concurrency-mt-unsafe): one thread
    fs::remove_all(tree);
    for (const NodeFile& file : outcome.files) write(tree / file.path.substr(1), file.content);
    write(folder / "manifest", outcome.manifest);
    GTEST_SKIP() << "recorded anew: " << outcome.files.size() << " files";
  }
  EXPECT_EQ(outcome.manifest, read(folder / "manifest"));
  std::set<std::string> recorded;
  for (const auto& entry : fs::recursive_directory_iterator(tree))
    if (entry.is_regular_file()) recorded.insert("/" + entry.path().lexically_relative(tree).string());
  for (const NodeFile& file : outcome.files) {
    ASSERT_TRUE(recorded.erase(file.path)) << file.path << " is not recorded";
    EXPECT_EQ(file.content, read(tree / file.path.substr(1))) << file.path;
  }
  EXPECT_THAT(recorded, testing::IsEmpty()) << "recorded but not written";
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

// An arm64 node gets the same bytes. It may have other files, which the file `arm64` of the case lists: "- LINE" and
// "+ LINE" of the manifest.
TEST_P(Golden, DiffersOnArm64OnlyInWhatIsListed) {
  const fs::path folder = fs::path(SUNUP_GOLDEN_CASES) / GetParam();
  const Outcome amd64 = render(folder, "amd64");
  const Outcome arm64 = render(folder, "arm64");
  const auto before = lines_of(amd64.manifest);
  const auto after = lines_of(arm64.manifest);
  std::string found;
  for (const std::string& line : before)
    if (!after.contains(line)) found += "- " + line + "\n";
  for (const std::string& line : after)
    if (!before.contains(line)) found += "+ " + line + "\n";
  for (const NodeFile& file : amd64.files)
    for (const NodeFile& other : arm64.files)
      if (file.path == other.path) EXPECT_EQ(file.content, other.content) << file.path;
  const fs::path recorded = folder / "arm64";
  if (std::getenv("SUNUP_GOLDEN_UPDATE") != nullptr) {  // NOLINT(concurrency-mt-unsafe): one thread
    fs::remove(recorded);
    if (!found.empty()) write(recorded, found);
    GTEST_SKIP() << "recorded again";
  }
  EXPECT_EQ(found, fs::exists(recorded) ? read(recorded) : "");
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(cases()), [](const auto& param) {
  std::string name = param.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(GoldenCases, CoverTheFeaturesThatChangeFiles) {
  EXPECT_GE(cases().size(), 13U);
}

}  // namespace
}  // namespace sunup::render::node
