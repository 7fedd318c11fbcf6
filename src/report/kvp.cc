#include "report/kvp.h"

#include <algorithm>

namespace sunup::report {
namespace {

std::string_view start_of(std::string_view text, size_t room) {
  if (text.size() <= room) return text;
  size_t end = room;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

std::string kvp_record(std::string_view key, std::string_view value) {
  std::string record(kKvpKey + kKvpValue, '\0');
  // The last byte of each stays zero, because readers in C depend on it.
  std::ranges::copy(start_of(key, kKvpKey - 1), record.begin());
  std::ranges::copy(start_of(value, kKvpValueShown), record.begin() + kKvpKey);
  return record;
}

}  // namespace sunup::report
