// The result of check-image as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plan/image_content.h"

namespace sunup::plan {
namespace {

using Json = nlohmann::ordered_json;

std::string_view verdict_word(Has has) {
  switch (has) {
    case Has::kYes:
      return "complete";
    case Has::kNo:
      return "lacking";
    case Has::kUnknown:
      break;
  }
  return "unknown";
}

void append_parts(std::string& out, const std::vector<ImagePart>& parts) {
  for (const ImagePart& part : parts)
    out += fmt::format("  {:<8} {:<30} {}{}\n", to_string(part.has),
                       part.name + (part.version.empty() ? "" : " " + part.version), part.detail,
                       part.needed || part.has == Has::kYes ? "" : " (not counted)");
}

Json parts_json(const std::vector<ImagePart>& parts) {
  Json list = Json::array();
  for (const ImagePart& part : parts) {
    list.push_back(
        {{"name", part.name}, {"state", to_string(part.has)}, {"needed", part.needed}, {"detail", part.detail}});
    if (!part.version.empty()) list.back()["version"] = part.version;
  }
  return list;
}

size_t count(const ImageContent& content, Has has) {
  const auto in = [has](const std::vector<ImagePart>& parts) {
    return static_cast<size_t>(std::count_if(parts.begin(), parts.end(),
                                             [has](const ImagePart& part) { return part.needed && part.has == has; }));
  };
  size_t all = in(content.parts) + in(content.modes);
  for (const VersionContent& version : content.versions) all += in(version.parts);
  return all;
}

// "ubuntu2404 24.04, amd64"
std::string title(const ImageContent& content) {
  const std::string name = content.os_id.empty() ? std::string("no os-release") : content.os_id;
  if (content.distribution == render::traits(render::Distro::kUnknown).name)
    return fmt::format("{} {}, {} (not a distribution of AKS: only what holds everywhere is assumed)\n", name,
                       content.os_version, content.arch);
  return fmt::format("{} {}, {}\n", content.distribution, content.os_version, content.arch);
}

}  // namespace

std::string image_content_text(const ImageContent& content) {
  std::string out = title(content);
  out += "every node\n";
  append_parts(out, content.parts);
  for (const VersionContent& version : content.versions) {
    out += fmt::format("Kubernetes {}\n", version.version);
    append_parts(out, version.parts);
  }
  out += "modes\n";
  append_parts(out, content.modes);
  out += fmt::format("{}: {} absent, {} unknown\n", verdict_word(content.verdict()), count(content, Has::kNo),
                     count(content, Has::kUnknown));
  return out;
}

std::string image_content_json(const ImageContent& content) {
  Json versions = Json::array();
  for (const VersionContent& version : content.versions)
    versions.push_back({{"version", version.version}, {"parts", parts_json(version.parts)}});
  const Json all{{"verdict", verdict_word(content.verdict())},
                 {"distribution", content.distribution},
                 {"osId", content.os_id},
                 {"osVersion", content.os_version},
                 {"architecture", content.arch},
                 {"parts", parts_json(content.parts)},
                 {"versions", versions},
                 {"modes", parts_json(content.modes)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sunup::plan
