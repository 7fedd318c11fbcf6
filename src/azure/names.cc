#include "azure/names.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"

namespace sunup::azure {
namespace {

constexpr size_t kLongestKey = 16u << 10;

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

// A rejected name may contain any character, so the message contains it only if it is printable.
std::string shown(std::string_view name) {
  const bool printable = std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
  if (name.empty()) return "it is empty";
  if (!printable || name.size() > 300) return "it has " + std::to_string(name.size()) + " bytes";
  return "'" + std::string(name) + "'";
}

}  // namespace

Result<void> check_host_name(std::string_view name) {
  bool good = name.size() <= 253;
  for (const std::string_view label : split(name, '.')) good = good && is_label(label);
  if (good) return {};
  return Error("not a valid host name: " + shown(name));
}

Result<void> check_user_name(std::string_view name) {
  const bool characters = std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; });
  if (!name.empty() && name.size() <= 32 && characters && (is_letter(name[0]) || name[0] == '_') && name != "root")
    return {};
  return Error("not a valid user name: " + shown(name));
}

Result<std::string> public_key_line(std::string_view value) {
  if (value.size() > kLongestKey) return Error("an ssh public key of more than 16 KiB");
  std::string line(trimmed(without_newlines(value)));
  const bool printable =
      std::ranges::all_of(line, [](char c) { return c == '\t' || static_cast<unsigned char>(c) >= ' '; });
  const auto parts = words(line);
  const bool known =
      !parts.empty() && (parts[0].starts_with("ssh-") || parts[0].starts_with("ecdsa-") || parts[0].starts_with("sk-"));
  if (!printable || !known || parts.size() < 2 || !base64_decode(parts[1]))
    return Error("an ssh public key that is not in OpenSSH's form (it has " + std::to_string(value.size()) + " bytes)");
  return line;
}

std::string preprovisioned_type(std::string_view value) {
  const std::string_view word = trimmed(value);
  for (const std::string_view none : {"", "None", "Unknown"})
    if (equal_ignoring_case(word, none)) return "";
  for (const std::string_view known : {"Running", "Savable", "PreprovisionedOSDisk"})
    if (equal_ignoring_case(word, known)) return std::string(known);
  return std::string(word);
}

}  // namespace sunup::azure
