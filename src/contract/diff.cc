#include "contract/diff.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/url.h"
#include "contract/path.h"
#include "contract/write.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr char kSecret[] = "(secret)";
constexpr char kNotShown[] = "(unknown, not shown)";

class Comparison {
 public:
  // Either side may be null: not there.
  void messages(const Message* left, const Message* right, const MessageFields& fields, const std::string& path) {
    for (const Field& field : fields.all()) {
      std::string here = path;
      append_name(field.descriptor->name(), here);
      way_.push_back(&field);
      if (field.map_value) {
        maps(left, right, field, here);
      } else if (field.message && !field.descriptor->is_repeated()) {
        parts(part(left, field), part(right, field), *field.message, here);
      } else {
        values(text(left, *field.descriptor), text(right, *field.descriptor), field.secret, here);
      }
      way_.pop_back();
    }
  }

  void unknown(const UnknownMembers& left, const UnknownMembers& right) {
    std::map<std::string, std::pair<const std::string*, const std::string*>> members;
    const auto gather = [&members](const UnknownMembers& from, bool is_left) {
      for (const auto& [parent, values] : from)
        for (const auto& [name, value] : values) {
          std::string path = parent;
          append_name(name, path);
          (is_left ? members[path].first : members[path].second) = &value;
        }
    };
    gather(left, true);
    gather(right, false);
    const auto shown = [](const std::string* value) {
      return value ? std::optional<std::string>(kNotShown) : std::nullopt;
    };
    for (const auto& [path, sides] : members) {
      if (sides.first && sides.second && *sides.first == *sides.second) continue;
      // A value that the contract does not know, of a field that it does: the other side has one that it knows.
      const auto field = std::ranges::find(found, path, &Difference::path);
      if (field == found.end()) {
        found.push_back({path, shown(sides.first), shown(sides.second), nullptr, {}});
      } else {
        if (!field->left) field->left = shown(sides.first);
        if (!field->right) field->right = shown(sides.second);
      }
    }
  }

  std::vector<Difference> found;

 private:
  // A message that is there but says nothing differs from none: containerd's ulimits, for one, act on its presence.
  void parts(const Message* left, const Message* right, const MessageFields& fields, const std::string& path) {
    if (!left && !right) return;
    const size_t before = found.size();
    messages(left, right, fields, path);
    if (found.size() == before && !(left && right))
      values(left ? std::optional<std::string>("{}") : std::nullopt,
             right ? std::optional<std::string>("{}") : std::nullopt, false, path);
  }

  void maps(const Message* left, const Message* right, const Field& field, const std::string& path) {
    const auto a = entries(left, field);
    const auto b = entries(right, field);
    std::set<std::string> keys;
    for (const auto& [key, entry] : a) keys.insert(key);
    for (const auto& [key, entry] : b) keys.insert(key);
    for (const std::string& key : keys) {
      std::string here = path;
      append_key(key, here);
      const Message* from = a.contains(key) ? a.at(key) : nullptr;
      const Message* to = b.contains(key) ? b.at(key) : nullptr;
      if (field.message) {
        const auto value = [&](const Message* entry) {
          return entry ? &entry->GetReflection()->GetMessage(*entry, field.map_value) : nullptr;
        };
        parts(value(from), value(to), *field.message, here);
      } else {
        const auto value = [&](const Message* entry) {
          return entry ? std::optional(scalar_json(*entry, *field.map_value)) : std::nullopt;
        };
        values(value(from), value(to), field.secret, here);
      }
    }
  }

  static std::map<std::string, const Message*> entries(const Message* message, const Field& field) {
    std::map<std::string, const Message*> out;
    if (!message) return out;
    const Reflection* reflection = message->GetReflection();
    for (int i = 0; i < reflection->FieldSize(*message, field.descriptor); ++i) {
      const Message& entry = reflection->GetRepeatedMessage(*message, field.descriptor, i);
      out[entry.GetReflection()->GetString(entry, field.descriptor->message_type()->map_key())] = &entry;
    }
    return out;
  }

  static const Message* part(const Message* message, const Field& field) {
    if (!message || !message->GetReflection()->HasField(*message, field.descriptor)) return nullptr;
    return &message->GetReflection()->GetMessage(*message, field.descriptor);
  }

  static std::optional<std::string> text(const Message* message, const FieldDescriptor& field) {
    if (!message) return std::nullopt;
    const Reflection* reflection = message->GetReflection();
    if (!field.is_repeated())
      return reflection->HasField(*message, &field) ? std::optional(scalar_json(*message, field)) : std::nullopt;
    if (reflection->FieldSize(*message, &field) == 0) return std::nullopt;
    std::string out = "[";
    for (int i = 0; i < reflection->FieldSize(*message, &field); ++i)
      out += (i ? ", " : "") + json_string(reflection->GetRepeatedString(*message, &field, i));
    return out + "]";
  }

  void values(std::optional<std::string> left, std::optional<std::string> right, bool secret, const std::string& path) {
    if (left == right) return;
    for (auto* value : {&left, &right})
      if (*value) *value = secret ? kSecret : without_url_credentials(**value, kSecret);
    // Below a map the way ends at the map: what it holds is taken over as a whole.
    const auto map = std::find_if(way_.begin(), way_.end(), [](const Field* field) { return field->map_value; });
    std::vector<const Field*> way(way_.begin(), map == way_.end() ? map : map + 1);
    found.push_back({path, std::move(left), std::move(right), doc_of_path(path), std::move(way)});
  }

  std::vector<const Field*> way_;  // to the field being compared
};

}  // namespace

std::vector<Difference> diff(const Loaded& left, const Loaded& right) {
  Comparison comparison;
  comparison.messages(&left.config, &right.config, configuration_fields(), "$");
  comparison.unknown(left.unknown, right.unknown);
  return std::move(comparison.found);
}

std::vector<Difference> diff(const Configuration& left, const Configuration& right) {
  Comparison comparison;
  comparison.messages(&left, &right, configuration_fields(), "$");
  return std::move(comparison.found);
}

Configuration taken_over(const Configuration& left, const Configuration& right, const Difference& difference) {
  Configuration out = left;
  Message* to = &out;
  const Message* from = &right;
  for (size_t i = 0; i < difference.way.size(); ++i) {
    const FieldDescriptor* field = difference.way[i]->descriptor;
    const bool last = i + 1 == difference.way.size();
    if (last || !from->GetReflection()->HasField(*from, field)) {
      const std::unique_ptr<Message> source(from->New());
      source->CopyFrom(*from);
      to->GetReflection()->SwapFields(to, source.get(), {field});
      break;
    }
    to = to->GetReflection()->MutableMessage(to, field);
    from = &from->GetReflection()->GetMessage(*from, field);
  }
  return out;
}

}  // namespace sunup::contract
