#include "contract/load.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/input.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/quoted.h"
#include "base/text.h"
#include "contract/canonical_json.h"
#include "contract/fields.h"
#include "contract/json_number.h"
#include "contract/nearest.h"
#include "contract/path.h"
#include "contract/quoted_excerpt.h"
#include "contract/wire.h"

namespace sunup::contract {
namespace {

constexpr char kTooLarge[] = "larger than 16 MiB";

// The JSON spelling of a name: "custom_aad_resource" becomes customAadResource.
std::string camel_case(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '_')
      out += name[i];
    else if (++i < name.size())
      out += to_upper(name[i]);
  }
  return out;
}
constexpr char kDuplicateHint[] = "leave one out: a version that knows the field refuses the config";

// Without a limit, reporting a config full of unknown fields would take far longer than reading it.
constexpr size_t kMaxFindings = 200;

// Reads one config. The values are written to `wire_`, from which the config is parsed at the end; this needs no
// protobuf descriptors. `path_` always names the value being read. It is only shortened on success, so that after a
// failure it still names the place.
class Loader {
 public:
  Loader(std::string_view text, std::string_view file, Details* details)
      : in_(text), text_(text), file_(file), details_(details) {}

  Result<Loaded> run() {
    Loaded loaded;
    if (in_.at_end()) in_.fail(0, "the file is empty");
    if (in_.failed() || !message(configuration_fields()) || !in_.end()) return refusal();
    if (!loaded.config.ParseFromString(wire_.written())) {
      in_.fail(0, "what was read of it does not make a config");
      return refusal();
    }
    if (!version(loaded.config.version())) return refusal();
    if (suppressed_ > 0)
      findings_.push_back({Severity::kWarning, "more-findings", "$", findings_.back().at,
                           std::to_string(suppressed_) + " more things were tolerated that are not listed", ""});
    loaded.findings = std::move(findings_);
    loaded.unknown = std::move(unknown_);
    return loaded;
  }

 private:
  Error refusal() {
    const Position at = in_.position(in_.error_offset());
    Error error(one_line(file_) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + path_ +
                ": " + in_.error());
    error.hint = hint_;
    if (details_) details_->refusal = {Severity::kError, "refused", path_, at, in_.error(), hint_};
    return error;
  }

  bool version(const std::string& version) {
    if (version == "v1") return true;
    path_ = "$.version";
    if (version == "v0") {
      report("deprecated-version", version_at_, "v0 is deprecated, use v1 instead", "set \"version\": \"v1\"");
      return true;
    }
    hint_ = "set \"version\": \"v1\"";
    if (version.empty()) return in_.fail(version_at_, "there is no version; it must be \"v1\"");
    return in_.fail(version_at_, "unsupported version: " + quoted_excerpt(version) + "; it must be \"v1\"");
  }

  bool message(const MessageFields& fields) {
    if (in_.peek() != JsonKind::kObject) return wrong_type("an object");
    std::bitset<128> seen;  // by index of declaration; the largest message of the contract has 45 fields
    std::unordered_set<std::string> unknown;
    return in_.object([&](std::string_view name, size_t name_at) {
      const size_t mark = path_.size();
      const Field* field = fields.find(name);
      if (!field) {
        append_name(name, path_);
        if (unknown.emplace(name).second) {
          unknown_field(name, name_at, fields);
        } else {
          report("duplicate-key", name_at, "the field is given twice", kDuplicateHint);
        }
        if (!unknown_value(path_.substr(0, mark), std::string(name))) return false;
      } else {
        append_name(field->name, path_);
        const size_t index = fields.index_of(*field);
        if (seen.test(index)) return in_.fail(name_at, "the field is given twice");
        seen.set(index);
        if (!value(*field)) return false;
      }
      path_.resize(mark);
      return true;
    });
  }

  // Nothing is read from an unknown value, so a duplicate key in it is tolerated. A newer reader may reject it.
  bool unknown_value(const std::string& parent, const std::string& name) {
    std::optional<size_t> twice_at;
    in_.peek();
    const size_t start = in_.offset();
    if (!skip_value(twice_at)) return false;
    if (twice_at) report("duplicate-key", *twice_at, "a key inside this value is given twice", kDuplicateHint);
    unknown_[parent][name] = canonical_json(text_.substr(start, in_.offset() - start));
    return true;
  }

  bool skip_value(std::optional<size_t>& twice_at) {
    const JsonKind kind = in_.peek();
    if (kind == JsonKind::kArray) return in_.array([&](size_t) { return skip_value(twice_at); });
    if (kind != JsonKind::kObject) return in_.skip();
    std::unordered_set<std::string> keys;
    return in_.object([&](std::string_view key, size_t key_at) {
      if (!keys.emplace(key).second && !twice_at) twice_at = key_at;
      return skip_value(twice_at);
    });
  }

  bool value(const Field& field) {
    const JsonKind kind = in_.peek();
    note_place();
    if (kind == JsonKind::kNull) return in_.literal("null");
    if (field.is_map()) return map(field);
    if (field.is_list()) return list(field);
    return one(field, field.number);
  }

  // A value that is not a list or map, as the field `number` of the open message or map entry.
  bool one(const Field& field, int number) {
    if (!field.message) return scalar(field, number);
    const size_t start = wire_.open(number);
    if (!message(*field.message)) return false;
    wire_.close(start);
    return true;
  }

  bool list(const Field& field) {
    if (in_.peek() != JsonKind::kArray) return wrong_type("a list");
    return in_.array([&](size_t index) {
      const size_t mark = path_.size();
      append_index(index, path_);
      if (in_.peek() == JsonKind::kNull) return in_.fail(in_.offset(), "null is not allowed in a list");
      note_place();
      const bool ok = one(field, field.number);
      if (ok) path_.resize(mark);
      return ok;
    });
  }

  bool map(const Field& field) {
    if (in_.peek() != JsonKind::kObject) return wrong_type("an object");
    std::unordered_set<std::string> keys;
    return in_.object([&](std::string_view key, size_t key_at) {
      const size_t mark = path_.size();
      append_key(key, path_);
      if (!keys.emplace(key).second) return in_.fail(key_at, "the key is given twice");
      const size_t start = wire_.open(field.number);
      wire_.bytes(kMapKey, key);
      if (in_.peek() == JsonKind::kNull) return in_.fail(in_.offset(), "null is not allowed as a value of a map");
      note_place();
      const bool ok = one(field, kMapValue);
      wire_.close(start);
      if (ok) path_.resize(mark);
      return ok;
    });
  }

  bool scalar(const Field& field, int number) {
    switch (field.kind) {
      case FieldKind::kString: {
        if (&field == version_field_) version_at_ = in_.offset();
        std::string_view text;
        if (in_.peek() != JsonKind::kString) return wrong_type("a string");
        if (!in_.string(text)) return false;
        wire_.bytes(number, text);
        return true;
      }
      case FieldKind::kBool: {
        const JsonKind kind = in_.peek();
        if (kind != JsonKind::kTrue && kind != JsonKind::kFalse) return wrong_type("true or false");
        wire_.varint(number, kind == JsonKind::kTrue);
        return in_.literal(kind == JsonKind::kTrue ? "true" : "false");
      }
      case FieldKind::kInt32: {
        std::string_view text;
        const size_t at = in_.offset();
        if (!number_or_text(text, "a whole number")) return false;
        const auto parsed = is_json_number(text) ? to_int32(text) : std::nullopt;
        return parsed ? integer(number, *parsed) : not_a("whole number of 32 bits", text, at);
      }
      case FieldKind::kDouble: {
        std::string_view text;
        const size_t at = in_.offset();
        const bool quoted = in_.peek() == JsonKind::kString;
        if (!number_or_text(text, "a number")) return false;
        const auto parsed = is_json_number(text) ? to_double(text) : quoted ? special_double(text) : std::nullopt;
        if (!parsed) return not_a("number of 64 bits", text, at);
        wire_.fixed64(number, std::bit_cast<uint64_t>(*parsed));
        return true;
      }
      case FieldKind::kEnum:
        return enumeration(field, number);
      case FieldKind::kMessage:
        break;
    }
    return in_.fail(in_.offset(), "the contract has a type here that the loader does not know");
  }

  bool enumeration(const Field& field, int number) {
    const EnumType& type = *field.enumeration;
    const size_t at = in_.offset();
    std::string_view text;
    if (in_.peek() == JsonKind::kString) {
      if (!in_.string(text)) return false;
      if (const EnumValue* known = type.find(text)) return integer(number, known->number);
      report("unknown-enum-name", at,
             quoted_excerpt(text) + " is no value of " + std::string(type.name) + "; the field counts as unset",
             nearest_enum_hint(text, type));
      // path_ ends in ".name"; the part before it is the path of the object that contains the field.
      unknown_[path_.substr(0, path_.size() - field.name.size() - 1)][std::string(field.name)] = json_string(text);
      return true;
    }
    if (!number_or_text(text, "a name or a number of " + std::string(type.name))) return false;
    const auto parsed = to_int32(text);
    if (!parsed) return not_a("whole number of 32 bits", text, at);
    if (!type.find(*parsed))
      report("unknown-enum-number", at,
             std::to_string(*parsed) + " is no value of " + std::string(type.name) + "; nothing here acts on it",
             "known values: " + enum_values(type));
    return integer(number, *parsed);
  }

  bool integer(int number, int32_t value) {
    wire_.varint(number, static_cast<uint64_t>(int64_t{value}));
    return true;
  }

  bool number_or_text(std::string_view& out, const std::string& wanted) {
    const JsonKind kind = in_.peek();
    if (kind == JsonKind::kNumber) return in_.number(out);
    if (kind == JsonKind::kString) return in_.string(out);
    return wrong_type(wanted);
  }

  static std::optional<double> special_double(std::string_view text) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    return std::nullopt;
  }

  bool wrong_type(std::string_view wanted) {
    const JsonKind kind = in_.peek();
    if (kind == JsonKind::kNone) return in_.skip();  // not a value: the reader reports what is wrong
    if (wanted == "a string" && kind == JsonKind::kNumber) hint_ = "write it in double quotes";
    if (wanted == "true or false" && kind == JsonKind::kString) hint_ = "write it without quotes";
    return in_.fail(in_.offset(), "expected " + std::string(wanted) + ", found " + std::string(describe(kind)));
  }

  bool not_a(std::string_view wanted, std::string_view text, size_t at) {
    return in_.fail(at, quoted_excerpt(text) + " is not a " + std::string(wanted));
  }

  void unknown_field(std::string_view name, size_t at, const MessageFields& fields) {
    if (findings_.size() >= kMaxFindings) {
      ++suppressed_;
      return;
    }
    if (std::ranges::any_of(fields.reserved_names(),
                            [&](std::string_view retired) { return name == retired || name == camel_case(retired); })) {
      report("retired-field", at, "this field was retired from the contract; it is ignored", "leave it out");
      return;
    }
    report("unknown-field", at, "the contract has no such field; it is ignored", nearest_field_hint(name, fields));
  }

  void report(std::string rule, size_t at, std::string message, std::string hint) {
    if (findings_.size() >= kMaxFindings) {
      ++suppressed_;
      return;
    }
    findings_.push_back(
        {Severity::kWarning, std::move(rule), path_, in_.position(at), std::move(message), std::move(hint)});
  }

  void note_place() {
    if (details_) details_->places[path_] = in_.position(in_.offset());
  }

  JsonReader in_;
  std::string_view text_;
  std::string_view file_;
  Details* details_;
  const Field* version_field_ = configuration_fields().find("version");
  WireWriter wire_;
  std::string path_ = "$";
  std::string hint_;
  std::vector<Finding> findings_;
  UnknownMembers unknown_;
  size_t suppressed_ = 0;
  size_t version_at_ = 0;
};

}  // namespace

Error refused_as_too_large(std::string_view file, Details* details) {
  if (details) details->refusal = {Severity::kError, "refused", "$", {1, 1}, kTooLarge, ""};
  return Error(one_line(file) + ":1:1: $: " + kTooLarge);
}

Result<Loaded> load_text(std::string_view text, std::string_view file, Details* details) {
  if (text.size() > kMaxConfigBytes) return refused_as_too_large(file, details);
  return Loader(text, file, details).run();
}

Result<std::string> read_config_file(const std::string& path) {
  return read_input_within(kConfigPatience, path, kMaxConfigBytes);
}

Result<Loaded> load_file(const std::string& path, Details* details) {
  Result<std::string> text = read_config_file(path);
  if (text) return load_text(*text, path, details);
  if (text.error().os_errno == 0) return refused_as_too_large(path, details);
  return std::move(text).error();
}

}  // namespace sunup::contract
