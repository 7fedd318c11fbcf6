#include "fleet/launch/sig_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json request(const char* distro) {
  json value = json::parse(R"({
    "SIGConfig": {"tenantID": "t", "SubscriptionID": "s", "galleries": {
      "AKSUbuntu": {"galleryName": "u", "resourceGroup": "ru"}, "AKSCBLMariner": {"GalleryName": "m", "ResourceGroup": "rm"},
      "AKSAzureLinux": {"galleryname": "a", "resourcegroup": "ra"}, "AKSWindows": {"galleryName": "w", "resourceGroup": "rw"}}},
    "SubscriptionID": "mine", "TenantID": "mine", "Region": "eastus"})");
  value["distro"] = distro;
  return value;
}

TEST(SigImages, AreOfTheRequestersGalleries) {
  EXPECT_EQ(*latest_sig_image(request("aks-ubuntu-containerd-22.04-gen2"), recorded_image_versions()),
            (nlohmann::ordered_json{{"ResourceGroup", "ru"},
                                    {"Gallery", "u"},
                                    {"Definition", "2204gen2containerd"},
                                    {"Version", "202608.14.0"},
                                    {"SubscriptionID", "s"}}));
  EXPECT_EQ((*latest_sig_image(request("aks-azurelinux-v2-gen2"), recorded_image_versions()))["Version"],
            "202512.06.0");
  EXPECT_EQ((*latest_sig_image(request("aks-azurelinux-v3-edgezone"), recorded_image_versions()))["Gallery"],
            "AKSAzureLinuxEdgeZone");
}

TEST(SigImages, HaveTheNewestVersionOfTheSource) {
  const auto versions = parse_image_versions(R"({"2204gen2containerd": "202701.01.0"})", "list");
  EXPECT_EQ((*latest_sig_image(request("aks-ubuntu-containerd-22.04-gen2"), **versions))["Version"], "202701.01.0");
}

TEST(SigImages, AreListedForAllDistros) {
  const auto all = distro_sig_images(request(""), recorded_image_versions());
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 64u);  // without the gallery of Flatcar
  EXPECT_EQ((*all)["aks-acl-gen2-tl"]["Definition"], "aclgen2TL");
  json flatcar = request("");
  flatcar["SIGConfig"]["galleries"]["AKSFlatcar"] = {{"galleryName", "f"}, {"resourceGroup", "rf"}};
  EXPECT_EQ(distro_sig_images(flatcar, recorded_image_versions())->size(), 66u);
}

TEST(SigImages, SayWhatIsMissing) {
  EXPECT_THAT(latest_sig_image(request("aks-none"), recorded_image_versions()).error().what,
              HasSubstr("can't find SIG image config for distro aks-none in region eastus"));
  json broken = request("aks-ubuntu-containerd-22.04-gen2");
  broken["SIGConfig"]["galleries"].erase("AKSWindows");
  EXPECT_THAT(latest_sig_image(broken, recorded_image_versions()).error().what,
              HasSubstr("SIGConfig.Galleries.AKSWindows must have GalleryName and ResourceGroup"));
  for (const json& wrong : {json::array(), json(1), json::object(), json{{"SIGConfig", 5}}})
    EXPECT_FALSE(distro_sig_images(wrong, recorded_image_versions())) << wrong.dump();
}

}  // namespace
}  // namespace sunup::fleet
