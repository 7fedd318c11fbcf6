// The parts of the URLs a fleet deals with: API servers and galleries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::fleet {

struct Url {
  std::string scheme;  // lower case
  std::string host;    // no brackets around an IPv6 address
  uint16_t port = 0;   // the scheme's own when none is written
  std::string path;    // at least "/"

  bool secure() const { return scheme == "https"; }
  std::string host_header() const;  // with the port, where it is not the scheme's own
};

// An absolute http or https URL with a host; nothing else.
std::optional<Url> parse_url(std::string_view text);

// The host of a URL, of "host:port", or the text itself when it is neither.
std::string host_of(std::string_view text);

}  // namespace sunup::fleet
