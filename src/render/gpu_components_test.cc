#include "render/gpu_components.h"

#include <gmock/gmock.h>

namespace sunup::render {
namespace {

using testing::IsEmpty;

GpuImages parsed(std::string_view text) {
  auto images = parse_gpu_components(text);
  EXPECT_TRUE(images) << text;
  return images ? *images : GpuImages{};
}

TEST(GpuComponents, AreNamedByRepositoryAndSplitAtTheDash) {
  EXPECT_EQ(parsed(R"({"GPUContainerImages": [
      {"downloadURL": "mcr.microsoft.com/aks/aks-gpu-cuda-lts:*", "gpuVersion": {"latestVersion": "580.1-2026"}},
      {"downloadURL": "aks-gpu-grid", "gpuVersion": {"latestVersion": "570.2-"}}], "other": 1})"),
            (GpuImages{{"aks-gpu-cuda-lts", {"580.1", "2026"}}, {"aks-gpu-grid", {"570.2", ""}}}));
}

TEST(GpuComponents, IgnoreTheCaseOfNames) {
  EXPECT_EQ(parsed(R"({"gpucontainerimages": [{"DOWNLOADURL": "a/b:c:d", "GPUversion": {"LatestVersion": "1-2"}}]})"),
            (GpuImages{{"b", {"1", "2"}}}));
}

TEST(GpuComponents, CountOnlyTagsOfTwoPartsAndTheLastOfAName) {
  const auto entry = [](std::string tag) {
    return R"({"downloadURL": "x/n:*", "gpuVersion": {"latestVersion": ")" + tag + "\"}}";
  };
  EXPECT_THAT(parsed("{\"GPUContainerImages\": [" + entry("1") + "," + entry("1-2-3") + "]}"), IsEmpty());
  EXPECT_EQ(parsed("{\"GPUContainerImages\": [" + entry("1-a") + "," + entry("2-b") + "," + entry("3") + "]}"),
            (GpuImages{{"n", {"2", "b"}}}));
}

TEST(GpuComponents, MayBeMissing) {
  for (const auto* text : {"{}", "null", R"({"GPUContainerImages": null})", R"({"GPUContainerImages": [null, {}]})",
                           R"({"GPUContainerImages": [{"downloadURL": null, "gpuVersion": null}]})"})
    EXPECT_THAT(parsed(text), IsEmpty()) << text;
}

TEST(GpuComponents, OfTheWrongShapeAreAnError) {
  for (const auto* text :
       {"", "{", "[]", "1", R"({"GPUContainerImages": {}})", R"({"GPUContainerImages": [1]})",
        R"({"GPUContainerImages": [{"downloadURL": 1}]})", R"({"GPUContainerImages": [{"gpuVersion": "1-2"}]})",
        R"({"GPUContainerImages": [{"gpuVersion": {"latestVersion": 1}}]})"})
    EXPECT_FALSE(parse_gpu_components(text)) << text;
}

}  // namespace
}  // namespace sunup::render
