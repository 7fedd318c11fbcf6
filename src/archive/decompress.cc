#include "archive/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

namespace sunup::archive {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kXz =
    "\xfd"
    "7zXZ\0"sv;
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
constexpr size_t kPiece = 1 << 18;
constexpr uint64_t kXzMemory = uint64_t{256} << 20;  // the dictionary of `xz -9` takes 65 MiB

Error damaged() {
  return Error("the archive is damaged or truncated");
}
Error no_memory() {
  return Error("not enough memory to unpack an archive");
}

Result<void> gunzip(std::string_view bytes, const Sink& out) {
  z_stream stream{};
  constexpr int kWithGzipHeader = 15 + 16;
  if (inflateInit2(&stream, kWithGzipHeader) != Z_OK) return no_memory();
  const auto end = [](z_stream* s) { inflateEnd(s); };
  const std::unique_ptr<z_stream, decltype(end)> owner(&stream, end);
  std::string piece(kPiece, '\0');
  int status = Z_OK;
  // zlib counts in 32 bits. Several gzip streams in a row are one file.
  while (true) {
    if (stream.avail_in == 0) {
      const size_t take = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(take);
      bytes.remove_prefix(take);
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) return damaged();
    if (auto taken = out(std::string_view(piece).substr(0, piece.size() - stream.avail_out)); !taken) return taken;
    const bool all_read = stream.avail_in == 0 && bytes.empty();
    if (status == Z_STREAM_END && all_read) return {};
    if (status == Z_STREAM_END && inflateReset(&stream) != Z_OK) return damaged();
    if (status == Z_OK && all_read && stream.avail_out != 0) return damaged();
  }
}

Result<void> unxz(std::string_view bytes, const Sink& out) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kXzMemory, LZMA_CONCATENATED) != LZMA_OK) return no_memory();
  const auto end = [](lzma_stream* s) { lzma_end(s); };
  const std::unique_ptr<lzma_stream, decltype(end)> owner(&stream, end);
  stream.next_in = reinterpret_cast<const uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  std::string piece(kPiece, '\0');
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK) {
    stream.next_out = reinterpret_cast<uint8_t*>(piece.data());
    stream.avail_out = piece.size();
    status = lzma_code(&stream, LZMA_FINISH);
    if (status != LZMA_OK && status != LZMA_STREAM_END) return damaged();
    if (auto taken = out(std::string_view(piece).substr(0, piece.size() - stream.avail_out)); !taken) return taken;
  }
  return {};
}

Result<void> unzstd(std::string_view bytes, const Sink& out) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream) return no_memory();
  std::string piece(kPiece, '\0');
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  size_t left = 1;  // of the frame; 0 if it is complete
  while (in.pos < in.size || left != 0) {
    ZSTD_outBuffer to = {piece.data(), piece.size(), 0};
    const size_t before = in.pos;
    left = ZSTD_decompressStream(stream.get(), &to, &in);
    if (ZSTD_isError(left) || (left != 0 && in.pos == before && to.pos == 0)) return damaged();
    if (auto taken = out(std::string_view(piece).substr(0, to.pos)); !taken) return taken;
  }
  return {};
}

}  // namespace

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with(kGzip) || bytes.starts_with(kXz) || bytes.starts_with(kZstd);
}

bool has_own_checksum(std::string_view bytes) {
  constexpr char kChecksum = 4;  // in the byte that follows zstd's magic
  if (!bytes.starts_with(kZstd) || bytes.size() <= kZstd.size() || (bytes[kZstd.size()] & kChecksum) == 0) return false;
  return ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()) == bytes.size();
}

Result<void> decompress(std::string_view bytes, const Sink& out) {
  if (bytes.starts_with(kGzip)) return gunzip(bytes, out);
  if (bytes.starts_with(kXz)) return unxz(bytes, out);
  if (bytes.starts_with(kZstd)) return unzstd(bytes, out);
  return out(bytes);
}

}  // namespace sunup::archive
