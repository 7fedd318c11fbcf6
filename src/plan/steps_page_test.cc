// docs/steps.md is generated from the catalogue, so that it is always current: it lists every step of the catalogue,
// and for every step of the original the step that replaces it or the reason why none does.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.h"
#include "plan/catalogue.h"

namespace sunup::plan {
namespace {

// "P0" ... "F7", in the original's order.
constexpr std::string_view kOriginal[] = {
    "P0",  "P1",  "P2",  "P3",  "P4",  "S1",  "S2",  "S3",  "S4",  "S5",  "S6",  "S7",  "B01", "B02", "B03", "B04",
    "B05", "B06", "B07", "B08", "B09", "B10", "B11", "B12", "B13", "B14", "B15", "B16", "B17", "B18", "B19", "B20",
    "B21", "B22", "B23", "B24", "B25", "B26", "B27", "B28", "B29", "B30", "B31", "B32", "B33", "B34", "B35", "B36",
    "B37", "B38", "B39", "B40", "B41", "B42", "B43", "B44", "B45", "N01", "N02", "N03", "N04", "N05", "N06", "N07",
    "N08", "N09", "N10", "N11", "N12", "N13", "N14", "N15", "N16", "N17", "N18", "N19", "N20", "N21", "N22", "N23",
    "N24", "N25", "N26", "N27", "N28", "N29", "N30", "N31", "N32", "F1",  "F2",  "F3",  "F4",  "F5",  "F6",  "F7"};
static_assert(std::size(kOriginal) == 96);

struct Elsewhere {
  std::string_view id;
  std::string_view what;
  std::string_view why;  // why it is not a step here
};

// The original's steps that are not named by any step of the catalogue.
constexpr Elsewhere kElsewhere[] = {
    {"P0", "page-cache preload", "not needed: no shell is used, and containerd starts immediately"},
    {"P1", "launcher, host name wait", "the image's launcher or unit, which start `provision`"},
    {"P2", "wait for cloud-init", "not needed: provisioning starts when the config is on disk"},
    {"P4", "outer wrapper", "the engine: deadline, retries, cancellation"},
    {"S1", "already complete?", "`provision` reads the recorded result; a failure does not count as complete"},
    {"S3", "wait for the helper script", "there is none"},
    {"S4", "which OS is this", "read from os-release before the plan is made (plan/gather.h)"},
    {"S6", "redacted copy of cloud-config",
     "only for cloud-configs that contain a bootstrap kubeconfig; the built-in steps use a node config, which is not "
     "part of a cloud-config and is not copied to the logs"},
    {"S7", "/opt/m stamps", "controller/native_report.h"},
    {"B02", "hold of the guest agent's package",
     "only protects package installation, which is not used: packages are downloaded and unpacked"},
    {"B04", "chrony on Ubuntu 16.04", "there are no images of that release any more"},
    {"B06", "package host probe", "a download contacts its host directly"},
    {"B13", "CPU architecture",
     "known when the program is compiled; for a tree (`--root`), read from a program of the tree"},
    {"B14", "man-db flag off", "only useful with package installation"},
    {"B18", "package dependencies", "images without them are provisioned by their scripts"},
    {"B19", "container runtime install", "images without it are provisioned by their scripts"},
    {"B42", "hv_util unbind", "only after a full package installation"},
    {"B45", "man-db restore", "follows B14"},
    {"N12", "network card ring sizes", "done by the image's udev rule when the card appears"},
    {"F1", "status capture", "controller/boot_facts.h, over D-Bus"},
    {"F2", "provision.json", "controller/native_report.h"},
    {"F4", "cse_start event", "controller/native_report.h"},
    {"F5", "marker", "controller/native_report.h, after the durability barrier"},
    {"F6", "log upload after a failure", "controller/log_upload.h: the image's collector, after the marker"},
    {"F7", "exit code", "`provision` exits with the step's code"},
};

std::string names(const std::vector<std::string>& list) {
  return list.empty() ? "" : fmt::format("`{}`", fmt::join(list, "`, `"));
}

// All features are enabled, so that every file and unit that a step can touch is listed.
SubjectPtr everything() {
  auto subject = std::make_shared<Subject>();
  subject->facts = node::golden_image(render::Distro::kUbuntu2204);
  return subject;
}

std::string steps_markdown() {
  std::string out =
      "# The steps of native provisioning\n\n"
      "Generated from the catalogue (`src/plan`). `plan_test` fails if it is out of date; with `SUNUP_GOLDEN_UPDATE=1` "
      "it\n"
      "records the page again. `aks-node-controller plan` shows the steps, files and units of one config on one image. "
      "A\n"
      "deferred step starts when kubelet runs; the result does not wait for it.\n\n"
      "| step | purpose | when | needs | comes after | provides | files of | units | exit code | original |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const SubjectPtr subject = everything();
  for (const Declaration& d : catalogue()) {
    std::vector<std::string> concerns(d.concerns.begin(), d.concerns.end());
    if (d.files != nullptr)
      for (const FileEffect& file : d.files(*subject)) concerns.push_back(file.path);
    std::vector<std::string> needs = d.needs;
    if (d.more_needs != nullptr)
      for (std::string& need : d.more_needs(*subject)) needs.push_back(std::move(need));
    out += fmt::format("| `{}` | {}{} | {} | {} | {} | {} | {} | {} | {} | {} |\n", d.name, d.purpose,
                       d.deferred ? " (deferred)" : "", d.when, names(needs), names(d.after), names(d.provides),
                       fmt::join(concerns, "; "), names(d.units), d.exit_code == 0 ? "" : std::to_string(d.exit_code),
                       d.original);
  }
  out += "\n## The original's steps\n\n| id | done by |\n| --- | --- |\n";
  for (const auto id : kOriginal) {
    std::vector<std::string> by;
    for (const Declaration& d : catalogue())
      for (const auto part : unicode::words(d.original))
        if (part == id || part == std::string(id) + ",") by.emplace_back(d.name);
    std::string text = names(by);
    for (const Elsewhere& other : kElsewhere)
      if (other.id == id) text += fmt::format("{}: {}", other.what, other.why);
    out += fmt::format("| {} | {} |\n", id, text);
  }
  return out;
}

TEST(StepsPage, AccountsForEveryStepOfTheOriginal) {
  std::set<std::string_view> elsewhere;
  for (const Elsewhere& step : kElsewhere) elsewhere.insert(step.id);
  for (const auto id : kOriginal) {
    bool ours = false;
    for (const Declaration& step : catalogue()) {
      const std::string list = ", " + std::string(step.original) + ",";
      ours |= list.find(", " + std::string(id) + ",") != std::string::npos;
    }
    EXPECT_NE(ours, elsewhere.contains(id)) << id << (ours ? " is both" : " is neither") << " a step and explained";
  }
}

TEST(StepsPage, IsUpToDate) {
  const char* path = SUNUP_SOURCE_DIR "/docs/steps.md";
  if (std::getenv("SUNUP_GOLDEN_UPDATE") != nullptr) {  // NOLINT(concurrency-mt-unsafe): one thread
    std::ofstream(path) << steps_markdown();
    GTEST_SKIP() << "recorded anew";
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), steps_markdown()) << "docs/steps.md is stale: SUNUP_GOLDEN_UPDATE=1 plan_test records it";
}

}  // namespace
}  // namespace sunup::plan
