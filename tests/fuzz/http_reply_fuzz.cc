// Any bytes of a connection are a response or are refused, with the same result at once or byte by byte. No limit is
// exceeded.

#include "base/http_reply_reader.h"
#include "require.h"

namespace {

using sunup::HttpReplyHead;
using sunup::HttpReplyReader;
using sunup::Result;

constexpr size_t kMostBody = 2048;

std::string told(std::string_view bytes, size_t piece) {
  std::string body, pending;
  HttpReplyReader reader(kMostBody, [&](const HttpReplyHead& head, std::string_view part) {
    require(head.status >= 100 && head.status <= 999, "a status precedes a body");
    body += part;
    return Result<void>();
  });
  Result<void> read;
  while (!bytes.empty() && read && !reader.is_done()) {
    pending += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    read = reader.feed(pending);
    require(!read || reader.is_done() || pending.size() <= (size_t{64} << 10) + piece,
            "what waits for more has a limit");
  }
  if (read && !reader.is_done()) read = reader.closed();
  require(!reader.is_refused(), "a body that is taken is not refused");
  require(body.size() <= kMostBody, "a body has a limit");
  if (!read) {
    require(!read.error().what.empty(), "a refusal has a reason");
    return "refused";
  }
  require(reader.is_done() && reader.has_head(), "what is read is complete");
  for (const auto& [name, value] : reader.head().fields)
    require(value.find('\n') == std::string::npos, "a field is one line");
  return std::to_string(reader.head().status) + (reader.head().keep_alive ? " " : " close ") + body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string at_once = told(bytes, std::max<size_t>(size, 1));
  if (size < 4096) require(told(bytes, 1) == at_once, "bytes that come one by one say the same");
  return 0;
}
