// Any bytes can be decompressed or are refused; a sink that has enough stops a stream of any length.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "archive/decompress.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  using namespace sunup::archive;
  constexpr size_t kEnough = 1 << 20;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  size_t total = 0;
  bool stopped = false;
  std::string plain;
  const auto done = decompress(bytes, [&](std::string_view piece) -> Result<void> {
    require(!stopped, "a sink that failed gets nothing more");
    total += piece.size();
    if (plain.size() < size) plain += piece.substr(0, size - plain.size());
    stopped = total > kEnough;
    return stopped ? Result<void>(Error("enough")) : Result<void>();
  });
  require(!stopped || (!done && done.error().what.find("enough") != std::string::npos), "the sink's error is reported");
  if (!is_compressed(bytes)) require(stopped || (done.ok() && plain == bytes), "other data is passed through");
  return 0;
}
