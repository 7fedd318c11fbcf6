#include "report/kvp.h"

#include <algorithm>

#include "base/utf8.h"

namespace sunup::report {

std::string kvp_record(std::string_view key, std::string_view value) {
  std::string record(kKvpKey + kKvpValue, '\0');
  // The last byte of each stays zero, because readers in C depend on it.
  std::ranges::copy(utf8_start(key, kKvpKey - 1), record.begin());
  std::ranges::copy(utf8_start(value, kKvpValueShown), record.begin() + kKvpKey);
  return record;
}

}  // namespace sunup::report
