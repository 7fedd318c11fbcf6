#include "contract/diff.h"

#include <google/protobuf/message.h>

#include <map>
#include <set>

#include "contract/path.h"
#include "contract/write.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class Comparison {
 public:
  // Either side may be null: not there.
  void messages(const Message* left, const Message* right, const MessageFields& fields, const std::string& path) {
    for (const Field& field : fields.all()) {
      std::string here = path;
      append_name(field.descriptor->name(), here);
      if (field.map_value) {
        maps(left, right, field, here);
      } else if (field.message && !field.descriptor->is_repeated()) {
        parts(part(left, field), part(right, field), *field.message, here);
      } else {
        values(text(left, *field.descriptor), text(right, *field.descriptor), field.secret, here);
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
    if (secret) {
      if (left) left = "(secret)";
      if (right) right = "(secret)";
    }
    found.push_back({path, std::move(left), std::move(right), doc_of_path(path)});
  }
};

}  // namespace

std::vector<Difference> diff(const Configuration& left, const Configuration& right) {
  Comparison comparison;
  comparison.messages(&left, &right, configuration_fields(), "$");
  return std::move(comparison.found);
}

}  // namespace sunup::contract
