#include "render/node/node_labels.h"

#include <algorithm>

namespace sunup::render::node {
namespace {

// The start of the label in the comma-separated list; npos if the list does not contain it.
size_t find_label(std::string_view labels, std::string_view label) {
  size_t at = 0;
  while (at <= labels.size()) {
    const size_t end = std::min(labels.find(',', at), labels.size());
    if (labels.substr(at, end - at) == label) return at;
    at = end + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string with_label(std::string_view labels, std::string_view label) {
  std::string out(labels);
  if (find_label(labels, label) != std::string_view::npos) return out;
  if (!out.empty()) out += ',';
  return out.append(label);
}

std::string without_label(std::string_view labels, std::string_view label) {
  std::string out(labels);
  const size_t at = find_label(labels, label);
  if (at == std::string_view::npos) return out;
  if (at > 0) return out.erase(at - 1, label.size() + 1);
  return out.erase(0, std::min(label.size() + 1, out.size()));
}

}  // namespace sunup::render::node
