#include "fleet/image_versions.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "fleet/bounds.h"
#include "fleet/conditions.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// Azure Linux 2 is frozen; everything else moves together.
class Recorded : public ImageVersions {
 public:
  std::optional<std::string> latest(const Gallery& gallery, std::string_view definition) const override {
    if (gallery.sig_gallery == kAzureLinuxGallery.sig_gallery && definition.starts_with("V2")) return "202512.06.0";
    return "202608.14.0";
  }
  std::string_view name() const override { return "the recorded list"; }
};

class Listed : public ImageVersions {
 public:
  explicit Listed(std::string name) : name_(std::move(name)) {}

  void add(const std::string& gallery, const std::string& definition, const std::string& version) {
    auto [it, added] = versions_.emplace(std::pair(gallery, definition), version);
    if (!added && newer_image_version(version, it->second)) it->second = version;
  }
  bool empty() const { return versions_.empty(); }

  std::optional<std::string> latest(const Gallery& gallery, std::string_view definition) const override {
    for (const std::string_view from : {gallery.sig_gallery, std::string_view()})
      if (const auto it = versions_.find(std::pair(std::string(from), std::string(definition))); it != versions_.end())
        return it->second;
    return std::nullopt;
  }
  std::string_view name() const override { return name_; }

 private:
  std::map<std::pair<std::string, std::string>, std::string> versions_;
  std::string name_;
};

}  // namespace

const ImageVersions& recorded_image_versions() {
  static const Recorded kRecorded;
  return kRecorded;
}

bool newer_image_version(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view left = a.substr(0, std::min(a.find('.'), a.size()));
    const std::string_view right = b.substr(0, std::min(b.find('.'), b.size()));
    uint64_t x = 0;
    uint64_t y = 0;
    const auto whole = [](std::string_view text, uint64_t& into) {
      const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), into);
      return err == std::errc{} && end == text.data() + text.size();
    };
    if (!whole(left, x) || !whole(right, y)) return false;
    if (x != y) return x > y;
    a.remove_prefix(std::min(left.size() + 1, a.size()));
    b.remove_prefix(std::min(right.size() + 1, b.size()));
  }
  return !a.empty();
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
      std::string definition = text_of(item, "sku");
      if (definition.empty()) definition = text_of(item, "definition");
      const std::string version = text_of(item, "version");
      if (definition.empty() || version.empty())
        return Error(name + ": an image needs sku (or definition) and version");
      listed->add(text_of(item, "os"), definition, version);
    }
  } else if (document.is_object()) {
    for (const auto& [definition, version] : document.items()) {
      if (!version.is_string()) return Error(name + ": " + definition + " must be a version in quotes");
      listed->add("", definition, version.get<std::string>());
    }
  }
  if (listed->empty()) return Error(name + ": lists no image versions");
  return std::unique_ptr<ImageVersions>(std::move(listed));
}

}  // namespace sunup::fleet
