#include "report/boot_times.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <span>

#include "base/text.h"

namespace sunup::report {
namespace {

struct Label {
  std::string_view key;
  std::string_view label;
};
constexpr Label kLabels[] = {
    {"KernelStartTime", "kernel started"},
    {"CloudInitLocalStartTime", "cloud-init-local started"},
    {"NetworkdStartTime", "networkd started"},
    {"CloudInitStartTime", "cloud-init started"},
    {"GuestAgentStartTime", "guest agent started"},
    {"CloudFinalStartTime", "cloud-final started"},
    {"CSEStartTime", "provisioning started"},
    {"KubeletStartTime", "kubelet started"},
    {"KubeletReadyTime", "node ready"},
};

constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Days since 1970; no value for a date that does not exist.
std::optional<int64_t> days_of(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count();
}

std::optional<double> seconds_of_day(std::string_view clock) {
  if (clock.size() < 8 || clock[2] != ':' || clock[5] != ':') return std::nullopt;
  const auto hour = number(clock.substr(0, 2));
  const auto minute = number(clock.substr(3, 2));
  const auto second = number(clock.substr(6, 2));
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  double fraction = 0;
  if (clock.size() > 8) {
    if (clock[8] != '.' || clock.size() == 9) return std::nullopt;
    double scale = 0.1;
    for (const char c : clock.substr(9)) {
      if (!is_digit(c)) return std::nullopt;
      fraction += (c - '0') * scale;
      scale /= 10;
    }
  }
  return *hour * 3600 + *minute * 60 + *second + fraction;
}

std::optional<int64_t> days_of_date(std::string_view date) {
  if (date.size() != 10 || date[4] != '-' || date[7] != '-') return std::nullopt;
  const auto year = number(date.substr(0, 4));
  const auto month = number(date.substr(5, 2));
  const auto day = number(date.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  return days_of(*year, *month, *day);
}

std::optional<double> join(std::optional<int64_t> days, std::optional<double> seconds) {
  if (!days || !seconds) return std::nullopt;
  return static_cast<double>(*days) * 86400 + *seconds;
}

bool is_utc(std::string_view zone) {
  return zone == "UTC" || zone == "GMT" || zone == "Z";
}

// "2024-11-12T17:23:33.1Z", also with "+00:00" or another offset.
std::optional<double> rfc3339(std::string_view text) {
  if (text.size() < 20 || (text[10] != 'T' && text[10] != 't')) return std::nullopt;
  const size_t zone = text.find_first_of("Zz+-", 11);
  if (zone == std::string_view::npos) return std::nullopt;
  const auto seconds = join(days_of_date(text.substr(0, 10)), seconds_of_day(text.substr(11, zone - 11)));
  const std::string_view offset = text.substr(zone);
  if (!seconds || offset == "Z" || offset == "z") return seconds;
  if (offset.size() != 6 || offset[3] != ':') return std::nullopt;
  const auto hours = number(offset.substr(1, 2));
  const auto minutes = number(offset.substr(4, 2));
  if (!hours || !minutes) return std::nullopt;
  const int shift = *hours * 3600 + *minutes * 60;
  return offset[0] == '+' ? *seconds - shift : *seconds + shift;
}

// "Nov 12 17:24:06 UTC 2024", the default of date(1).
std::optional<double> date_output(std::span<const std::string_view> parts) {
  if (parts.size() != 5 || !is_utc(parts[3])) return std::nullopt;
  const auto* month = std::ranges::find(kMonths, parts[0]);
  const auto day = number(parts[1]);
  const auto year = number(parts[4]);
  if (month == std::end(kMonths) || !day || !year) return std::nullopt;
  const int month_number = static_cast<int>(month - std::begin(kMonths)) + 1;
  return join(days_of(*year, month_number, *day), seconds_of_day(parts[2]));
}

}  // namespace

std::optional<double> parse_boot_time(std::string_view text) {
  const auto parts = words(text);
  if (parts.size() == 1) return rfc3339(parts[0]);
  if (parts.size() == 2) return join(days_of_date(parts[0]), seconds_of_day(parts[1]));
  if (parts.size() == 3 && is_utc(parts[2])) return join(days_of_date(parts[0]), seconds_of_day(parts[1]));
  if (parts.size() == 4 && is_utc(parts[3])) return join(days_of_date(parts[1]), seconds_of_day(parts[2]));
  if (parts.size() == 6) return date_output(std::span(parts).subspan(1));
  return std::nullopt;
}

std::string_view boot_moment_label(std::string_view key) {
  for (const Label& label : kLabels) {
    if (label.key == key) return label.label;
  }
  return {};
}

void sort_by_time(std::vector<BootMoment>& moments) {
  std::ranges::stable_sort(moments, {}, [](const BootMoment& moment) {
    return moment.seconds.value_or(std::numeric_limits<double>::infinity());
  });
}

}  // namespace sunup::report
