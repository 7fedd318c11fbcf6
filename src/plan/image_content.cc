#include "plan/image_content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "base/node_paths.h"
#include "base/text.h"
#include "base/version.h"
#include "plan/gather.h"
#include "plan/image_database.h"
#include "plan/image_modes.h"
#include "render/node/binary_source.h"
#include "render/node/cni.h"
#include "render/node/component_list.h"
#include "render/node/online_source.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using Config = aksnodeconfig::v1::Configuration;

constexpr char kProvider[] = "azure-acr-credential-provider";
constexpr char kProviderArchives[] = "/opt/credentialprovider/downloads";

// The version in "kubelet_1.34.1-ubuntu24.04u1_amd64.deb", "kubelet-v1.34.1-1-azlinux3-x86-64.raw" or "kubelet-1.34.1".
std::string version_in(std::string_view name) {
  for (size_t at = name.find_first_of("0123456789"); at != std::string_view::npos;) {
    const size_t end = std::min(name.find_first_not_of("0123456789.", at), name.size());
    std::string_view text = name.substr(at, end - at);
    while (text.ends_with('.')) text.remove_suffix(1);
    if (std::count(text.begin(), text.end(), '.') == 2 && Version::parse(text)) return std::string(text);
    at = name.find_first_of("0123456789", end);
  }
  return "";
}

std::vector<std::string> kubelet_versions(const NodeFacts& facts) {
  std::vector<std::string> versions;
  const auto add = [&versions](std::string version) {
    if (!version.empty() && !contains(versions, version)) versions.push_back(std::move(version));
  };
  for (const std::string& name : facts.names_in("/opt/bin"))
    if (name.starts_with("kubelet-")) add(version_in(name));
  for (const std::string& name : facts.names_in("/opt/kubelet/downloads")) add(version_in(name));
  if (const auto marked = facts.in_place.find("kubelet"); marked != facts.in_place.end()) add(marked->second);
  std::sort(versions.begin(), versions.end(),
            [](const std::string& a, const std::string& b) { return natural_order(a, b) < 0; });
  return versions;
}

// A program that the steps would take from the image, or would have to download.
Task<ImagePart> program_part(host::Host& host, std::string name, std::string version, bool needed, bool files_only,
                             Result<node::BinarySources> sources) {
  ImagePart part{.name = name, .has = Has::kNo, .needed = needed, .detail = {}};
  if (!sources) {
    part.detail = sources.error().what;
    co_return part;
  }
  for (const node::BinarySource& source : *sources) {
    if (node::is_online(source.kind)) continue;
    if (source.kind != node::SourceKind::kUnmarked) {
      part.has = Has::kYes;
      part.detail = source.where;
      co_return part;
    }
    if (files_only) {
      part.has = Has::kUnknown;
      part.detail = fmt::format("{} exists, but no {} names its version", source.where, node::kube_version_file(name));
      continue;
    }
    host::Command ask = name == "kubectl" ? host::command(source.where, "version", "--client")
                                          : host::command(source.where, "--version");
    auto answer = co_await host.processes.run(std::move(ask).with_limit(20s));
    if (answer && answer->ok() && node::holds_version(answer->out, version)) {
      part.has = Has::kYes;
      part.detail = source.where;
      co_return part;
    }
  }
  if (part.has == Has::kNo)
    part.detail = sources->empty() || !node::is_online(sources->back().kind) ? "the image does not contain it"
                                                                             : std::string("the node downloads it");
  co_return part;
}

// Below 1.33 the archive of the credential provider is identified by its URL. Any archive of the same minor version is
// accepted.
std::string provider_url(const NodeFacts& facts, std::string_view version) {
  const auto wanted = Version::parse(version);
  if (!wanted) return "";
  for (const std::string& name : facts.names_in(kProviderArchives)) {
    const auto found = Version::parse(version_in(name));
    if (found && found->major == wanted->major && found->minor == wanted->minor) return "https://image.invalid/" + name;
  }
  return "";
}

Task<Result<VersionContent>> version_content(host::Host& host, const NodeFacts& facts, std::string version,
                                             bool files_only) {
  Config config;
  config.set_kubernetes_version(version);
  config.mutable_kube_binary_config()->set_linux_credential_provider_url(provider_url(facts, version));
  VersionContent content{.version = version, .parts = {}};
  for (const char* tool : {"kubelet", "kubectl"}) {
    auto sources = node::kube_binary_sources(tool, config, facts);
    content.parts.push_back(co_await program_part(host, tool, version, tool == std::string_view("kubelet"), files_only,
                                                  std::move(sources)));
  }
  const auto components = host.files.read_if_there(paths::kComponents);
  if (!components) co_return components.error();
  const auto known = node::credential_provider_versions(components->value_or(""), facts);
  auto sources = node::credential_provider_sources(config, facts, node::credential_provider_version(known, version));
  content.parts.push_back(co_await program_part(host, kProvider, version, true, files_only, std::move(sources)));
  content.parts.push_back(cgroup_part(facts, version));
  co_return content;
}

// The first of these paths that exists.
Result<std::string> first_there(host::Files& files, std::initializer_list<const char*> paths) {
  for (const char* path : paths) {
    const auto there = files.exists(path);
    if (!there) return there.error();
    if (*there) return std::string(path);
  }
  return std::string();
}

// The ID of os-release.
Result<std::string> os_id(host::Files& files) {
  const auto path = first_there(files, {"/etc/os-release", "/usr/lib/os-release"});
  if (!path) return path.error();
  if (path->empty()) return std::string();
  const auto text = files.read(*path);
  if (!text) return text.error();
  return unicode::lowered(render::identify({*text}).id);
}

// Where /usr consists of extensions, a tree does not show their contents.
Has missing(const NodeFacts& facts, bool files_only) {
  return files_only && render::traits(facts.distro).packages == render::PackageFormat::kSysext ? Has::kUnknown
                                                                                               : Has::kNo;
}

Result<std::vector<ImagePart>> common_parts(host::Files& files, const NodeFacts& facts, bool files_only) {
  std::vector<ImagePart> parts;
  const auto add = [&parts](std::string name, Has has, std::string detail) {
    parts.push_back({.name = std::move(name), .has = has, .needed = true, .detail = std::move(detail)});
  };
  constexpr auto& kMarker = paths::kImageMarker;
  add("node image", facts.has(kMarker) ? Has::kYes : Has::kNo, kMarker);
  const auto containerd = first_there(files, {paths::kContainerdProgram, "/usr/local/bin/containerd"});
  if (!containerd) return containerd.error();
  add("containerd", containerd->empty() ? missing(facts, files_only) : Has::kYes,
      containerd->empty() ? "no /usr/bin/containerd" : *containerd);
  if (!containerd->empty()) parts.back().version = facts.containerd_version;
  const auto runc = first_there(files, {"/usr/bin/runc", "/usr/sbin/runc", "/usr/local/sbin/runc"});
  if (!runc) return runc.error();
  add("runc", runc->empty() ? missing(facts, files_only) : Has::kYes, runc->empty() ? "no /usr/bin/runc" : *runc);
  const auto cni = node::cni_plan({}, facts);
  const bool plugins = cni && cni->reference_plugins_there;
  add("CNI plugins", plugins ? Has::kYes : Has::kNo,
      plugins ? node::kPluginFolder : fmt::format("{} lacks bridge, host-local or loopback", node::kPluginFolder));
  auto lacking = lacking_units(files, {}, facts);
  if (!lacking) return std::move(lacking).error();
  add("units", lacking->empty() ? Has::kYes : missing(facts, files_only),
      lacking->empty() ? "all that the steps of every node start" : fmt::format("no {}", fmt::join(*lacking, ", ")));
  return parts;
}

void append(std::vector<ImagePart>& parts, std::vector<ImagePart> more) {
  for (ImagePart& part : more) parts.push_back(std::move(part));
}

}  // namespace

std::string_view to_string(Has has) {
  switch (has) {
    case Has::kYes:
      return "present";
    case Has::kNo:
      return "absent";
    case Has::kUnknown:
      break;
  }
  return "unknown";
}

Has ImageContent::verdict() const {
  Has all = Has::kYes;
  const auto judge = [&all](const std::vector<ImagePart>& list) {
    for (const ImagePart& part : list) {
      if (!part.needed || part.has == Has::kYes || all == Has::kNo) continue;
      all = part.has;
    }
  };
  judge(parts);
  for (const VersionContent& version : versions) judge(version.parts);
  judge(modes);
  return all;
}

Task<Result<ImageContent>> look_into_image(host::Host& host, ImageQuestion question) {
  const std::vector<ImageMode> known = image_modes();
  for (const std::string& name : question.modes)
    if (std::none_of(known.begin(), known.end(), [&name](const ImageMode& mode) { return mode.name == name; })) {
      Error unknown(fmt::format("there is no mode \"{}\"", name));
      unknown.os_errno = EINVAL;
      co_return std::move(unknown);
    }
  auto gathered = gather_facts(host.files, {}, question.files_only);
  if (!gathered) co_return std::move(gathered).error();
  NodeFacts facts = *std::move(gathered);
  auto cgroups = note_cgroup_version(host.files, facts, question.files_only);
  if (!cgroups) co_return std::move(cgroups).error();

  auto id = os_id(host.files);
  if (!id) co_return std::move(id).error();
  ImageContent content{.distribution = std::string(render::traits(facts.distro).name),
                       .os_id = *std::move(id),
                       .os_version = facts.os_version,
                       .arch = facts.arch,
                       .parts = {},
                       .versions = {},
                       .modes = {}};
  auto common = common_parts(host.files, facts, question.files_only);
  if (!common) co_return std::move(common).error();
  content.parts = *std::move(common);
  const auto cached = cached_images(host.files);
  if (!cached) co_return cached.error();
  std::map<std::string, std::set<std::string>> pause_images;  // by Kubernetes version
  std::vector<std::string> versions = std::move(question.versions);
  for (const Config& config : question.configs) {
    const std::string version = config.kubernetes_version();
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) versions.push_back(version);
    if (const std::string& image = config.kube_binary_config().pod_infra_container_image_url(); !image.empty())
      pause_images[version].insert(image);
  }
  if (question.configs.empty()) append(content.parts, pause_parts(*cached, {}));
  if (versions.empty()) versions = kubelet_versions(facts);
  if (versions.empty())
    content.parts.push_back({.name = "kubelet",
                             .has = facts.has(paths::kKubeletProgram) ? Has::kUnknown : Has::kNo,
                             .needed = true,
                             .detail = facts.has(paths::kKubeletProgram)
                                           ? "/opt/bin/kubelet has no version file: use --kubernetes-version"
                                           : "the image contains no kubelet of any version"});
  for (std::string& version : versions) {
    std::vector<ImagePart> pause = pause_parts(*cached, pause_images[version]);
    auto looked = co_await version_content(host, facts, std::move(version), question.files_only);
    if (!looked) co_return std::move(looked).error();
    if (!question.configs.empty()) append(looked->parts, std::move(pause));
    content.versions.push_back(*std::move(looked));
  }
  auto modes = mode_parts(host.files, facts);
  if (!modes) co_return std::move(modes).error();
  content.modes = *std::move(modes);
  for (ImagePart& mode : content.modes) mode.needed = contains(question.modes, mode.name);
  if (auto error = image_error(facts.image->take_error())) co_return *std::move(error);
  co_return content;
}

}  // namespace sunup::plan
