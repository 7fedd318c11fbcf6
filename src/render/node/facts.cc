#include "render/node/facts.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/json_nesting.h"
#include "base/node_paths.h"

namespace sunup::render::node {
namespace {

using Json = nlohmann::json;

Error wrong(std::string_view member, std::string_view want) {
  return Error("facts: \"" + std::string(member) + "\" must be " + std::string(want));
}

Result<void> read_texts(const Json& json, NodeFacts& facts) {
  const std::pair<const char*, std::string*> members[] = {{"os_version", &facts.os_version},
                                                          {"kernel_release", &facts.kernel_release},
                                                          {"hostname", &facts.hostname},
                                                          {"arch", &facts.arch},
                                                          {"containerd_version", &facts.containerd_version}};
  for (const auto& [name, value] : members) {
    if (!json.contains(name)) continue;
    if (!json[name].is_string()) return wrong(name, "a string");
    *value = json[name].get<std::string>();
  }
  return {};
}

Result<void> read_image(const Json& json, NodeFacts& facts) {
  if (const auto paths = json.find("paths"); paths != json.end()) {
    if (!paths->is_array()) return wrong("paths", "a list of strings");
    facts.paths.clear();
    for (const Json& path : *paths) {
      if (!path.is_string()) return wrong("paths", "a list of strings");
      facts.paths.insert(path.get<std::string>());
    }
  }
  if (const auto texts = json.find("texts"); texts != json.end()) {
    if (!texts->is_object()) return wrong("texts", "an object of strings");
    for (const auto& [path, text] : texts->items()) {
      if (!text.is_string()) return wrong("texts", "an object of strings");
      facts.texts[path] = text.get<std::string>();
    }
  }
  if (const auto modes = json.find("modes"); modes != json.end()) {
    if (!modes->is_object()) return wrong("modes", "an object of octal numbers as strings");
    for (const auto& [path, mode] : modes->items()) {
      const std::string digits = mode.is_string() ? mode.get<std::string>() : std::string();
      if (digits.size() != 4 || digits.find_first_not_of("01234567") != std::string::npos) {
        return wrong("modes", "an object of octal numbers as strings");
      }
      unsigned value = 0;
      for (const char c : digits) value = value * 8 + static_cast<unsigned>(c - '0');
      facts.modes[path] = value;
    }
  }
  return {};
}

// Facts are few and written by hand, so an unknown member is a mistake, or the file does not contain facts at all.
Result<void> only_known_members(const Json& json) {
  constexpr std::string_view kMembers[] = {"os",    "os_version",         "kernel_release", "hostname",
                                           "arch",  "containerd_version", "paths",          "texts",
                                           "modes", "base_prep_done",     "imds",           "gpu_images"};
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(kMembers, name) != std::end(kMembers)) continue;
    return Error("facts: unknown member \"" + name + "\"").with_hint("docs/golden-cases.md lists the members");
  }
  return {};
}

}  // namespace

bool NodeFacts::has(const std::string& path, Dangling dangling) const {
  if (paths.contains(path) || texts.contains(path)) return true;
  return !absent.contains(path) && image && image->has(path, dangling);
}

bool NodeFacts::has_unit(std::string_view unit) const {
  for (const std::string_view folder : kUnitFolders)
    if (has(std::string(folder).append(unit), Dangling::kDoesNot)) return true;
  return false;
}

const std::string* NodeFacts::text_if_there(const std::string& path) const {
  if (const auto found = texts.find(path); found != texts.end()) return &found->second;
  return absent.contains(path) || !image ? nullptr : image->text(path);
}

std::string_view NodeFacts::text(const std::string& path) const {
  const std::string* found = text_if_there(path);
  return found ? std::string_view(*found) : std::string_view();
}

unsigned NodeFacts::mode(const std::string& path, unsigned usual) const {
  if (const auto found = modes.find(path); found != modes.end()) return found->second;
  return absent.contains(path) || !image ? usual : image->mode(path).value_or(usual);
}

std::vector<std::string> NodeFacts::names_in(const std::string& folder) const {
  std::set<std::string> names = image ? image->names_in(folder) : std::set<std::string>();
  const std::string prefix = folder + "/";
  std::erase_if(names, [&](const std::string& name) { return absent.contains(prefix + name); });
  const auto add_below = [&](auto it, auto end, const auto& path_of) {
    for (; it != end && path_of(*it).starts_with(prefix); ++it) {
      const std::string_view rest = std::string_view(path_of(*it)).substr(prefix.size());
      names.emplace(rest.substr(0, rest.find('/')));
    }
  };
  add_below(paths.lower_bound(prefix), paths.end(), [](const std::string& path) -> auto& { return path; });
  add_below(texts.lower_bound(prefix), texts.end(), [](const auto& text) -> auto& { return text.first; });
  return {names.begin(), names.end()};
}

void NodeFacts::set_file(const std::string& path, const std::optional<std::string>& text, unsigned mode) {
  paths.erase(path);
  texts.erase(path);
  modes.erase(path);
  absent.erase(path);
  if (!text) {
    absent.insert(path);
    return;
  }
  texts[path] = *text;
  modes[path] = mode;
}

const std::string* NodeFacts::sent_text(std::string_view variable) const {
  const auto found = sent.find(variable);
  return found == sent.end() ? nullptr : &found->second;
}

NodeFacts golden_image(Distro distro) {
  NodeFacts facts;
  facts.distro = distro;
  facts.os_version = traits(distro).usual_version;
  facts.paths = {"/etc/systemd/system/aks-localdns-hosts-setup.service",
                 "/etc/systemd/system/aks-localdns-hosts-setup.timer",
                 "/etc/systemd/system/localdns-exporter.socket",
                 "/etc/systemd/system/localdns.service",
                 paths::kLocalDnsHostsSetup,
                 paths::kLocalDnsScript,
                 paths::kImageMarker,
                 paths::kCgroup2};
  return facts;
}

Result<NodeFacts> facts_from_json(std::string_view text) {
  if (nested_too_deeply(text)) return Error("facts: nested too deeply");
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error("facts: not a JSON object");
  if (auto known = only_known_members(json); !known) return known.error();
  Distro distro = Distro::kUbuntu2204;
  if (const auto os = json.find("os"); os != json.end()) {
    const auto known = os->is_string() ? distro_by_name(os->get<std::string>()) : std::nullopt;
    if (!known) return wrong("os", "the name of a known distribution");
    distro = *known;
  }
  NodeFacts facts = golden_image(distro);
  if (auto read = read_texts(json, facts); !read) return read.error();
  if (auto read = read_image(json, facts); !read) return read.error();
  if (const auto done = json.find("base_prep_done"); done != json.end()) {
    if (!done->is_boolean()) return wrong("base_prep_done", "true or false");
    facts.base_prep_done = done->get<bool>();
  }
  if (const auto imds = json.find("imds"); imds != json.end()) {
    auto parsed = parse_imds(imds->dump());
    if (!parsed) return std::move(parsed).error().in("facts");
    facts.imds = *parsed;
  }
  if (const auto images = json.find("gpu_images"); images != json.end()) {
    auto parsed = parse_gpu_components(images->dump());
    if (!parsed) return std::move(parsed).error().in("facts");
    facts.gpu_images = *parsed;
  }
  return facts;
}

}  // namespace sunup::render::node
