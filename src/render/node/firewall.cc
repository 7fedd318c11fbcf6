#include "render/node/firewall.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kComment =
    "AKS managed: added by AgentBaker ensureIMDSRestriction for IMDS restriction feature";
constexpr std::string_view kMetadataService = "169.254.169.254/32";
constexpr std::string_view kWireServer = "168.63.129.16/32";

using Words = std::vector<std::string>;

// A line of iptables-save: words, with double quotes around a comment.
Words split(std::string_view line) {
  Words words;
  std::string word;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quoted && i + 1 < line.size()) {
      word += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else if (c != '\r') {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool has(const Words& words, std::string_view option, std::string_view value) {
  for (size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == option && words[i + 1] == value && (i == 0 || words[i - 1] != "!")) return true;
  return false;
}

bool has_option(const Words& words, std::string_view option) {
  return std::find(words.begin(), words.end(), option) != words.end();
}

bool drops(const Words& rule, std::string_view destination, std::string_view port) {
  return has(rule, "-A", "FORWARD") && has(rule, "-d", destination) && has(rule, "-p", "tcp") &&
         has(rule, "--dport", port) && has(rule, "-j", "DROP");
}

struct Saved {
  std::map<std::string, std::vector<Words>> tables;
};

Saved parse(std::string_view text) {
  Saved saved;
  std::string table;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    if (line.starts_with('*')) table = std::string(line.substr(1, line.find_last_not_of(" \r")));
    if (line.starts_with("-A ")) saved.tables[table].push_back(split(line));
  }
  return saved;
}

// A rule with any source counts: the comment identifies the rule as Sunup's, and the address may be from an earlier
// start.
const Words* restriction_rule(const Saved& saved, const std::string& table) {
  const auto found = saved.tables.find(table);
  if (found == saved.tables.end()) return nullptr;
  for (const Words& rule : found->second)
    if (drops(rule, kMetadataService, "80") && has(rule, "--comment", kComment)) return &rule;
  return nullptr;
}

bool has_wire_server_rule(const Saved& saved, std::string_view port) {
  const auto found = saved.tables.find("filter");
  if (found == saved.tables.end()) return false;
  // A rule that is limited to a source or an interface protects less than this one.
  return std::any_of(found->second.begin(), found->second.end(), [port](const Words& rule) {
    return drops(rule, kWireServer, port) && !has_option(rule, "-s") && !has_option(rule, "-i") &&
           !has_option(rule, "!");
  });
}

std::string delete_command(const Words& rule) {
  std::string line = "-D";
  for (size_t i = 1; i < rule.size(); ++i) {
    const bool quote = rule[i].find(' ') != std::string::npos;
    line += quote ? fmt::format(" \"{}\"", rule[i]) : " " + rule[i];
  }
  return line + "\n";
}

bool is_address(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

Result<std::string> firewall_changes(std::string_view saved_text, const MetadataRestriction& restriction) {
  if (restriction.enabled && !is_address(restriction.primary_ip)) {
    return Error("the metadata service cannot be restricted: this node's own address is not known")
        .with_hint("the instance metadata service did not report it");
  }
  const Saved saved = parse(saved_text);
  std::map<std::string, std::string> changes;
  for (const char* port : {"80", "32526"}) {
    if (has_wire_server_rule(saved, port)) continue;
    changes["filter"] += fmt::format("-I FORWARD 1 -d {} -p tcp -m tcp --dport {} -j DROP\n", kWireServer, port);
  }
  const std::string wanted = restriction.in_mangle_table ? "mangle" : "filter";
  for (const char* table : {"filter", "mangle"}) {
    const Words* rule = restriction_rule(saved, table);
    if (restriction.enabled && table == wanted && rule == nullptr) {
      changes[table] +=
          fmt::format("-I FORWARD 1 ! -s {}/32 -d {} -p tcp -m tcp --dport 80 -m comment --comment \"{}\" -j DROP\n",
                      restriction.primary_ip, kMetadataService, kComment);
    }
    if (!restriction.enabled && rule != nullptr) changes[table] += delete_command(*rule);
  }
  std::string input;
  for (const auto& [table, lines] : changes) input += fmt::format("*{}\n{}COMMIT\n", table, lines);
  return input;
}

}  // namespace sunup::render::node
