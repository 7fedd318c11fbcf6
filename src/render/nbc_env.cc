#include "render/nbc_env.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/base64.h"
#include "base/text.h"

namespace sunup::render {
namespace {

bool is_delimiter(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == ';';
}
bool starts_name(char c) {
  return is_upper(c) || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

// Walks the text once, from assignment to assignment.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::map<std::string, std::string> variables() {
    std::map<std::string, std::string> found;
    while (at_ < text_.size()) {
      if (is_delimiter(text_[at_])) {
        ++at_;
      } else if (const size_t end = name_end(); is_assignment(end)) {
        std::string name(text_.substr(at_, end - at_));
        at_ = end + 1;
        found[std::move(name)] = value();
      } else {
        skip_token();
      }
    }
    return found;
  }

 private:
  // Where the name that starts here ends; here, if none does.
  size_t name_end() const {
    size_t end = at_;
    if (starts_name(text_[end]))
      while (end < text_.size() && continues_name(text_[end])) ++end;
    return end;
  }

  bool is_assignment(size_t end) const { return end > at_ && end < text_.size() && text_[end] == '='; }

  // The inside of the quotes that open here; an open quote runs to the end.
  std::string_view quoted() {
    const size_t start = at_ + 1;
    const size_t end = std::min(text_.find(text_[at_], start), text_.size());
    at_ = std::min(end + 1, text_.size());
    return text_.substr(start, end - start);
  }

  std::string value() {
    std::string out;
    while (at_ < text_.size() && !is_delimiter(text_[at_])) {
      if (text_[at_] == '"' || text_[at_] == '\'') {
        out += quoted();
        continue;
      }
      // A name with '=' behind it is the next assignment, glued to this one. If there is no '=', then neither is there
      // one behind any later start of the same run, so the run is taken as a whole.
      const size_t run = name_end();
      if (is_assignment(run)) return out;
      const size_t end = std::max(run, at_ + 1);
      out += text_.substr(at_, end - at_);
      at_ = end;
    }
    return out;
  }

  void skip_token() {
    while (at_ < text_.size() && !is_delimiter(text_[at_])) {
      if (text_[at_] == '"' || text_[at_] == '\'') {
        quoted();
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Known to differ between the two ways, without meaning anything.
bool is_ignored(std::string_view name) {
  constexpr std::string_view kIgnored[] = {"BLOCK_OUTBOUND_NETWORK", "CLOUD_INIT_STATUS_SCRIPT", "HYPERKUBE_URL",
                                           "MCR_REPOSITORY_BASE",    "REPO_DEPOT_ENDPOINT",      "SKIP_WAAGENT_HOLD"};
  return std::ranges::find(kIgnored, name) != std::end(kIgnored);
}

std::string without_double_quotes(std::string_view text) {
  std::string out(text);
  std::erase(out, '"');
  return out;
}

std::map<std::string_view, std::string_view> sysctl_lines(std::string_view text) {
  std::map<std::string_view, std::string_view> lines;
  while (!text.empty()) {
    const std::string_view line = unicode::trimmed(take_until(text, '\n'));
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos) lines[unicode::trimmed(line.substr(0, equals))] = unicode::trimmed(line.substr(equals + 1));
  }
  return lines;
}

bool same(std::string_view name, std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (name == "SYSCTL_CONTENT") {
    const auto left = base64_decode(a), right = base64_decode(b);
    if (left && right) return sysctl_lines(*left) == sysctl_lines(*right);
  }
  return without_double_quotes(a) == without_double_quotes(b);
}

}  // namespace

std::map<std::string, std::string> nbc_environment(std::string_view text) {
  return Scanner(text).variables();
}

std::vector<std::string> compare_environments(const Environment& pc, const std::map<std::string, std::string>& nbc,
                                              const std::map<std::string, std::string>& inherited) {
  const auto find = [](const std::map<std::string, std::string>& map, const std::string& name) {
    const auto found = map.find(name);
    return found == map.end() ? nullptr : &found->second;
  };
  std::set<std::string> names;
  for (const auto& [name, value] : pc) names.insert(name);
  for (const auto& [name, value] : nbc) names.insert(name);

  std::vector<std::string> items;
  for (const std::string& name : names) {
    const std::string* ours = find(pc, name);
    const std::string* theirs = find(nbc, name);
    if (const std::string* known = find(inherited, name); ours && known && *ours == *known) ours = nullptr;
    if (ours && !theirs) {
      items.push_back("only-in-pc: " + name);
    } else if (theirs && !ours && !is_ignored(name)) {
      items.push_back("only-in-nbc: " + name);
    } else if (ours && theirs && !is_ignored(name) && !same(name, *ours, *theirs)) {
      items.push_back("differs: " + name);
    }
  }
  return items;
}

}  // namespace sunup::render
