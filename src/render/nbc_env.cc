#include "render/nbc_env.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/base64.h"
#include "base/shell_word.h"
#include "base/text.h"

namespace sunup::render {
namespace {

constexpr std::string_view kBetweenWords = " \t\n;";

// The length of the name that `text` begins with.
size_t name_length(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return 0;
  return std::min(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"), text.size());
}

// Adds the assignments of a word that begins with one. An unquoted name followed by '=' inside the word begins another
// assignment, which was not separated from the previous one.
void add_assignments(const ShellWord& word, std::map<std::string, std::string>& variables) {
  std::string* value = nullptr;
  for (const ShellPiece& piece : word.pieces) {
    if (piece.kind != ShellPiece::Kind::kPlain) {
      if (value == nullptr) return;
      *value += piece.text;
      continue;
    }
    for (std::string_view rest = piece.text; !rest.empty();) {
      const size_t name = name_length(rest);
      const bool assigns = name > 0 && rest.substr(name).starts_with('=');
      if (!assigns && value == nullptr) return;
      // If the name is not followed by '=', no suffix of the name is either, so the name is consumed as a whole.
      const std::string_view taken = rest.substr(0, std::max<size_t>(name, 1));
      rest.remove_prefix(taken.size() + (assigns ? 1 : 0));
      if (assigns)
        (value = &variables[std::string(taken)])->clear();
      else
        *value += taken;
    }
  }
}

// Variables that are known to differ between the two ways without consequences.
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
    if (equals != std::string_view::npos)
      lines[unicode::trimmed(line.substr(0, equals))] = unicode::trimmed(line.substr(equals + 1));
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
  std::map<std::string, std::string> variables;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetweenWords), text.size()));
    if (text.empty()) return variables;
    const ShellWord word = shell_word(text, {.rules = ShellRules::kQuotesOnly, .ends = kBetweenWords});
    add_assignments(word, variables);
    text.remove_prefix(word.length);
  }
}

std::vector<std::string> compare_environments(const Environment& pc, const std::map<std::string, std::string>& nbc) {
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
