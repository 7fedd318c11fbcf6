#include "fleet/sources/bounds.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/json_nesting.h"
#include "base/utf8.h"

namespace sunup::fleet {
namespace {

std::string too_deep() {
  return fmt::format("lists and maps are nested more than {} levels deep", kMaxNesting);
}

// Measures a stream without keeping its content.
class Measure : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    // yaml-cpp 0.7 reports an endless number of empty documents at a character that no document can start with.
    if (mark.pos == last_start_) throw YAML::ParserException(mark, "unexpected character");
    last_start_ = mark.pos;
    open_.clear();
    anchors_.clear();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t anchor) override { leaf(anchor); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t anchor, const std::string&) override {
    leaf(anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) throw YAML::ParserException(mark, "an alias refers to a value that contains it");
    aliased_ += it->second.nodes;
    if (aliased_ > kMaxAliased)
      throw YAML::ParserException(mark, fmt::format("aliases expand to more than {} nodes", kMaxAliased));
    if (open_.size() + it->second.height > kMaxNesting) throw YAML::ParserException(mark, too_deep());
    add(it->second);
  }

 private:
  struct Tree {
    YAML::anchor_t anchor = YAML::NullAnchor;
    size_t nodes = 1;
    size_t height = 0;
  };

  void start(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxNesting) throw YAML::ParserException(mark, too_deep());
    open_.push_back({anchor, 1, 1});
  }
  void end() {
    const Tree done = open_.back();
    open_.pop_back();
    if (done.anchor != YAML::NullAnchor) anchors_[done.anchor] = done;
    add(done);
  }
  void leaf(YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = Tree{};
    add(Tree{});
  }
  void add(const Tree& child) {
    if (open_.empty()) return;
    open_.back().nodes += child.nodes;
    open_.back().height = std::max(open_.back().height, child.height + 1);
  }

  std::vector<Tree> open_;
  std::map<YAML::anchor_t, Tree> anchors_;  // of the document; only complete ones
  size_t aliased_ = 0;
  int last_start_ = -1;
};

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text) {
  if (nested_too_deeply(text)) return Error(too_deep());
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return Error("not a JSON value");
  return value;
}

void check_yaml_bounds(const std::string& text) {
  // yaml-cpp 0.7 does not terminate if the text ends within a character.
  if (const size_t good = utf8_length(text); good < text.size()) {
    YAML::Mark mark;
    mark.pos = static_cast<int>(good);
    mark.line = static_cast<int>(std::count(text.begin(), text.begin() + mark.pos, '\n'));
    mark.column = static_cast<int>(good - (text.rfind('\n', good) + 1));
    throw YAML::ParserException(mark, "not valid UTF-8");
  }
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Measure measure;
  while (parser.HandleNextDocument(measure)) {
  }
}

}  // namespace sunup::fleet
