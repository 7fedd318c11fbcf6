#include "contract/secrets.h"

#include "base/base64.h"
#include "base/url.h"
#include "contract/message_view.h"

namespace sunup::contract {
namespace {

// Redacting a shorter value would remove large parts of a text.
constexpr size_t kShortestPart = 4;

void add_part(std::string part, const std::string& value, std::vector<Secret>& out) {
  if (part.size() >= kShortestPart && part != value) out.emplace_back(std::move(part));
}

void add_url_credentials(const std::string& value, std::vector<Secret>& out) {
  for (const std::string_view credential : url_credentials(value)) {
    add_part(std::string(credential), value, out);
    if (credential.find('%') != std::string_view::npos) add_part(percent_decoded(credential), value, out);
  }
}

void add(const Field& field, const std::string& value, std::vector<Secret>& out) {
  if (field.secret && !value.empty()) {
    out.emplace_back(value);
    if (auto decoded = base64_decode(value)) add_part(std::move(*decoded), value, out);
  }
  add_url_credentials(value, out);
}

void collect(const MessageView& message, std::vector<Secret>& out) {
  for (const Field& field : message.type().all()) {
    if (field.kind != FieldKind::kString && field.kind != FieldKind::kMessage) continue;
    for (const FieldValue& value : message.values(field)) {
      if (field.message) {
        collect(value.message(), out);
      } else {
        add(field, std::string(value.text()), out);
      }
    }
  }
}

}  // namespace

std::vector<Secret> secrets_of(const Configuration& config) {
  const std::string wire = config.SerializeAsString();
  std::vector<Secret> out;
  collect(MessageView(wire, configuration_fields()), out);
  return out;
}

}  // namespace sunup::contract
