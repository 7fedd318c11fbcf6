// Combinations of features that no other test covers: any two of them must result in a plan, on an image that has
// everything, on every distribution.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "contract/load.h"
#include "plan/catalogue.h"
#include "render/node/gpu.h"

namespace sunup::plan {
namespace {

using aksnodeconfig::v1::Configuration;

struct Feature {
  std::string name;
  Configuration config;
};

// The configs of the golden cases, and features that none of them has.
std::vector<Feature> features() {
  std::vector<Feature> all;
  for (const auto& folder : std::filesystem::directory_iterator(SUNUP_SOURCE_DIR "/tests/golden/cases")) {
    auto loaded = contract::load_file(folder.path() / "config.json");
    if (loaded) all.push_back({folder.path().filename(), loaded->config});
  }
  const std::pair<const char*, std::function<void(Configuration&)>> more[] = {
      {"China", [](Configuration& c) { c.mutable_cluster_config()->set_location("chinaeast2"); }},
      {"realm",
       [](Configuration& c) {
         auto& domain = *c.mutable_custom_search_domain_config();
         domain.set_domain_name("example.com");
         domain.set_realm_user("user");
         domain.set_realm_password("password");
       }},
      {"temporary disk",
       [](Configuration& c) {
         c.mutable_kubelet_config()->set_kubelet_disk_type(aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
       }},
      {"GPU",
       [](Configuration& c) {
         c.set_vm_size("Standard_NC24ads_A100_v4");
         c.mutable_gpu_config()->set_enable_nvidia(true);
         c.mutable_gpu_config()->set_config_gpu_driver(true);
         c.mutable_gpu_config()->set_gpu_instance_profile("MIG1g");
       }},
      {"managed GPU", [](Configuration& c) { c.mutable_gpu_config()->set_enable_managed_gpu(true); }},
      {"streaming", [](Configuration& c) { c.set_enable_artifact_streaming(true); }},
      {"isolated", [](Configuration& c) { c.set_bootstrap_profile_container_registry_server("r.azurecr.io"); }},
      {"swap",
       [](Configuration& c) {
         c.mutable_custom_linux_os_config()->set_enable_swap_config(true);
         c.mutable_custom_linux_os_config()->set_swap_file_size(1000);
       }},
  };
  for (const auto& [name, set] : more) {
    Feature& feature = all.emplace_back(Feature{name, {}});
    set(feature.config);
  }
  return all;
}

// Every file that a step looks for exists, without content.
class ImageWithEverything : public node::Image {
 public:
  bool has(const std::string&, node::Dangling) override { return true; }
  const std::string* text(const std::string&) override { return nullptr; }
  std::optional<unsigned> mode(const std::string&) override { return std::nullopt; }
  std::set<std::string> names_in(const std::string&) override { return {}; }
  bool was_read(const std::string&) const override { return false; }
  const std::optional<Error>& error() const override { return none_; }
  std::optional<Error> take_error() override { return std::nullopt; }

 private:
  std::optional<Error> none_;
};

NodeFacts image_with_everything(render::Distro distro) {
  NodeFacts facts = node::golden_image(distro);
  facts.image = std::make_shared<ImageWithEverything>();
  facts.texts[node::kPrebakeMarker] = "driver_kind=cuda\n";
  return facts;
}

TEST(Combinations, AnyTwoFeaturesMakeAPlan) {
  const std::vector<Feature> all = features();
  ASSERT_GT(all.size(), 20U) << "the golden cases' configs were not found";
  for (const auto distro : {render::Distro::kUbuntu2204, render::Distro::kUbuntu2404, render::Distro::kAzureLinux3,
                            render::Distro::kFlatcar, render::Distro::kAcl, render::Distro::kOsGuard})
    for (const Feature& one : all)
      for (const Feature& other : all) {
        auto subject = std::make_shared<Subject>();
        subject->config = one.config;
        subject->config.MergeFrom(other.config);
        subject->facts = image_with_everything(distro);
        const auto graph = derive(subject);
        // A config may be refused because of the features it requests; the error must then name the step.
        EXPECT_TRUE(graph || !graph.error().step.empty())
            << render::traits(distro).name << ", " << one.name << " with " << other.name << ":\n"
            << graph.error().what;
      }
}

TEST(Combinations, KubeletsFolderIsMovedBeforeAnybodyWritesThere) {
  auto subject = std::make_shared<Subject>();
  subject->facts = image_with_everything(render::Distro::kUbuntu2204);
  subject->config.mutable_api_server_config()->set_api_server_name("a.example");
  subject->config.mutable_kubelet_config()->set_kubelet_disk_type(aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
  const auto graph = derive(subject);
  ASSERT_TRUE(graph) << graph.error().what;
  int there = 0;
  for (const engine::Step& step : graph->steps())
    for (const FileEffect& file : step.files) {
      if (!file.path.starts_with("/var/lib/kubelet")) continue;
      ++there;
      EXPECT_NE(std::find(step.after.begin(), step.after.end(), "kubelet.disk"), step.after.end()) << step.name;
    }
  EXPECT_GT(there, 1);
}

}  // namespace
}  // namespace sunup::plan
