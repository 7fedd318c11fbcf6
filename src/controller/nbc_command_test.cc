#include "controller/nbc_command.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

TEST(CleanPath, ShortensWithoutLookingAtTheDisk) {
  const std::pair<const char*, const char*> cases[] = {{"a", "a"},
                                                       {"./a", "a"},
                                                       {"a//b/./c/", "a/b/c"},
                                                       {"a/../b", "b"},
                                                       {"../a", "../a"},
                                                       {"../../a", "../../a"},
                                                       {"a/../../b", "../b"},
                                                       {"/a/../../b", "/b"},
                                                       {"/", "/"},
                                                       {"//x", "/x"},
                                                       {"", "."},
                                                       {"a/..", "."},
                                                       {"/..", "/"}};
  for (const auto& [path, clean] : cases) EXPECT_EQ(clean_path(path), clean) << path;
}

}  // namespace
}  // namespace sunup::controller
