#include "render/gpu_components.h"

#include <algorithm>
#include <utility>

#include "base/json_tree.h"
#include "base/text.h"

namespace sunup::render {
namespace {

using Node = JsonNode;

// Collects type errors while reading; the first one is reported.
class Reader {
 public:
  GpuImages images(const Node& root) {
    GpuImages found;
    each_member(root, "the component list", [&](const Node& member) {
      if (!unicode::equal_fold(member.name, "GPUContainerImages") || member.is_null()) return;
      if (!member.is_array()) return complain("GPUContainerImages must be a list");
      for (const Node& entry : member) add_entry(entry, found);
    });
    return found;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  void add_entry(const Node& entry, GpuImages& found) {
    std::string url, tag;
    each_member(entry, "an item of GPUContainerImages", [&](const Node& member) {
      if (unicode::equal_fold(member.name, "downloadURL")) {
        read_string(member, "downloadURL", url);
      } else if (unicode::equal_fold(member.name, "gpuVersion")) {
        each_member(member, "gpuVersion", [&](const Node& part) {
          if (unicode::equal_fold(part.name, "latestVersion")) read_string(part, "latestVersion", tag);
        });
      }
    });
    const size_t dash = tag.find('-');
    if (dash == std::string::npos || tag.find('-', dash + 1) != std::string::npos) return;
    std::string name = url.substr(url.rfind('/') + 1);
    name.resize(std::min(name.find(':'), name.size()));
    found[std::move(name)] = {tag.substr(0, dash), tag.substr(dash + 1)};
  }

  template <class Visit>
  void each_member(const Node& object, std::string_view what, Visit visit) {
    if (object.is_object()) {
      std::for_each(object.begin(), object.end(), visit);
    } else if (!object.is_null()) {
      complain(std::string(what) + " must be an object");
    }
  }

  void read_string(const Node& node, std::string_view what, std::string& into) {
    if (node.is_string()) {
      into = node.text;
    } else if (!node.is_null()) {
      complain(std::string(what) + " must be a string");
    }
  }

  void complain(std::string text) {
    if (complaint_.empty()) complaint_ = std::move(text);
  }

  std::string complaint_;
};

}  // namespace

Result<GpuImages> parse_gpu_components(std::string_view components_json) {
  const auto tree = JsonTree::parse(components_json);
  if (!tree) return Error("the component list is not JSON");
  Reader reader;
  GpuImages images = reader.images(tree->root());
  if (!reader.complaint().empty()) return Error(reader.complaint());
  return images;
}

}  // namespace sunup::render
