#include "fleet/sources/image_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

constexpr Gallery kGallery{"c", "g", "AKSUbuntu"};

TEST(ImageVersions, AreReadFromAGallerysOwnAnswerTheLastPublishedFirst) {
  constexpr char kAnswer[] = R"({"value": [
    {"name": "202608.20.0", "properties": {"publishedDate": "2026-08-21T00:00:00+00:00"}},
    {"name": "202609.01.0", "properties": {"publishedDate": "2026-08-20T00:00:00+00:00"}},
    {"name": "202612.01.0", "properties": {"publishedDate": "2026-12-01T00:00:00Z", "excludeFromLatest": true}}]})";
  const auto by_url = parse_image_versions(kAnswer, "https://g/images/2204gen2containerd/versions?api-version=1");
  ASSERT_TRUE(by_url) << by_url.error().what;
  EXPECT_EQ((*by_url)->latest(kGallery, "2204gen2containerd"), "202608.20.0");
  EXPECT_THAT(parse_image_versions(kAnswer, "file.json").error().what, HasSubstr("does not name its image"));
  const auto by_id = parse_image_versions(R"({"value": [{"name": "202608.20.0", "identifier": {"uniqueId":
    "/CommunityGalleries/g/Images/2404gen2containerd/Versions/202608.20.0"}, "properties": {}}]})",
                                          "file.json");
  ASSERT_TRUE(by_id) << by_id.error().what;
  EXPECT_EQ((*by_id)->latest(kGallery, "2404gen2containerd"), "202608.20.0");
}

TEST(ImageVersions, AreNumbersAndNothingThatCouldLeadElsewhere) {
  for (const char* text : {R"({"2204gen2containerd": "latest/../../x"})",
                           R"({"values": [{"sku": "2204gen2containerd", "version": "latest"}]})",
                           R"({"value": [{"name": "1/2", "id": "/images/a/versions/1"}]})"})
    EXPECT_THAT(parse_image_versions(text, "f").error().what, HasSubstr("is not the version of an image")) << text;
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

}  // namespace
}  // namespace sunup::fleet
