#include "fleet/sources/image_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/drift.h"

namespace sunup::fleet {
namespace {

TEST(ImageId, HasItsPartsInAnyLetterCase) {
  for (const char* text :
       {"/CommunityGalleries/g/images/V3gen2/versions/1.2.3", "/CommunityGalleries/g/Images/V3gen2/Versions/1.2.3"}) {
    const auto id = parse_image_id(text);
    ASSERT_TRUE(id) << text;
    EXPECT_EQ(id->gallery, "/CommunityGalleries/g");
    EXPECT_EQ(id->definition, "V3gen2");
    EXPECT_EQ(id->version, "1.2.3");
  }
}

TEST(ImageId, OfAUrlNamesNoVersion) {
  const auto id = parse_image_id("https://example.com/g/images/V3/versions?api-version=2024");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->definition, "V3");
  EXPECT_EQ(id->version, "");
  for (const char* none : {"", "/images/", "/images//versions/1", "V3", "https://example.com/?x=/images/V3"})
    EXPECT_FALSE(parse_image_id(none)) << none;
}

TEST(ImageDrift, ComparesIdsInAnyLetterCase) {
  EXPECT_TRUE(of_one_release("/CommunityGalleries/g/Images/2204gen2containerd/Versions/202601.01.0",
                             "/communitygalleries/g/images/2204gen2arm64containerd/versions/202601.01.0"));
  EXPECT_FALSE(of_one_release("/g/images/2204gen2containerd", "/g/images/2204gen2containerd"));
}

TEST(ImageVersions, CountAlsoWhenTheirPropertiesAreNone) {
  for (const char* properties : {"null", "[]", "5", "{}"}) {
    const auto versions = parse_image_versions(
        std::string(R"({"value": [{"name": "1.2.3", "id": "/g/Images/V3gen2/Versions/1.2.3", "properties": )") +
            properties + "}]}",
        "list");
    ASSERT_TRUE(versions) << properties;
    EXPECT_EQ((*versions)->latest(kAzureLinuxGallery, "V3gen2"), "1.2.3") << properties;
  }
}

}  // namespace
}  // namespace sunup::fleet
