#include "fleet/resolve/image_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

NodeClass node_class(std::string family, bool fips = false, bool trusted_launch = false) {
  NodeClass result;
  result.name = "default";
  result.image_family = std::move(family);
  result.fips = fips;
  result.vtpm = trusted_launch;
  return result;
}

InstanceType size(const char* arch, bool generation1, bool generation2) {
  InstanceType type;
  type.name = "Standard_D4s_v5";
  type.arch = arch;
  type.generation1 = generation1;
  type.generation2 = generation2;
  return type;
}

struct SelectionCase {
  const char* requested;
  bool fips;
  bool trusted_launch;
  const char* kubernetes;
  const char* family;
  std::vector<std::string> definitions;  // in order of priority
};

class ImageSelection : public ::testing::TestWithParam<SelectionCase> {};

TEST_P(ImageSelection, PicksTheFamilyAndItsImagesInOrder) {
  const SelectionCase& c = GetParam();
  const ImageFamily* family = find_image_family({c.requested, c.fips, c.trusted_launch, c.kubernetes});
  ASSERT_NE(family, nullptr);
  EXPECT_EQ(family->name, c.family);
  std::vector<std::string> definitions;
  for (const ImageDefinition& image : family->images)
    if (image.fips == c.fips && image.trusted_launch == c.trusted_launch) definitions.emplace_back(image.name);
  EXPECT_EQ(definitions, c.definitions);
}

INSTANTIATE_TEST_SUITE_P(
    Matrix, ImageSelection,
    ::testing::Values(
        SelectionCase{"",
                      false,
                      false,
                      "1.31.9",
                      "Ubuntu2204",
                      {"2204gen2containerd", "2204containerd", "2204gen2arm64containerd"}},
        SelectionCase{"",
                      false,
                      false,
                      "1.33.1",
                      "Ubuntu2204",
                      {"2204gen2containerd", "2204containerd", "2204gen2arm64containerd"}},
        SelectionCase{"",
                      false,
                      false,
                      "1.34.0",
                      "Ubuntu2404",
                      {"2404gen2containerd", "2404containerd", "2404gen2arm64containerd"}},
        SelectionCase{"", false, true, "1.31.9", "Ubuntu2204", {"2204gen2TLcontainerd"}},
        SelectionCase{"", false, true, "1.33.1", "Ubuntu2204", {"2204gen2TLcontainerd"}},
        SelectionCase{"", false, true, "1.34.0", "Ubuntu2204", {"2204gen2TLcontainerd"}},
        SelectionCase{"", true, false, "1.31.9", "Ubuntu2004", {"2004gen2fipscontainerd", "2004fipscontainerd"}},
        SelectionCase{"", true, false, "1.33.1", "Ubuntu2004", {"2004gen2fipscontainerd", "2004fipscontainerd"}},
        SelectionCase{"", true, false, "1.34.0", "Ubuntu2004", {"2004gen2fipscontainerd", "2004fipscontainerd"}},
        SelectionCase{"", true, true, "1.31.9", "Ubuntu2204", {"2204gen2fipsTLcontainerd"}},
        SelectionCase{"", true, true, "1.33.1", "Ubuntu2204", {"2204gen2fipsTLcontainerd"}},
        SelectionCase{"", true, true, "1.34.0", "Ubuntu2204", {"2204gen2fipsTLcontainerd"}},
        SelectionCase{"Ubuntu2204",
                      false,
                      false,
                      "1.31.9",
                      "Ubuntu2204",
                      {"2204gen2containerd", "2204containerd", "2204gen2arm64containerd"}},
        SelectionCase{"Ubuntu2204",
                      false,
                      false,
                      "1.33.1",
                      "Ubuntu2204",
                      {"2204gen2containerd", "2204containerd", "2204gen2arm64containerd"}},
        SelectionCase{"Ubuntu2204",
                      false,
                      false,
                      "1.34.0",
                      "Ubuntu2204",
                      {"2204gen2containerd", "2204containerd", "2204gen2arm64containerd"}},
        SelectionCase{"Ubuntu2204", false, true, "1.31.9", "Ubuntu2204", {"2204gen2TLcontainerd"}},
        SelectionCase{"Ubuntu2204", false, true, "1.33.1", "Ubuntu2204", {"2204gen2TLcontainerd"}},
        SelectionCase{"Ubuntu2204", false, true, "1.34.0", "Ubuntu2204", {"2204gen2TLcontainerd"}},
        SelectionCase{"Ubuntu2204", true, true, "1.31.9", "Ubuntu2204", {"2204gen2fipsTLcontainerd"}},
        SelectionCase{"Ubuntu2204", true, true, "1.33.1", "Ubuntu2204", {"2204gen2fipsTLcontainerd"}},
        SelectionCase{"Ubuntu2204", true, true, "1.34.0", "Ubuntu2204", {"2204gen2fipsTLcontainerd"}},
        SelectionCase{"Ubuntu2404",
                      false,
                      false,
                      "1.31.9",
                      "Ubuntu2404",
                      {"2404gen2containerd", "2404containerd", "2404gen2arm64containerd"}},
        SelectionCase{"Ubuntu2404",
                      false,
                      false,
                      "1.33.1",
                      "Ubuntu2404",
                      {"2404gen2containerd", "2404containerd", "2404gen2arm64containerd"}},
        SelectionCase{"Ubuntu2404",
                      false,
                      false,
                      "1.34.0",
                      "Ubuntu2404",
                      {"2404gen2containerd", "2404containerd", "2404gen2arm64containerd"}},
        SelectionCase{"Ubuntu2404", false, true, "1.31.9", "Ubuntu2404", {"2404gen2TLcontainerd"}},
        SelectionCase{"Ubuntu2404", false, true, "1.33.1", "Ubuntu2404", {"2404gen2TLcontainerd"}},
        SelectionCase{"Ubuntu2404", false, true, "1.34.0", "Ubuntu2404", {"2404gen2TLcontainerd"}},
        SelectionCase{"AzureLinux", false, false, "1.31.9", "AzureLinux2", {"V2gen2", "V2", "V2gen2arm64"}},
        SelectionCase{"AzureLinux", false, false, "1.33.1", "AzureLinux3", {"V3gen2", "V3", "V3gen2arm64"}},
        SelectionCase{"AzureLinux", false, false, "1.34.0", "AzureLinux3", {"V3gen2", "V3", "V3gen2arm64"}},
        SelectionCase{"AzureLinux", false, true, "1.31.9", "AzureLinux2", {"V2gen2TL"}},
        SelectionCase{"AzureLinux", false, true, "1.33.1", "AzureLinux3", {"V3gen2TL"}},
        SelectionCase{"AzureLinux", false, true, "1.34.0", "AzureLinux3", {"V3gen2TL"}},
        SelectionCase{"AzureLinux", true, false, "1.31.9", "AzureLinux2", {"V2gen2fips", "V2fips"}},
        SelectionCase{"AzureLinux", true, false, "1.33.1", "AzureLinux3", {"V3gen2fips", "V3fips", "V3gen2arm64fips"}},
        SelectionCase{
            "AzureLinux", true, false, "1.34.0", "AzureLinux3", {"V3gen2fips", "V3fips", "V3gen2arm64fips"}}));
Result<NodeImage> select(const NodeClass& wanted, const InstanceType& type, bool use_sig = false,
                         const char* kubernetes = "1.33.1") {
  return ImageProvider(recorded_image_versions()).select({&wanted, &type, kubernetes, use_sig, "sub-1"});
}

TEST(ImageProvider, NamesTheImageOfTheCommunityGallery) {
  EXPECT_EQ(select(node_class("Ubuntu"), size("amd64", true, true))->id,
            "/CommunityGalleries/AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2/images/2204gen2containerd/versions/"
            "202608.14.0");
}

TEST(ImageProvider, NamesTheImageOfTheSharedGallery) {
  const auto image = select(node_class("AzureLinux", true), size("arm64", false, true), true);
  EXPECT_EQ(image->id,
            "/subscriptions/sub-1/resourceGroups/AKS-AzureLinux/providers/Microsoft.Compute/galleries/AKSAzureLinux/"
            "images/V3gen2arm64fips/versions/202608.14.0");
  EXPECT_EQ(image->definition->distro, "aks-azurelinux-v3-arm64-gen2-fips");
}

TEST(ImageProvider, TakesWhatTheInstanceTypeCanRun) {
  EXPECT_EQ(select(node_class("Ubuntu2404"), size("amd64", true, true))->definition->name, "2404gen2containerd");
  EXPECT_EQ(select(node_class("Ubuntu2404"), size("amd64", true, false))->definition->name, "2404containerd");
  EXPECT_EQ(select(node_class("Ubuntu2404"), size("arm64", false, true))->definition->name, "2404gen2arm64containerd");
}

TEST(ImageProvider, KeepsAzureLinux2Frozen) {
  EXPECT_EQ(select(node_class("AzureLinux"), size("amd64", true, true), false, "1.31.0")->version, "202512.06.0");
}

TEST(ImageProvider, SaysWhyThereIsNoImage) {
  EXPECT_THAT(select(node_class("Ubuntu", false, true), size("arm64", false, true)).error().what,
              HasSubstr("Ubuntu2204 has no trusted launch image for Standard_D4s_v5 (arm64, Hyper-V generation 2)"));
  EXPECT_THAT(select(node_class("AzureLinux", true), size("amd64", true, true)).error().what,
              HasSubstr("SIGRequiredForFIPS"));
}

TEST(ImageProvider, PrefersWhatTheClassStatusLists) {
  NodeClass wanted = node_class("Ubuntu2204");
  wanted.status.images = {
      {"/CommunityGalleries/g/images/2204gen2arm64containerd/versions/202601.01.0", "arm64", "2"},
      {"/CommunityGalleries/g/images/2204containerd/versions/202601.02.0", "amd64", "1"},
      {"/CommunityGalleries/g/images/2204gen2containerd/versions/202601.03.0", "amd64", "2"},
  };
  EXPECT_EQ(select(wanted, size("amd64", true, true))->version, "202601.02.0");
  EXPECT_EQ(select(wanted, size("amd64", false, true))->version, "202601.03.0");
}

TEST(ImageProvider, LeavesAloneWhatTheStatusListsForOtherSizes) {
  NodeClass wanted = node_class("Ubuntu2204");
  wanted.status.images = {
      {"/CommunityGalleries/g/images/2204gen2containerd/versions/202601.01.0", "arm64", {}},
      {"/CommunityGalleries/g/images/2204gen2containerd/versions/202601.02.0", {}, "1"},
      {"/CommunityGalleries/g/images/2204gen2containerd/versions/202601.03.0", {}, {}},
  };
  EXPECT_EQ(select(wanted, size("amd64", false, true))->version, "202601.03.0");
}

TEST(ImageProvider, KeepsAPinnedVersion) {
  NodeClass wanted = node_class("Ubuntu2204");
  wanted.image_version = "202601.01.0";
  const auto image = select(wanted, size("amd64", true, true));
  EXPECT_THAT(image->id, HasSubstr("/versions/202601.01.0"));
  EXPECT_EQ(image->origin.source, Source::kNodeClass);
}

TEST(ImageVersions, OrdersVersionsByTheirNumbers) {
  EXPECT_TRUE(newer_image_version("202608.14.0", "202608.9.0"));
  EXPECT_TRUE(newer_image_version("202608.14.0", "22.12.31"));
  EXPECT_TRUE(newer_image_version("202608.14.0.1", "202608.14.0"));
  EXPECT_FALSE(newer_image_version("202608.14.0", "202608.14.0"));
  EXPECT_FALSE(newer_image_version("202608.x.0", "202608.14.0"));
}

TEST(ImageVersions, ReadsWhatARegionListsAndKeepsTheNewest) {
  const auto versions = parse_image_versions(
      R"({"values": [{"os": "AKSUbuntu", "sku": "2204gen2containerd", "version": "202601.01.0"},
                     {"os": "AKSUbuntu", "sku": "2204gen2containerd", "version": "202603.01.0"},
                     {"os": "AKSAzureLinux", "sku": "V3gen2", "version": "202602.01.0"}]})",
      "list");
  ASSERT_TRUE(versions);
  EXPECT_EQ((*versions)->latest(image_families()[0]->gallery, "2204gen2containerd"), "202603.01.0");
  EXPECT_EQ((*versions)->latest(image_families()[0]->gallery, "V3gen2"), std::nullopt);
  EXPECT_EQ((*versions)->latest(kAzureLinuxGallery, "V3gen2"), "202602.01.0");
  EXPECT_EQ((*parse_image_versions(R"({"V3": "1.2.3"})", "m"))->latest(kAzureLinuxGallery, "V3"), "1.2.3");
  EXPECT_FALSE(parse_image_versions("{}", "m"));
  EXPECT_FALSE(parse_image_versions("no", "m"));
}

// The steps of docs/adding-an-image-family.md: a definition like this, and a row in the table.
constexpr Gallery kFlatcarGallery{"AKSFlatcar-example", "AKS-Flatcar", "AKSFlatcar"};
constexpr ImageDefinition kFlatcarImages[] = {{"flatcargen2", "aks-flatcar-gen2", "amd64", "2"}};
const ImageFamily kFlatcar{
    .name = "Flatcar",
    .effective_name = "Flatcar",
    .os_sku = "Flatcar",
    .custom_data_os = "flatcar",
    .gallery = kFlatcarGallery,
    .images = kFlatcarImages,
    .serves = [](const FamilyQuery& query) { return query.requested == "Flatcar"; },
};

TEST(ImageFamily, IsAddedByOneDefinitionAndOneRow) {
  const ImageFamily* families[] = {image_families()[0], &kFlatcar};
  const NodeClass wanted = node_class("Flatcar");
  const InstanceType type = size("amd64", true, true);
  const auto image = ImageProvider(recorded_image_versions(), families).select({&wanted, &type, "1.33.1", false, ""});
  ASSERT_TRUE(image) << image.error().what;
  EXPECT_EQ(image->id, "/CommunityGalleries/AKSFlatcar-example/images/flatcargen2/versions/202608.14.0");
}

TEST(ImageProvider, MakesNoNodeOfASizeThatTheStatusListsNoImageFor) {
  NodeClass wanted = node_class("Ubuntu2204");
  wanted.status.images = {{"/CommunityGalleries/g/images/2204gen2containerd/versions/202601.03.0", "amd64", "2"}};
  EXPECT_THAT(select(wanted, size("arm64", false, true)).error().what,
              HasSubstr("status.images lists no Ubuntu2204 image for Standard_D4s_v5 (arm64, Hyper-V generation 2)"));
}

}  // namespace
}  // namespace sunup::fleet
