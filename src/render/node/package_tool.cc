#include "render/node/package_tool.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/version.h"
#include "render/node/binary_source.h"

namespace sunup::render::node {
namespace {

std::string program(PackageTool tool) {
  return tool == PackageTool::kTdnf ? "tdnf" : "dnf";
}

// apt: " kubelet | 1.34.1-ubuntu22.04u1 | https://... Packages"; the others: "kubelet.x86_64 0:1.34.1-1.azl3
// repository".
std::string version_in(PackageTool tool, std::string_view line, std::string_view package) {
  const auto parts = unicode::words(line);
  if (tool == PackageTool::kApt)
    return parts.size() > 2 && parts[0] == package && parts[1] == "|" ? std::string(parts[2]) : "";
  if (parts.size() < 2 || parts[0].substr(0, parts[0].rfind('.')) != package) return "";
  const std::string_view version = parts[1];
  return std::string(version.substr(version.find(':') == std::string_view::npos ? 0 : version.find(':') + 1));
}

}  // namespace

Argv refresh_command(PackageTool tool, std::string_view sources) {
  if (tool != PackageTool::kApt) return {program(tool), "-y", "makecache"};
  if (sources.empty()) return {"apt-get", "update"};
  return {"apt-get", "update",
          "-o",      fmt::format("Dir::Etc::sourcelist={}", sources),
          "-o",      "Dir::Etc::sourceparts=-",
          "-o",      "APT::Get::List-Cleanup=0"};
}

Argv list_command(PackageTool tool, std::string_view package) {
  if (tool == PackageTool::kApt) return {"apt-cache", "madison", std::string(package)};
  if (tool == PackageTool::kTdnf) return {"tdnf", "list", std::string(package)};
  return {"dnf", "list", "--showduplicates", std::string(package)};
}

std::string newest_listed(PackageTool tool, std::string_view list, std::string_view package, std::string_view version) {
  std::string newest;
  for (size_t at = 0; at < list.size();) {
    const std::string_view line = list.substr(at, list.find('\n', at) - at);
    at += line.size() + 1;
    std::string offered = version_in(tool, line, package);
    if (offered.empty() || !holds_version(offered, version)) continue;
    if (newest.empty() || natural_order(offered, newest) > 0) newest = std::move(offered);
  }
  return newest;
}

Argv download_command(PackageTool tool, std::string_view package, std::string_view version, std::string_view folder) {
  if (tool == PackageTool::kApt) return {"apt-get", "download", fmt::format("{}={}", package, version)};
  return {program(tool),
          "-y",
          "install",
          "--downloadonly",
          "--downloaddir",
          std::string(folder),
          fmt::format("{}-{}", package, version)};
}

std::vector<std::string> microsoft_sources(std::string_view version) {
  constexpr const char* kFolder = "/etc/apt/sources.list.d/microsoft-prod";
  std::vector<std::string> files;
  for (const char* name : {".list", ".sources", "-testing.list", "-testing.sources"}) {
    // A version with a tilde is a prerelease.
    if (std::string_view(name).starts_with("-testing") && version.find('~') == std::string_view::npos) continue;
    files.push_back(std::string(kFolder) + name);
  }
  return files;
}

}  // namespace sunup::render::node
