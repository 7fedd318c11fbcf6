// Any bytes of a connection are requests or are refused, with the same result at once or byte by byte. No limit is
// exceeded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "require.h"
#include "server/request_reader.h"

namespace {

using namespace sunup::server;

// Every request of a connection, one per line. The data after the last one is incomplete or refused: an invalid request
// is noticed at once if it arrives in one piece, otherwise after its header.
std::string conversation(std::string_view bytes, size_t piece) {
  constexpr RequestLimits kLimits{.body = 2048, .header = 1024};
  std::string told, pending;
  while (true) {
    RequestReader reader(kLimits);
    RequestReader::State state = reader.feed(pending);
    while (state == RequestReader::State::kNeedsMore && !bytes.empty()) {
      pending += bytes.substr(0, piece);
      bytes.remove_prefix(std::min(piece, bytes.size()));
      state = reader.feed(pending);
      require(state != RequestReader::State::kNeedsMore || pending.size() <= kLimits.header,
              "what waits for more bytes has a limit");
    }
    if (state == RequestReader::State::kNeedsMore) return told;
    if (state == RequestReader::State::kRefused) {
      require(reader.refusal().status >= 400 && reader.refusal().status <= 505, "a refusal has a status");
      require(!reader.refusal().why.empty(), "a refusal has a reason");
      return told;
    }
    require(reader.has_header(), "a request has a header");
    require(reader.target().find_first_of(" \r\n") == std::string::npos, "a target is one word");
    require(reader.body().size() <= kLimits.body, "a body has a limit");
    require(reader.expected_body() >= reader.body().size(), "a body is not larger than it said");
    require(!reader.field("host").empty() || reader.old() || reader.field("host").data() != nullptr,
            "a request of HTTP/1.1 has a host");
    told.append(reader.method()).append(" ").append(reader.target()).append(" ").append(reader.body());
    told += reader.keep_alive() ? "\n" : " close\n";
    if (!reader.keep_alive()) return told;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string at_once = conversation(bytes, std::max<size_t>(size, 1));
  if (size < 4096) require(conversation(bytes, 1) == at_once, "bytes that come one by one say the same");
  return 0;
}
