#include "report/status.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "base/json_tree.h"
#include "base/text.h"
#include "report/extension_text.h"
#include "report/lenient_json.h"
#include "report/log.h"

namespace sunup::report {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kLongestName = 256;  // for the name of an instance or extension
constexpr int kMaxEscapeLevels = 4;   // JSON in a JSON string in a log line in a support ticket
constexpr std::string_view kExitCodeKey = "exitcode";
// If no status is expected, ExitCode must be accompanied by one of these members, because other objects (containers,
// processes) have exit codes too.
constexpr std::string_view kCompanions[] = {"output",       "error",           "execduration",    "bootdatapoints",
                                            "csestarttime", "kernelstarttime", "kubeletstarttime"};

std::optional<int> parse_exit_code(const ProvisionResult& result) {
  const auto code = exit_code_of(result);
  if (!code || *code != static_cast<int>(*code)) return std::nullopt;
  return static_cast<int>(*code);
}

void add_moment(std::vector<BootMoment>& moments, const Field& field) {
  const std::string_view label = boot_moment_label(field.key);
  if (label.empty() || field.value.empty()) return;
  const auto known = std::ranges::find(moments, field.key, &BootMoment::key);
  if (known != moments.end()) return;
  moments.push_back({field.key, std::string(label), field.value, parse_boot_time(field.value)});
}

bool has_key(const std::vector<Field>& fields, std::string_view lower_key) {
  return std::ranges::any_of(fields, [&](const Field& field) { return lowered(field.key) == lower_key; });
}

// The origin of a text.
struct Place {
  std::string source;     // as in CseStatus
  bool expected = false;  // written by the custom script: an ExitCode is the node's, even without other members
};

bool looks_like_status(const Fields& object, bool expected) {
  const auto code =
      std::ranges::find(object.fields, kExitCodeKey, [](const Field& field) { return lowered(field.key); });
  if (code == object.fields.end()) return false;
  // In the contract it is a string. A number is accepted too, except as the member exitCode of a log record.
  if (expected && (code->quoted || code->key == "ExitCode")) return true;
  if (object.truncated && object.fields.size() == 1) return true;  // truncated after its first member
  return std::ranges::any_of(kCompanions, [&](std::string_view key) { return has_key(object.fields, key); });
}

CseStatus status_of(const Fields& object, const std::string& source) {
  CseStatus status;
  status.source = source;
  status.truncated = object.truncated || object.broken;
  for (const Field& field : object.fields) {
    const std::string key = lowered(field.key);
    set_member(status.result, field.key, field.value);
    // A truncated number is useless: a remaining 5 may have been 50.
    if (key == kExitCodeKey) {
      status.exit_code = field.cut ? std::nullopt : parse_exit_code(status.result);
      status.code_is_number = !field.quoted && status.exit_code.has_value();
    }
    add_moment(status.moments, field);
  }
  for (const Field& field : object.fields) {
    if (lowered(field.key) != "bootdatapoints") continue;
    for (const Field& point : field.children) add_moment(status.moments, point);
  }
  sort_by_time(status.moments);
  return status;
}

// The platform may report a status twice: in full in a substatus, and shortened in a message. Only the full one is
// kept.
std::vector<CseStatus> without_repetitions(std::vector<CseStatus> all) {
  std::set<std::pair<std::string, std::optional<int>>> whole;  // no value: any code
  for (const CseStatus& status : all) {
    if (status.truncated) continue;
    whole.emplace(status.source, status.exit_code);
    whole.emplace(status.source, std::nullopt);
  }
  std::set<std::tuple<std::string, std::optional<int>, std::string, std::optional<double>>> seen;
  std::erase_if(all, [&](const CseStatus& status) {
    if (status.truncated && whole.contains({status.source, status.exit_code})) return true;
    return !seen.emplace(status.source, status.exit_code, status.result.error, duration_of(status.result)).second;
  });
  return all;
}

// The text as JSON, if it is an object or a list.
std::optional<JsonTree> structure(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  auto tree = JsonTree::parse(text);
  if (!tree || !(tree->root().is_object() || tree->root().is_array())) return std::nullopt;
  return *std::move(tree);
}

// The members in the form in which the reader of broken JSON returns them.
std::vector<Field> fields_of(const JsonNode& object) {
  std::vector<Field> fields;
  for (const JsonNode& member : object) {
    Field& field = fields.emplace_back();
    field.key = member.name;
    field.value = member.text;
    field.quoted = member.is_string();
  }
  return fields;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The status of the custom script that the platform or the extension's handler reports.
struct Word {
  std::string source;
  bool failed = false;
  bool in_progress = false;
  std::string message;
  std::string code = {};  // of the platform
};

class Finder {
 public:
  StatusReport take() && {
    report_.statuses = without_repetitions(std::move(report_.statuses));
    std::set<std::string> told;
    for (const CseStatus& status : report_.statuses) told.insert(status.source);
    for (const Word& word : words_)
      if ((word.failed || word.in_progress) && told.insert(word.source).second) add_word(word);
    return std::move(report_);
  }

  // The whole input, if it is JSON: a provision.json, or anything that walk() accepts.
  void document(const JsonNode& node) {
    if (node.is_object() && is_status(node, {.source = "", .expected = true})) return;
    walk(node, {}, 0, 0);
  }

  // A text that may be JSON as a whole or contain JSON.
  void text(std::string_view text, const Place& place, int escape_level) {
    if (escape_level > kMaxEscapeLevels || lowered(text).find(kExitCodeKey) == std::string::npos) return;
    if (const auto whole = structure(text)) {
      const size_t before = report_.statuses.size();
      walk(whole->root(), place, escape_level, 0);
      if (report_.statuses.size() > before) return;
    }
    if (objects_in(text, place)) return;
    const std::string inner = unescape_once(text);
    if (inner != text) this->text(inner, place, escape_level + 1);
    if (report_.statuses.empty()) controller_error(text, place);
  }

  // A JSON document that is not a status itself: an instance view, or a list of them.
  void walk(const JsonNode& node, const Place& place, int escape_level, int depth) {
    if (depth > kMaxDepth) return;
    if (node.is_string()) {
      text(node.text, place, escape_level + 1);
    } else if (node.is_array()) {
      for (const JsonNode& item : node) walk(item, place, escape_level, depth + 1);
    } else if (node.is_object()) {
      if (is_status(node, place)) return;
      platform_status(node, place);
      handler_status(node, place);
      const Place inner = inside(node, place);
      for (const JsonNode& value : node) walk(value, inner, escape_level, depth + 1);
    }
  }

 private:
  bool is_status(const JsonNode& node, const Place& place) {
    const bool has_code = std::any_of(node.begin(), node.end(),
                                      [](const JsonNode& member) { return lowered(member.name) == kExitCodeKey; });
    if (!has_code) return false;
    Fields fields;
    fields.fields = fields_of(node);
    for (size_t i = 0; const JsonNode& member : node) {
      if (member.is_object()) fields.fields[i].children = fields_of(member);
      ++i;
    }
    if (!looks_like_status(fields, place.expected)) return false;
    report_.statuses.push_back(status_of(fields, place.source));
    return true;
  }

  // Finds every object in the text that looks like a status. The last one in the text is the most recent.
  bool objects_in(std::string_view text, const Place& place) {
    const size_t out = text.find("[stdout]");
    const size_t err = text.find("[stderr]", out == std::string_view::npos ? 0 : out);
    std::optional<CseStatus> newest;
    size_t newest_end = 0;
    each_object(text, [&](const Fields& object) {
      const bool expected = (place.expected || object.start > out) && object.start < err;
      if (!looks_like_status(object, expected)) return false;
      if (object.end < newest_end) return true;
      newest = status_of(object, place.source);
      newest_end = object.end;
      return true;
    });
    if (!newest) return false;
    report_.statuses.push_back(*std::move(newest));
    return true;
  }

  // The node controller's own message, for the case that the extension kept only the end of its stderr.
  void controller_error(std::string_view text, const Place& place) {
    const size_t at = text.rfind(messages::kProvisionFailed);
    if (at == std::string_view::npos) return;
    const std::string_view rest = text.substr(at + messages::kProvisionFailed.size());
    CseStatus status;
    status.source = place.source;
    const size_t code_end = rest.find_first_not_of("-0123456789");
    const bool cut = code_end == std::string_view::npos;
    status.result.exit_code = rest.substr(0, code_end);
    if (!cut) status.exit_code = parse_exit_code(status.result);
    status.truncated = true;
    const size_t error = rest.find(messages::kItsError);
    if (error != std::string_view::npos) {
      const size_t end = rest.find(messages::kItsOutput, error);
      status.result.error = rest.substr(error + messages::kItsError.size(),
                                        end == std::string_view::npos ? end : end - error - messages::kItsError.size());
    }
    if (status.exit_code || cut) report_.statuses.push_back(std::move(status));
  }

  // The place of everything inside this object: the name of the instance or extension that it describes.
  static Place inside(const JsonNode& node, const Place& place) {
    // The name is copied for each object inside, so its length is limited.
    const auto join = [&](std::string name) {
      if (name.size() > kLongestName) name.resize(kLongestName);
      return place.source.empty()                     ? name
             : place.source.size() > 4 * kLongestName ? place.source
                                                      : place.source + ", " + name;
    };
    if (node.find("statuses") != nullptr && node.find("name") != nullptr) {
      const std::string name = node.text_of("name");
      const std::string both = lowered(node.text_of("type") + " " + name);
      return {join("extension " + name), contains(both, "customscript") || contains(both, "cse")};
    }
    if (const std::string name = node.text_of("handlerName"); !name.empty())
      return {join("extension " + name), contains(lowered(name), "customscript")};
    if (place.source.starts_with("instance ")) return place;
    for (const char* key : {"computerName", "instanceId"}) {
      if (const std::string name = node.text_of(key); !name.empty()) return {join("instance " + name), place.expected};
    }
    return place;
  }

  // The platform's status of an extension: {"code": "ProvisioningState/failed/1", "message": ...}
  void platform_status(const JsonNode& node, const Place& place) {
    const std::string code = node.text_of("code");
    const std::string message = node.text_of("message");
    if (code.empty() || place.source.find("extension ") == std::string::npos) return;
    report_.platform.push_back({place.source, code, message.substr(0, message.find('\n'))});
    const std::string_view state = std::string_view(code).substr(code.find('/') + 1);
    if (code.starts_with("ProvisioningState/") && place.expected)
      words_.push_back({place.source, state.starts_with("failed"), state.starts_with("transitioning"), message, code});
  }

  // The handler's status, as in its N.status: {"operation": "Enable", "status": "error", "formattedMessage": {...}}
  void handler_status(const JsonNode& node, const Place& place) {
    const JsonNode* message = node.find("formattedMessage");
    const std::string state = node.text_of("status");
    if (message == nullptr || !message->is_object() || node.text_of("operation").empty()) return;
    if (place.source.empty() || place.expected)
      words_.push_back({place.source, state == "error", state == "transitioning", message->text_of("message")});
  }

  // Adds a status from the platform's or handler's report, for a node without a status of its own.
  void add_word(const Word& word) {
    auto status = word.failed ? status_from_extension(word.message) : std::nullopt;
    if (!status) {
      status.emplace();
      status->extension_failed = word.failed;
      status->in_progress = word.in_progress;
      status->result.error =
          (word.failed && !word.code.empty() ? word.code + ": " : "") + word.message.substr(0, word.message.find('\n'));
    }
    status->source = word.source;
    report_.statuses.push_back(*std::move(status));
  }

  StatusReport report_;
  std::vector<Word> words_;
};

}  // namespace

int StatusReport::exit_code() const {
  const auto failed = [](const CseStatus& status) {
    return status.extension_failed || status.exit_code.value_or(0) != 0;
  };
  if (std::ranges::any_of(statuses, failed)) return 1;
  const bool known =
      std::ranges::all_of(statuses, [](const CseStatus& status) { return status.exit_code.has_value(); });
  return statuses.empty() || !known ? 2 : 0;
}

namespace {

StatusReport find_in(std::string_view text) {
  Finder finder;
  // Instance views without a status still contain the platform's messages, so they are always walked.
  if (const auto whole = structure(text)) finder.document(whole->root());
  StatusReport report = std::move(finder).take();
  if (!report.statuses.empty()) return report;
  Finder in_text;
  in_text.text(text, {}, 0);
  StatusReport found = std::move(in_text).take();
  found.platform = std::move(report.platform);
  if (!found.statuses.empty() || !found.platform.empty()) return found;
  if (auto status = status_from_extension(text)) found.statuses.push_back(*std::move(status));
  return found;
}

}  // namespace

StatusReport find_statuses(std::string_view bytes) {
  const std::string text = to_clean_utf8(bytes);
  const auto parts = separate_results(text);
  if (parts.size() == 1) return find_in(text);
  StatusReport all;
  for (size_t i = 0; i < parts.size(); ++i) {
    StatusReport one = find_in(parts[i]);
    const auto place = [&](std::string& source) {
      source = "result " + std::to_string(i + 1) + (source.empty() ? "" : ", " + source);
    };
    for (CseStatus& status : one.statuses) place(status.source);
    for (PlatformStatus& status : one.platform) place(status.source);
    std::ranges::move(one.statuses, std::back_inserter(all.statuses));
    std::ranges::move(one.platform, std::back_inserter(all.platform));
  }
  return all;
}

}  // namespace sunup::report
