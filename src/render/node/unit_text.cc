#include "render/node/unit_text.h"

#include <fmt/format.h>

namespace sunup::render::node {

UnitText& UnitText::section(std::string_view name) {
  if (!out_.empty()) out_ += '\n';
  out_.append("[").append(name).append("]\n");
  return *this;
}

UnitText& UnitText::set(std::string_view key, std::string_view value) {
  out_.append(key).append("=").append(value).append("\n");
  return *this;
}

UnitText& UnitText::environment(std::string_view name, std::string_view value) {
  std::string escaped;
  for (const char c : unit_quoted(value)) {
    if (c == '%') escaped += '%';  // a unit file expands specifiers; proxy URLs often contain %40
    escaped += c;
  }
  return set("Environment", fmt::format("\"{}={}\"", name, escaped));
}

std::string unit_quoted(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace sunup::render::node
