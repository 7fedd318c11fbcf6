// docs/kubernetes-versions.md is generated from the tables of versions, so that it cannot become stale.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>

#include "base/version_changes.h"
#include "contract/kubelet_flag_values.h"

namespace sunup::contract {
namespace {

using versions::Change;

std::string rows_of(std::string_view of) {
  std::vector<const Change*> changes;
  std::ranges::copy_if(versions::kAll, std::back_inserter(changes), [&](const Change* each) { return each->of == of; });
  std::ranges::stable_sort(changes, {}, [](const Change* each) { return std::pair(each->major, each->minor); });
  std::string out = "| from | where | from this version on | before |\n| --- | --- | --- | --- |\n";
  for (const Change* each : changes)
    out += fmt::format("| {}.{} | {} | {} | {} |\n", each->major, each->minor, each->part, each->what, each->before);
  return out;
}

std::string flag_rows() {
  std::map<uint64_t, std::pair<std::vector<std::string>, std::vector<std::string>>> by_minor;
  for (const std::string_view flag : kubelet_flags()) {
    const KubeletFlagLife life = kubelet_flag_life(flag);
    if (life.since) by_minor[*life.since].first.push_back(fmt::format("`{}`", flag));
    if (life.gone) by_minor[*life.gone].second.push_back(fmt::format("`{}`", flag));
  }
  std::string out = "| Kubernetes | new flags | flags that are gone |\n| --- | --- | --- |\n";
  for (const auto& [minor, flags] : by_minor)
    out += fmt::format("| 1.{} | {} | {} |\n", minor, fmt::join(flags.first, ", "), fmt::join(flags.second, ", "));
  return out;
}

std::string page() {
  std::string out =
      "# What depends on a version\n\n"
      "Generated from the tables in the code (`src/base/version_changes.h`, `src/contract/kubelet_settings.cc`).\n"
      "`contract_test` fails if it is out of date; with `SUNUP_GOLDEN_UPDATE=1` it records the page again.\n\n"
      "\"native\" is native provisioning, \"scripts\" the environment of the image's scripts, \"resolve\" the launch "
      "template.\n\n"
      "## Kubernetes\n\n";
  out += fmt::format("`config check` accepts 1.{} and later, and warns about versions later than 1.{}.\n\n",
                     versions::kOldestMinor, versions::kNewestMinor);
  out += rows_of("Kubernetes");
  out += "\n## containerd\n\n" + rows_of("containerd");
  out += "\n## cloud-init\n\n" + rows_of("cloud-init");
  out +=
      "\n## Flags of kubelet\n\n"
      "Kubelet exits if it finds a flag that it does not have. `config check` reports this for the version of the "
      "config\n"
      "(`kubelet-flag-gone`). Flags that every known version has are not listed.\n\n";
  return out + flag_rows();
}

TEST(VersionsPage, NamesEveryPartOfTheProductThatItKnows) {
  for (const Change* each : versions::kAll) {
    EXPECT_TRUE(each->of == "Kubernetes" || each->of == "containerd" || each->of == "cloud-init") << each->of;
    EXPECT_FALSE(each->part.empty() || each->what.empty() || each->before.empty()) << each->what;
  }
}

TEST(VersionsPage, IsUpToDate) {
  const char* path = SUNUP_SOURCE_DIR "/docs/kubernetes-versions.md";
  if (std::getenv("SUNUP_GOLDEN_UPDATE") != nullptr) {  // NOLINT(concurrency-mt-unsafe): one thread
    std::ofstream(path) << page();
    GTEST_SKIP() << "recorded anew";
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), page())
      << "docs/kubernetes-versions.md is stale: SUNUP_GOLDEN_UPDATE=1 contract_test records it";
}

}  // namespace
}  // namespace sunup::contract
