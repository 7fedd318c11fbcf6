#include "report/wall_time.h"

#include <cstdlib>
#include <ctime>

namespace sunup::report {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct LocalTime {
  std::tm parts = {};
  int64_t nanoseconds = 0;
};

LocalTime local(WallTime time) {
  LocalTime out;
  time_t seconds = static_cast<time_t>(time / kSecond);
  out.nanoseconds = time % kSecond;
  if (out.nanoseconds < 0) {
    out.nanoseconds += kSecond;
    --seconds;
  }
  localtime_r(&seconds, &out.parts);
  return out;
}

void append_number(std::string& out, int64_t value, int digits) {
  char buffer[20];
  for (int i = digits; i-- > 0; value /= 10) buffer[i] = static_cast<char>('0' + value % 10);
  out.append(buffer, static_cast<size_t>(digits));
}

std::string date_and_time(const std::tm& parts, char between) {
  std::string out;
  append_number(out, parts.tm_year + 1900, 4);
  out += '-';
  append_number(out, parts.tm_mon + 1, 2);
  out += '-';
  append_number(out, parts.tm_mday, 2);
  out += between;
  append_number(out, parts.tm_hour, 2);
  out += ':';
  append_number(out, parts.tm_min, 2);
  out += ':';
  append_number(out, parts.tm_sec, 2);
  return out;
}

std::string formatted(WallTime time, const char* format) {
  if (time == 0) return {};
  const std::tm parts = local(time).parts;
  char text[80];
  return {text, strftime(text, sizeof text, format, &parts)};
}

}  // namespace

std::string log_time(WallTime time) {
  const LocalTime at = local(time);
  std::string out = date_and_time(at.parts, 'T');
  if (at.nanoseconds != 0) {
    out += '.';
    append_number(out, at.nanoseconds, 9);
    out.erase(out.find_last_not_of('0') + 1);
  }
  const long minutes = at.parts.tm_gmtoff / 60;
  if (minutes == 0) return out += 'Z';
  out += minutes < 0 ? '-' : '+';
  append_number(out, std::labs(minutes) / 60, 2);
  out += ':';
  append_number(out, std::labs(minutes) % 60, 2);
  return out;
}

std::string event_time(WallTime time) {
  const LocalTime at = local(time);
  std::string out = date_and_time(at.parts, ' ');
  out += '.';
  append_number(out, at.nanoseconds / 1'000'000, 3);
  return out;
}

std::string systemd_time(WallTime time) {
  return formatted(time, "%a %Y-%m-%d %H:%M:%S %Z");
}

std::string date_time(WallTime time) {
  return formatted(time, "%a %b %e %H:%M:%S %Z %Y");
}

}  // namespace sunup::report
