#include "render/gzip.h"

#include <zlib.h>

#include <cassert>

namespace sunup::render {
namespace {

constexpr int kGzipFormat = 15 + 16;  // the largest window; 16 selects a gzip header

Bytef* input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

}  // namespace

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  // Level 9 and the largest memory: this runs once per VM, and the size of the result matters most.
  [[maybe_unused]] int status =
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipFormat, 9, Z_DEFAULT_STRATEGY);
  assert(status == Z_OK);
  gz_header header{};
  header.os = 255;  // unknown; otherwise zlib writes the system that it was compiled on
  deflateSetHeader(&stream, &header);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  status = deflate(&stream, Z_FINISH);
  assert(status == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Result<std::string> gunzip(std::string_view bytes, size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipFormat) != Z_OK) return Error("cannot initialize zlib");
  std::string out;
  stream.next_in = input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  int status = Z_OK;
  while (status == Z_OK && out.size() <= limit) {
    char chunk[16384];
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk, sizeof chunk - stream.avail_out);
    // Consecutive members form one file.
    const std::string_view rest = bytes.substr(bytes.size() - stream.avail_in);
    if (status == Z_STREAM_END && is_gzip(rest)) status = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (out.size() > limit) return Error("gzip data unpacks to more than " + std::to_string(limit) + " bytes");
  if (status != Z_STREAM_END) return Error("gzip data is damaged or truncated");
  return out;
}

}  // namespace sunup::render
