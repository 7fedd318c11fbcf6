// The images in containerd's database: those that it knows, and not texts that look like their names.
#include "plan/image_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/test_image_database.h"

namespace sunup::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr size_t kPage = 1024;

// The number of a page follows each name, and can look like a part of it.
TEST(ImageDatabase, NamesEndWhereTheyEnd) {
  const auto names = image_names(image_database({"mcr.microsoft.com/pause:3.1", "mcr.microsoft.com/pause:3.10"}));
  ASSERT_TRUE(names) << names.error().what;
  EXPECT_THAT(*names, ElementsAre("mcr.microsoft.com/pause:3.1", "mcr.microsoft.com/pause:3.10"));
}

// A page that is no longer used still has the images of then, and contents have labels with names of images.
TEST(ImageDatabase, OnlyWhatTheTreeReachesCounts) {
  std::string database = image_database({"registry.example/a:1"});
  database += leaf(kPage, {"registry.example/removed:1"}, '0');
  database +=
      "io.containerd.image.name"
      "registry.example/label:1";
  database.resize(database.size() / kPage * kPage + kPage);
  EXPECT_THAT(*image_names(database), ElementsAre("registry.example/a:1"));
}

TEST(ImageDatabase, NewerDescriptionCounts) {
  std::string database = image_database({"registry.example/new:1"});
  EXPECT_THAT(*image_names(database), ElementsAre("registry.example/new:1"));
  // The older of the two names a page that does not exist.
  database.replace(0, kPage, description(kPage, 2, 5));
  EXPECT_FALSE(image_names(database));
}

TEST(ImageDatabase, BranchesLeadToLeaves) {
  std::string database = image_database({"registry.example/a:1"});
  // The page of the images becomes a branch to two leaves.
  std::string branch(kPage, '\0');
  put_number<uint16_t>(branch, 8, 1);
  put_number<uint16_t>(branch, 10, 2);
  put_number<uint64_t>(branch, 16 + 8, 6);
  put_number<uint64_t>(branch, 32 + 8, 7);
  database.replace(5 * kPage, kPage, branch);
  database += leaf(kPage, {"registry.example/b:1"}, '0') + leaf(kPage, {"registry.example/c:1"}, '0');
  EXPECT_THAT(*image_names(database), ElementsAre("registry.example/b:1", "registry.example/c:1"));
  put_number<uint64_t>(branch, 32 + 8, 5);  // to itself
  database.replace(5 * kPage, kPage, branch);
  EXPECT_FALSE(image_names(database));
}

TEST(ImageDatabase, NodeWithoutImagesHasNone) {
  EXPECT_THAT(*image_names(""), IsEmpty());
  EXPECT_THAT(*image_names(image_database({})), IsEmpty());
  const std::string other = description(kPage, 2, 1) + description(kPage, 2, 0) + leaf(kPage, {"v1"}, 3);
  EXPECT_THAT(*image_names(other + leaf(kPage, {"default"}, 4)), IsEmpty());
}

TEST(ImageDatabase, DamageIsAnError) {
  const std::string whole = image_database({"registry.example/a:1"});
  for (size_t size = 1; size < whole.size(); size += 7) EXPECT_FALSE(image_names(whole.substr(0, size))) << size;
  EXPECT_THAT(image_names("mcr.microsoft.com/pause:3.9").error().what, HasSubstr("not a database of containerd"));
}

}  // namespace
}  // namespace sunup::plan
