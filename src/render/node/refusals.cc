#include "render/node/refusals.h"

#include "contract/fields.h"
#include "render/node/files.h"
#include "render/node/outbound_check.h"

namespace sunup::render::node {
namespace {

// The longest field path in the text.
std::string field_in(std::string_view text) {
  constexpr std::string_view kOfPaths = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  std::string found;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find_first_not_of(kOfPaths));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    while (word.ends_with('.')) word.remove_suffix(1);
    if (word.size() > found.size() && contract::field_at(word) != nullptr) found = word;
  }
  return found;
}

}  // namespace

NodeFacts typical_node(Distro distro) {
  NodeFacts facts = golden_image(distro);
  facts.imds = ImdsFacts();
  facts.imds->interfaces.push_back({.mac = "00:00:00:00:00:00", .ipv4 = {"192.0.2.1"}, .ipv6 = {}});
  return facts;
}

std::vector<Refusal> refusals(const Configuration& config) {
  std::vector<Refusal> out;
  const auto add = [&out](Error error) {
    std::string field = field_in(error.what + " " + error.hint);
    out.push_back({std::move(field), std::move(error)});
  };
  const NodeFacts facts = typical_node();
  for (const Concern& concern : concerns())
    if (auto files = concern.files(config, facts); !files && runs_phase(concern.phase, config, facts))
      add(std::move(files).error().in(concern.name));
  if (auto check = outbound_check(config.outbound_command()); !check) add(std::move(check).error());
  return out;
}

}  // namespace sunup::render::node
