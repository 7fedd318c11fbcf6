#include "contract/diff.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "base/url.h"
#include "contract/path.h"
#include "contract/write.h"

namespace sunup::contract {
namespace {

using google::protobuf::Message;

// A message of one of the two configs; empty if it is absent.
using Side = std::optional<MessageView>;

constexpr char kSecret[] = "(secret)";
constexpr char kNotShown[] = "(unknown, not shown)";

class Comparison {
 public:
  void configs(const Configuration& left, const Configuration& right) {
    const std::string a = left.SerializeAsString();
    const std::string b = right.SerializeAsString();
    messages(MessageView(a, configuration_fields()), MessageView(b, configuration_fields()), configuration_fields(),
             "$");
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
      // An unknown value of a known field: the other side has a known value.
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
  void messages(const Side& left, const Side& right, const MessageFields& fields, const std::string& path) {
    for (const Field& field : fields.all()) {
      std::string here = path;
      append_name(field.name, here);
      way_.push_back(&field);
      if (field.is_map()) {
        maps(left, right, field, here);
      } else if (field.message && !field.is_list()) {
        parts(part(left, field), part(right, field), *field.message, here);
      } else {
        values(text(left, field), text(right, field), field.secret, here);
      }
      way_.pop_back();
    }
  }

  // An empty message differs from an absent one: containerd's ulimits, for example, depend on presence.
  void parts(const Side& left, const Side& right, const MessageFields& fields, const std::string& path) {
    if (!left && !right) return;
    const size_t before = found.size();
    messages(left, right, fields, path);
    if (found.size() == before && !(left && right))
      values(left ? std::optional<std::string>("{}") : std::nullopt,
             right ? std::optional<std::string>("{}") : std::nullopt, false, path);
  }

  void maps(const Side& left, const Side& right, const Field& field, const std::string& path) {
    const auto a = entries(left, field);
    const auto b = entries(right, field);
    std::set<std::string_view> keys;
    for (const auto& [key, value] : a) keys.insert(key);
    for (const auto& [key, value] : b) keys.insert(key);
    for (const std::string_view key : keys) {
      std::string here = path;
      append_key(key, here);
      const FieldValue* from = a.contains(key) ? &a.at(key) : nullptr;
      const FieldValue* to = b.contains(key) ? &b.at(key) : nullptr;
      if (field.message) {
        const auto side = [](const FieldValue* value) { return value ? Side(value->message()) : Side(); };
        parts(side(from), side(to), *field.message, here);
      } else {
        const auto json = [](const FieldValue* value) {
          return value ? std::optional(scalar_json(*value)) : std::nullopt;
        };
        values(json(from), json(to), field.secret, here);
      }
    }
  }

  static std::map<std::string_view, FieldValue> entries(const Side& message, const Field& field) {
    if (!message) return {};
    const auto all = message->map(field);
    return {all.begin(), all.end()};
  }

  static Side part(const Side& message, const Field& field) {
    if (!message || !message->has(field)) return std::nullopt;
    return message->get(field).message();
  }

  static std::optional<std::string> text(const Side& message, const Field& field) {
    if (!message || !message->has(field)) return std::nullopt;
    if (!field.is_list()) return scalar_json(message->get(field));
    std::string out;
    for (const FieldValue& item : message->values(field)) out += (out.empty() ? "" : ", ") + scalar_json(item);
    return "[" + out + "]";
  }

  void values(std::optional<std::string> left, std::optional<std::string> right, bool secret, const std::string& path) {
    if (left == right) return;
    for (auto* value : {&left, &right})
      if (*value) *value = secret ? kSecret : without_url_credentials(**value, kSecret);
    // Below a map the way ends at the map, because a map is taken over as a whole.
    const auto map = std::find_if(way_.begin(), way_.end(), [](const Field* field) { return field->is_map(); });
    std::vector<const Field*> way(way_.begin(), map == way_.end() ? map : map + 1);
    found.push_back({path, std::move(left), std::move(right), doc_of_path(path), std::move(way)});
  }

  std::vector<const Field*> way_;  // to the field that is compared
};

// If `from` has no such message, only the one field is removed from `to`, and then the message if it is empty.
void take_over(Message& to, const Message& from, std::span<const Field* const> way) {
  const auto* field = to.GetDescriptor()->FindFieldByNumber(way.front()->number);
  if (way.size() == 1) {
    const std::unique_ptr<Message> source(from.New());
    source->CopyFrom(from);
    to.GetReflection()->SwapFields(&to, source.get(), {field});
    return;
  }
  Message& inner = *to.GetReflection()->MutableMessage(&to, field);
  take_over(inner, from.GetReflection()->GetMessage(from, field), way.subspan(1));
  if (!from.GetReflection()->HasField(from, field) && inner.ByteSizeLong() == 0)
    to.GetReflection()->ClearField(&to, field);
}

}  // namespace

std::vector<Difference> diff(const Loaded& left, const Loaded& right) {
  Comparison comparison;
  comparison.configs(left.config, right.config);
  comparison.unknown(left.unknown, right.unknown);
  return std::move(comparison.found);
}

std::vector<Difference> diff(const Configuration& left, const Configuration& right) {
  Comparison comparison;
  comparison.configs(left, right);
  return std::move(comparison.found);
}

Configuration taken_over(const Configuration& left, const Configuration& right, const Difference& difference) {
  Configuration out = left;
  take_over(out, right, difference.way);
  return out;
}

}  // namespace sunup::contract
