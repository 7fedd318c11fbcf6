// Reads the declarations of hooks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/duration.h"
#include "base/json_reader.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "plan/hook.h"
#include "plan/trusted.h"
#include "render/node_files.h"

namespace sunup::plan {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr size_t kLargest = 64 << 10;  // bytes in one declaration
constexpr size_t kMost = 64;           // declarations
constexpr size_t kMostItems = 64;      // items in a list
constexpr size_t kLongestItem = 4096;
constexpr auto kLongestDeadline = 1h;
constexpr int kMostRetries = 100;

constexpr std::string_view kMembers[] = {"argv",     "purpose", "needs", "after",    "before",
                                         "deadline", "retries", "fatal", "deferred", "environment"};

Error refused(std::string_view name, std::string what) {
  return Error(fmt::format("{}/{}.json: {}", paths::kHooks, name, what))
      .in_step(name)
      .with_hint("correct or remove the declaration; docs/hooks.md describes the format");
}

// The error in the list; empty if there is none.
std::string read_list(const json& object, std::string_view member, std::vector<std::string>& list) {
  const auto found = object.find(member);
  if (found == object.end()) return "";
  if (!found->is_array() || found->size() > kMostItems)
    return fmt::format("\"{}\" must be a list of at most {} strings", member, kMostItems);
  for (const json& item : *found) {
    if (!item.is_string()) return fmt::format("\"{}\" must be a list of strings", member);
    auto text = item.get<std::string>();
    if (text.size() > kLongestItem || text.find('\0') != std::string::npos)
      return fmt::format("a string of \"{}\" contains NUL or is longer than {} bytes", member, kLongestItem);
    list.push_back(std::move(text));
  }
  return "";
}

std::string read_flag(const json& object, std::string_view member, bool& flag) {
  const auto found = object.find(member);
  if (found == object.end()) return "";
  if (!found->is_boolean()) return fmt::format("\"{}\" must be true or false", member);
  flag = found->get<bool>();
  return "";
}

std::string read_limits(const json& object, Hook& hook) {
  if (const auto found = object.find("deadline"); found != object.end()) {
    const auto time = found->is_string() ? parse_flag_duration(found->get<std::string>()) : std::nullopt;
    if (!time || *time <= 0s || *time > kLongestDeadline)
      return "\"deadline\" must be a duration of at most 1h, such as \"90s\" or \"5m\"";
    hook.deadline = *time;
  }
  if (const auto found = object.find("retries"); found != object.end()) {
    if (!found->is_number_unsigned() || found->get<uint64_t>() > kMostRetries)
      return fmt::format("\"retries\" must be a number from 0 to {}", kMostRetries);
    hook.retries = found->get<int>();
  }
  return "";
}

std::string read_members(const json& object, Hook& hook) {
  for (const auto& [member, value] : object.items())
    if (std::find(std::begin(kMembers), std::end(kMembers), member) == std::end(kMembers))
      return fmt::format("unknown member \"{}\"; known are {}", member, fmt::join(kMembers, ", "));
  for (const auto& [member, list] :
       {std::pair("argv", &hook.argv), std::pair("needs", &hook.needs), std::pair("after", &hook.after),
        std::pair("before", &hook.before), std::pair("environment", &hook.environment)})
    if (std::string wrong = read_list(object, member, *list); !wrong.empty()) return wrong;
  if (hook.argv.empty() || !hook.argv[0].starts_with('/'))
    return "\"argv\" must be a list that starts with the absolute path of a program";
  for (const std::string& name : hook.environment)
    if (!is_identifier(name)) return fmt::format("\"{}\" is not the name of a variable", name);
  if (const auto found = object.find("purpose"); found != object.end()) {
    if (!found->is_string() || found->get<std::string>().size() > 200)
      return "\"purpose\" must be a string of at most 200 bytes";
    hook.purpose = found->get<std::string>();
    for (const char c : hook.purpose)
      if (static_cast<unsigned char>(c) < 0x20) return "\"purpose\" must be one line";
  }
  if (std::string wrong = read_limits(object, hook); !wrong.empty()) return wrong;
  if (std::string wrong = read_flag(object, "deferred", hook.deferred); !wrong.empty()) return wrong;
  hook.fatal = !hook.deferred;
  if (std::string wrong = read_flag(object, "fatal", hook.fatal); !wrong.empty()) return wrong;
  if (hook.deferred && hook.fatal) return "a deferred hook cannot be fatal: the result does not wait for it";
  if (hook.deferred && !hook.before.empty())
    return "nothing can wait for a deferred hook: remove \"before\" or \"deferred\"";
  return "";
}

// The place of the mistake in a text that is not JSON: ": 3:5: expected ..."; empty if the text is JSON.
std::string mistake_in(std::string_view text) {
  JsonReader reader(text);
  if (reader.skip() && reader.end()) return "";
  const Position at = reader.position(reader.error_offset());
  return fmt::format(": {}:{}: {}", at.line, at.column, reader.error());
}

// With two members of the same name, the value would depend on the parser.
bool has_duplicates(std::string_view text) {
  std::set<std::string> keys;
  bool duplicate = false;
  const json::parser_callback_t look = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth == 1) duplicate |= !keys.insert(parsed.get<std::string>()).second;
    return true;
  };
  (void)json::parse(text, look, false);
  return duplicate;
}

}  // namespace

std::vector<std::string_view> hook_members() {
  return {std::begin(kMembers), std::end(kMembers)};
}

Result<Hook> parse_hook(std::string_view name, std::string_view text) {
  if (!render::is_hook_name(name))
    return Error(
               "the name of a hook has at most 63 characters of a-z, 0-9, '.', '_' and '-', and begins with one of "
               "a-z, 0-9 or '_'")
        .in_step(name.substr(0, 63))
        .with_hint(fmt::format("rename {}/{}.json, or remove it", paths::kHooks, name));
  if (text.size() > kLargest) return refused(name, fmt::format("larger than {} KiB", kLargest >> 10));
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded() || !object.is_object()) return refused(name, "not a JSON object" + mistake_in(text));
  if (has_duplicates(text)) return refused(name, "a member occurs twice");
  Hook hook;
  hook.name = name;
  if (std::string wrong = read_members(object, hook); !wrong.empty()) return refused(name, std::move(wrong));
  hook.text = text;
  return hook;
}

Result<std::vector<Hook>> read_hooks(host::Files& files, bool files_only) {
  std::vector<Hook> hooks;
  constexpr std::string_view kSuffix = ".json";
  auto names = files.list_if_there(paths::kHooks);
  if (!names) return std::move(names).error().in(paths::kHooks);
  std::erase_if(*names, [&](const std::string& name) { return name.starts_with('.') || !name.ends_with(kSuffix); });
  if (names->empty()) return hooks;
  if (auto sound = only_root_changes(files, paths::kHooks, files_only); !sound)
    return std::move(sound).error().in("hooks are refused");
  if (names->size() > kMost) return Error(fmt::format("{}: more than {} declarations", paths::kHooks, kMost));
  for (const std::string& file : *names) {
    const std::string name = file.substr(0, file.size() - kSuffix.size());
    const std::string path = fmt::format("{}/{}", paths::kHooks, file);
    const auto link = files.link_if_there(path);
    if (!link) return link.error();
    const auto info = files.info(path);
    if (!info) return info.error();
    if (*link || info->kind != host::FileKind::kRegular) return refused(name, "not a regular file");
    if (const std::string why = distrust(*info, files_only); !why.empty())
      return refused(name, why).with_hint(fmt::format("chown root:root {0}; chmod 0644 {0}", path));
    const auto text = files.read(path, kLargest);
    if (!text) return refused(name, text.error().what);
    auto hook = parse_hook(name, *text);
    if (!hook) return hook.error();
    hooks.push_back(*std::move(hook));
  }
  return hooks;
}

}  // namespace sunup::plan
