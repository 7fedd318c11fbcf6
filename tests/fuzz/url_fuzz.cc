// Any text can be split as a URL: its parts are in the text, an accepted URL can be sent, and errors and displayed URLs
// contain no credentials.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/url.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto parts = split_url(text)) {
    const std::string whole = std::string(parts->scheme) + (parts->scheme.empty() ? "" : "://") +
                              std::string(parts->user) + std::string(parts->authority) + std::string(parts->target);
    require(whole.size() <= size && size <= whole.size() + 4, "all of the text is in a part, but '://' and '@'");
    require(parts->authority.find(parts->host) != std::string_view::npos, "the host is in the authority");
  }
  const auto url = parse_http_url(text);
  if (url) {
    require(!url->host.empty() && url->port != 0, "a request has a host and a port");
    require(url->target.starts_with('/'), "a request has a target");
    require(url->host_header().find_first_of(" \r\n") == std::string::npos, "a header stays one line");
    require(host_of(text) == url->host, "the host of a URL is its host");
  }
  require(percent_decoded(text).size() <= size && query_decoded(text).size() <= size, "decoding does not lengthen");
  require(shown_url(text).size() <= size, "what is shown is a part of the URL");
  size_t from = 0;
  for (const std::string_view credential : url_credentials(text)) {
    const auto at = static_cast<size_t>(credential.data() - text.data());
    require(at >= from && at + credential.size() <= size, "credentials are in the text, in order");
    from = at + credential.size();
  }
  const std::string planted = "https://user:hunter2hunter2@host:x/?" + std::string(text);
  require(shown_url(planted) == "https://host:x/", "what is shown holds no credentials");
  const auto refused = parse_http_url(planted);
  require(!refused && refused.error().what.find("hunter2") == std::string::npos, "an error holds no credentials");
  return 0;
}
