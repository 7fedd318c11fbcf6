// Any bytes are a tar or a cpio archive or are refused, with the same result at once or in pieces. Only requested
// members are kept.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "archive/cpio.h"
#include "archive/tar.h"
#include "require.h"

namespace {

using namespace sunup;
using namespace sunup::archive;

template <class Reader>
Result<Members> read(std::string_view bytes, size_t piece) {
  Reader reader([](std::string_view path) { return path.size() % 2 == 1; });
  for (size_t at = 0; at < bytes.size(); at += piece)
    if (auto fed = reader.feed(bytes.substr(at, piece)); !fed) return fed.error();
  return std::move(reader).finish();
}

template <class Reader>
void judge(std::string_view bytes) {
  const auto whole = read<Reader>(bytes, std::max<size_t>(bytes.size(), 1));
  const auto pieces = read<Reader>(bytes, 7);
  require(whole.ok() == pieces.ok(), "pieces are accepted where the whole is");
  if (!whole) return require(!whole.error().what.empty(), "a refusal has a reason");
  require(*whole == *pieces, "pieces give what the whole gives");
  size_t total = 0;
  for (const auto& [path, content] : *whole) {
    require(path.size() % 2 == 1, "only what was asked for is kept");
    total += content.size();
  }
  require(total <= bytes.size(), "the content comes from the archive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  judge<TarReader>(bytes);
  judge<CpioReader>(bytes);
  return 0;
}
