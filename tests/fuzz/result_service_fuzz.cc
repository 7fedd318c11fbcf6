// Any text can be read as the file with the address for results: what is accepted is an https address without
// credentials, stays the same when it is written and read again, and errors contain no credentials.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/url.h"
#include "render/result_service.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto service = render::parse_result_service(text)) {
    const auto url = parse_http_url(service->url);
    require(url && url->tls && url->credentials.empty(), "it is an https URL without credentials");
    require(!service->url.ends_with('/'), "a path can be appended");
    require(parse_http_url(service->url + "/v1/nodes/n/result").ok(), "with a path it is a URL, too");
    require(service->url.find_first_of(" \r\n?#") == std::string::npos, "it stays one word of a request");
    require(service->ca.size() <= render::kLongestResultServiceCa, "the CA has a limit");
    const auto again = render::parse_result_service(render::to_json(*service));
    require(again && *again == *service, "it is read as it was written");
  }
  const auto made = render::make_result_service("https://user:hunter2hunter2@host/" + std::string(text), "");
  require(!made && made.error().what.find("hunter2") == std::string::npos, "an error holds no credentials");
  return 0;
}
