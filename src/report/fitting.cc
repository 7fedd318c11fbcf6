#include "report/fitting.h"

namespace sunup::report {

std::string fitting(std::string_view text, size_t room) {
  constexpr std::string_view kCut = "...";
  if (text.size() <= room) return std::string(text);
  size_t end = room < kCut.size() ? 0 : room - kCut.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)).append(kCut.substr(0, room));
}

}  // namespace sunup::report
