#include "azure/forms.h"

#include <map>
#include <optional>

#include "base/base64.h"
#include "base/text.h"

namespace sunup::azure {
namespace {

constexpr size_t kMostParts = 64;

std::string_view take_line(std::string_view& text) {
  std::string_view line = take_until(text, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

using Headers = std::map<std::string, std::string, std::less<>>;

// Removes the headers and the empty line after them from the front. No value if the text does not start with headers.
std::optional<Headers> take_headers(std::string_view& text) {
  Headers headers;
  std::string last;
  while (true) {
    if (text.empty()) return std::nullopt;  // no empty line: the message ends within its headers
    const std::string_view line = take_line(text);
    if (line.empty()) return headers;
    if ((line[0] == ' ' || line[0] == '\t') && !last.empty()) {
      headers[last] += " " + std::string(trimmed(line));
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    last = lowered(trimmed(line.substr(0, colon)));
    headers[last] = std::string(trimmed(line.substr(colon + 1)));
  }
}

std::string of(const Headers& headers, std::string_view name) {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

// boundary="x y" or boundary=xy
std::string boundary_of(std::string_view content_type) {
  for (std::string_view parameter : split(content_type, ';')) {
    parameter = trimmed(parameter);
    const size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !equal_ignoring_case(trimmed(parameter.substr(0, equals)), "boundary"))
      continue;
    std::string_view value = trimmed(parameter.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return "";
}

std::string from_quoted_printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') {
      out += text[i];
    } else if (text.substr(i).starts_with("=\r\n")) {
      i += 2;
    } else if (text.substr(i).starts_with("=\n")) {
      i += 1;
    } else if (i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Result<MimePart> part_of(const Headers& headers, std::string_view body) {
  MimePart part;
  const std::string type = of(headers, "content-type");
  part.type = lowered(trimmed(split(type, ';')[0]));
  if (part.type.empty()) part.type = "text/plain";
  const std::string encoding = lowered(of(headers, "content-transfer-encoding"));
  if (encoding == "base64") {
    auto decoded = base64_decode(trimmed(body));
    if (!decoded) return Error("a MIME part whose base64 is cut or damaged");
    part.body = *std::move(decoded);
  } else if (encoding == "quoted-printable") {
    part.body = from_quoted_printable(body);
  } else if (encoding.empty() || encoding == "7bit" || encoding == "8bit" || encoding == "binary") {
    part.body = std::string(body);
  } else {
    return Error("a MIME part in an unknown transfer encoding");
  }
  return part;
}

// The text between two delimiter lines, without the line end before the second one.
struct Section {
  std::string_view text;
  bool last = false;
};

std::optional<Section> take_section(std::string_view& rest, std::string_view delimiter) {
  const std::string_view from = rest;
  while (!rest.empty()) {
    const size_t at = from.size() - rest.size();
    const std::string_view line = take_line(rest);
    if (!line.starts_with(delimiter)) continue;
    const std::string_view behind = trimmed(line.substr(delimiter.size()));
    if (!behind.empty() && behind != "--") continue;
    std::string_view text = from.substr(0, at);
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return Section{text, behind == "--"};
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<MimePart>> mime_parts(std::string_view message) {
  std::string_view rest = message;
  const auto headers = take_headers(rest);
  if (!headers) return Error("MIME headers that are cut or damaged");
  const std::string content_type = of(*headers, "content-type");
  std::vector<MimePart> parts;
  if (!lowered(content_type).starts_with("multipart/")) {
    auto part = part_of(*headers, rest);
    if (!part) return std::move(part).error();
    parts.push_back(*std::move(part));
    return parts;
  }
  const std::string boundary = boundary_of(content_type);
  if (boundary.empty() || boundary.size() > 70) return Error("a MIME message without a usable boundary");
  const std::string delimiter = "--" + boundary;
  auto section = take_section(rest, delimiter);  // the text before the first part has no meaning
  while (section && !section->last) {
    section = take_section(rest, delimiter);
    if (!section) break;
    if (parts.size() >= kMostParts) return Error("more than 64 MIME parts");
    std::string_view body = section->text;
    // A part without headers begins with the empty line that ends them.
    std::string with_end;
    auto part_headers = take_headers(body);
    if (!part_headers) {
      with_end = std::string(section->text) + "\n\n";
      body = with_end;
      part_headers = take_headers(body);
      body = {};
    }
    if (!part_headers) return Error("a MIME part whose headers are damaged");
    auto part = part_of(*part_headers, body);
    if (!part) return std::move(part).error();
    parts.push_back(*std::move(part));
  }
  if (!section) return Error("a MIME message without its end: it is cut");
  return parts;
}

}  // namespace sunup::azure
