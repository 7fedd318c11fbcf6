#include "report/fitting.h"

#include "base/utf8.h"

namespace sunup::report {

std::string fitting(std::string_view text, size_t room) {
  constexpr std::string_view kCut = "...";
  if (text.size() <= room) return std::string(text);
  const std::string_view start = utf8_start(text, room < kCut.size() ? 0 : room - kCut.size());
  return std::string(start).append(kCut.substr(0, room));
}

}  // namespace sunup::report
