#include "contract/secrets.h"

#include <google/protobuf/message.h>

#include "base/base64.h"
#include "contract/fields.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Shorter than this, taking it out of a text would take out half of the text.
constexpr size_t kShortestPart = 4;

std::string percent_decoded(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// scheme://user:password@host
std::string_view password_of_url(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const size_t at = url.rfind('@');
  const size_t colon = url.find(':');
  return at == std::string_view::npos || colon >= at ? std::string_view() : url.substr(colon + 1, at - colon - 1);
}

void add(const std::string& value, std::vector<Secret>& out) {
  if (value.empty()) return;
  out.emplace_back(value);
  const auto add_part = [&](std::string part) {
    if (part.size() >= kShortestPart && part != value) out.emplace_back(std::move(part));
  };
  if (auto decoded = base64_decode(value)) add_part(std::move(*decoded));
  const std::string_view password = password_of_url(value);
  add_part(std::string(password));
  if (password.find('%') != std::string_view::npos) add_part(percent_decoded(password));
}

void collect(const Message& message, const MessageFields& fields, std::vector<Secret>& out) {
  const auto* reflection = message.GetReflection();
  for (const Field& field : fields.all()) {
    const FieldDescriptor* as = field.descriptor;
    if (as->is_repeated()) {
      for (int i = 0; i < reflection->FieldSize(message, as); ++i) {
        if (field.map_value) {
          const Message& entry = reflection->GetRepeatedMessage(message, as, i);
          if (field.message) collect(entry.GetReflection()->GetMessage(entry, field.map_value), *field.message, out);
          if (field.secret) add(entry.GetReflection()->GetString(entry, field.map_value), out);
        } else if (field.message) {
          collect(reflection->GetRepeatedMessage(message, as, i), *field.message, out);
        } else if (field.secret) {
          add(reflection->GetRepeatedString(message, as, i), out);
        }
      }
    } else if (field.message) {
      if (reflection->HasField(message, as)) collect(reflection->GetMessage(message, as), *field.message, out);
    } else if (field.secret) {
      add(reflection->GetString(message, as), out);
    }
  }
}

}  // namespace

std::vector<Secret> secrets_of(const Configuration& config) {
  std::vector<Secret> out;
  collect(config, configuration_fields(), out);
  return out;
}

}  // namespace sunup::contract
