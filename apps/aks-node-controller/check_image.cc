#include "base/text.h"
#include "base/version.h"
#include "contract/load.h"
#include "controller/own_output.h"
#include "plan/image_content.h"
#include "verbs.h"

namespace sunup {
namespace {

constexpr int kLacking = 2;
constexpr int kCannotTell = 3;

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty())
    if (const std::string_view item = take_until(text, ','); !item.empty()) items.emplace_back(item);
  return items;
}

std::optional<std::string> wrong_format(std::string_view value) {
  if (value == "text" || value == "json") return std::nullopt;
  return "must be text or json";
}

std::optional<std::string> wrong_versions(std::string_view value) {
  const std::vector<std::string> versions = list_of(value);
  for (const std::string& version : versions)
    if (!Version::parse(version)) return "must be versions such as 1.34.1, separated by commas";
  return versions.empty() ? std::optional<std::string>("must name a version") : std::nullopt;
}

std::optional<std::string> wrong_modes(std::string_view value) {
  const std::vector<plan::ImageMode> known = plan::image_modes();
  std::string names;
  for (const plan::ImageMode& mode : known) names.append(names.empty() ? "" : ", ").append(mode.name);
  for (const std::string& name : list_of(value)) {
    bool found = false;
    for (const plan::ImageMode& mode : known) found |= mode.name == name;
    if (!found) return "must be of: " + names;
  }
  return std::nullopt;
}

constexpr controller::Flag kFlags[] = {
    {.name = "root", .value = "DIR", .help = "the image's tree (default: this machine)", .check = wrong_root},
    {.name = "kubernetes-version",
     .value = "V,...",
     .help = "the versions that nodes will have; can be repeated (default: those that the image has a kubelet of)",
     .check = wrong_versions,
     .repeats = true},
    {.name = "provision-config",
     .value = "FILE,...",
     .help = "configs of nodes that will be made from the image: their versions and pause images; can be repeated",
     .repeats = true},
    {.name = "need",
     .value = "MODE,...",
     .help = "modes that the image must support, e.g. azure-cni,gpu-cuda; can be repeated",
     .check = wrong_modes,
     .repeats = true},
    {.name = "format", .value = "FORMAT", .help = "text (default) or json", .check = wrong_format},
};

int run(Program& program, const controller::CommandLine& line) {
  controller::Node& node = program.node();
  plan::ImageQuestion question;
  question.versions = list_of(line.flags.text("kubernetes-version"));
  // "--kubernetes-version 1.34.1 1.35.0"
  for (const std::string& word : line.words) {
    if (const auto wrong = wrong_versions(word); wrong || question.versions.empty()) {
      controller::write_stderr("aks-node-controller check-image: unexpected argument \"" + word + "\"\n");
      return 1;
    }
    for (std::string& version : list_of(word)) question.versions.push_back(std::move(version));
  }
  for (std::string& version : question.versions)
    if (version.starts_with('v')) version.erase(0, 1);
  for (const std::string& path : list_of(line.flags.text("provision-config"))) {
    auto loaded = contract::load_file(path);
    if (loaded && !Version::parse(loaded->config.kubernetes_version()))
      loaded = Error(path + ": $.kubernetes_version is not a version");
    if (!loaded) {
      controller::write_stderr("aks-node-controller check-image: " + loaded.error().what + "\n");
      return 1;
    }
    std::string version = loaded->config.kubernetes_version();
    if (version.starts_with('v')) loaded->config.set_kubernetes_version(version.substr(1));
    question.configs.push_back(std::move(loaded->config));
  }
  question.modes = list_of(line.flags.text("need"));
  question.files_only = !node.root.empty();
  const auto content = program.loop().run(plan::look_into_image(node.host, std::move(question)));
  if (!content) {
    controller::write_stderr("aks-node-controller check-image: " + content.error().what + "\n");
    return kCannotTell;
  }
  const bool json = line.flags.text("format") == "json";
  controller::write_stdout(json ? plan::image_content_json(*content) : plan::image_content_text(*content));
  switch (content->verdict()) {
    case plan::Has::kYes:
      return 0;
    case plan::Has::kNo:
      return kLacking;
    case plan::Has::kUnknown:
      break;
  }
  return kCannotTell;
}

}  // namespace

const Verb kCheckImage{.syntax = {"check-image",
                                  "show what this image contains and lacks; exit code 0: complete, 2: something is "
                                  "absent, 3: something cannot be determined",
                                  "aks-node-controller check-image --root /mnt/image --kubernetes-version 1.34.1 "
                                  "--need azure-cni",
                                  kFlags},
                       .run = run,
                       .only_looks = true};

}  // namespace sunup
