#include "fleet/sources/image_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/version.h"
#include "fleet/sources/bounds.h"
#include "fleet/sources/conditions.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// Azure Linux 2 is no longer updated; all other definitions have the same version.
class Recorded : public ImageVersions {
 public:
  std::optional<std::string> latest(const Gallery& gallery, std::string_view definition) const override {
    if (gallery.sig_gallery == kAzureLinuxGallery.sig_gallery && definition.starts_with("V2")) return "202512.06.0";
    return "202608.14.0";
  }
  std::string_view name() const override { return "the recorded list"; }
};

struct Release {
  std::string version;
  std::string published = {};  // to the second, in UTC: "2026-08-21T00:00:00"; may be empty
};

class Listed : public ImageVersions {
 public:
  explicit Listed(std::string name) : name_(std::move(name)) {}

  void add(const std::string& gallery, const std::string& definition, const Release& release) {
    auto [it, added] = versions_.emplace(std::pair(gallery, definition), release);
    if (added) return;
    const bool dated = !release.published.empty() && !it->second.published.empty();
    const bool later = dated && release.published != it->second.published
                           ? release.published > it->second.published
                           : newer_image_version(release.version, it->second.version);
    if (later) it->second = release;
  }
  bool empty() const { return versions_.empty(); }

  std::optional<std::string> latest(const Gallery& gallery, std::string_view definition) const override {
    for (const std::string_view from : {gallery.sig_gallery, std::string_view()})
      if (const auto it = versions_.find(std::pair(std::string(from), std::string(definition))); it != versions_.end())
        return it->second.version;
    return std::nullopt;
  }
  std::string_view name() const override { return name_; }

 private:
  std::map<std::pair<std::string, std::string>, Release> versions_;
  std::string name_;
};

// The definition in an ID or a URL; empty if there is none.
std::string definition_in(std::string_view text) {
  const auto id = parse_image_id(text);
  return id ? std::string(id->definition) : "";
}

// One version in the list of a gallery.
Result<void> add_gallery_version(Listed& listed, const json& item, std::string_view source) {
  const auto identifier = item.find("identifier");
  std::string definition = identifier == item.end() ? "" : definition_in(text_of(*identifier, "uniqueId"));
  if (definition.empty()) definition = definition_in(text_of(item, "id"));
  if (definition.empty()) definition = definition_in(source);
  const std::string version = text_of(item, "name");
  if (definition.empty())
    return Error(fmt::format("version {} does not name its image", version))
        .with_hint("give the gallery's URL itself, .../images/{definition}/versions, or a list with sku and version");
  if (!is_image_version(version)) return Error(fmt::format("'{}' is not the version of an image", version));
  const auto said = item.find("properties");
  const json properties = said != item.end() && said->is_object() ? *said : json::object();
  const auto hidden = properties.find("excludeFromLatest");
  if (hidden != properties.end() && *hidden == true) return {};
  listed.add("", definition, {version, text_of(properties, "publishedDate").substr(0, 19)});
  return {};
}

}  // namespace

const ImageVersions& recorded_image_versions() {
  static const Recorded kRecorded;
  return kRecorded;
}

bool is_image_version(std::string_view text) {
  bool digit = false;
  for (const char c : text) {
    if (c == '.' && !digit) return false;
    digit = c != '.';
    if (digit && !is_digit(c)) return false;
  }
  return digit;
}

bool newer_image_version(std::string_view a, std::string_view b) {
  return is_image_version(a) && is_image_version(b) && natural_order(a, b) > 0;
}

Result<std::unique_ptr<ImageVersions>> parse_image_versions(std::string_view text, std::string name) {
  auto parsed = parse_json(text);
  if (!parsed) return std::move(parsed).error().in(name);
  const json& document = *parsed;
  auto listed = std::make_unique<Listed>(name);
  const json* list = &document;
  for (const char* key : {"values", "value", "images"})
    if (document.is_object() && document.contains(key) && document[key].is_array()) list = &document[key];
  if (list->is_array()) {
    for (const json& item : *list) {
      if (!item.is_object()) return Error(name + ": every image must be an object");
      if (item.contains("name") && !item.contains("version")) {
        if (auto added = add_gallery_version(*listed, item, name); !added) return added.error().in(name);
        continue;
      }
      std::string definition = text_of(item, "sku");
      if (definition.empty()) definition = text_of(item, "definition");
      const std::string version = text_of(item, "version");
      if (definition.empty() || version.empty())
        return Error(name + ": an image needs sku (or definition) and version");
      if (!is_image_version(version))
        return Error(fmt::format("{}: '{}' of {} is not the version of an image", name, version, definition));
      listed->add(text_of(item, "os"), definition, {version});
    }
  } else if (document.is_object()) {
    for (const auto& [definition, version] : document.items()) {
      if (!version.is_string()) return Error(name + ": " + definition + " must be a version in quotes");
      if (!is_image_version(version.get_ref<const std::string&>()))
        return Error(
            fmt::format("{}: '{}' of {} is not the version of an image", name, version.get<std::string>(), definition));
      listed->add("", definition, {version.get<std::string>()});
    }
  }
  if (listed->empty()) return Error(name + ": lists no image versions");
  return std::unique_ptr<ImageVersions>(std::move(listed));
}

std::optional<ImageId> parse_image_id(std::string_view id) {
  constexpr std::string_view kImages = "/images/";
  constexpr std::string_view kVersions = "/versions/";
  id = id.substr(0, std::min(id.find('?'), id.size()));
  const size_t images = lowered(id).find(kImages);
  if (images == std::string::npos) return std::nullopt;
  const std::string_view rest = id.substr(images + kImages.size());
  const std::string_view definition = rest.substr(0, std::min(rest.find('/'), rest.size()));
  if (definition.empty()) return std::nullopt;
  std::string_view version = rest.substr(definition.size());
  if (equal_ignoring_case(version.substr(0, kVersions.size()), kVersions))
    version.remove_prefix(kVersions.size());
  else
    version = {};
  return ImageId{id.substr(0, images), definition, version};
}

}  // namespace sunup::fleet
