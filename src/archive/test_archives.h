// Archives and packages in the format of the usual tools, built in memory. For tests only.
#pragma once

#include <lzma.h>
#include <openssl/evp.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunup::archive::test_archives {

using Files = std::vector<std::pair<std::string, std::string>>;

inline std::string hex_digest(const EVP_MD* kind, std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, kind, nullptr);
  std::string text;
  for (unsigned i = 0; i < size; ++i)
    for (const int half : {digest[i] >> 4, digest[i] & 15}) text += "0123456789abcdef"[half];
  return text;
}

inline std::string octal(size_t value, size_t width) {
  std::string text(width, '0');
  for (size_t i = width; i-- > 0; value /= 8) text[i] = static_cast<char>('0' + value % 8);
  return text;
}

inline std::string tar_entry(std::string_view path, std::string_view content, char kind) {
  std::string header(512, '\0');
  const auto set = [&header](size_t at, std::string_view text) { header.replace(at, text.size(), text); };
  set(0, path.substr(0, 100));
  set(100, "0000755");
  set(124, octal(content.size(), 11));
  set(148, "        ");
  header[156] = kind;
  set(257, "ustar  ");
  size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  set(148, octal(sum, 6));
  header[154] = '\0';
  std::string entry = header + std::string(content);
  entry.resize((entry.size() + 511) / 512 * 512, '\0');
  return entry;
}

inline std::string tar(const Files& files) {
  std::string all;
  for (const auto& [path, content] : files) {
    if (path.size() > 99) all += tar_entry("././@LongLink", path + '\0', 'L');
    all += tar_entry(path, content, path.ends_with('/') ? '5' : '0');
  }
  return all + std::string(1024, '\0');
}

// Compressed like dpkg-deb does it: with a checksum of the content in the frame.
inline std::string zstd_with_checksum(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  out.resize(ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  return out;
}

inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string xz(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                          reinterpret_cast<uint8_t*>(out.data()), &size, out.size());
  out.resize(size);
  return out;
}

inline std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

inline std::string ar_entry(std::string_view name, std::string_view content) {
  std::string header(60, ' ');
  const std::string size = std::to_string(content.size());
  header.replace(0, name.size(), name);
  header.replace(48, size.size(), size);
  header.replace(58, 2, "`\n");
  return header + std::string(content) + (content.size() % 2 == 1 ? "\n" : "");
}

// A .deb with these files; `data` compresses the archive that contains them. Their checksums are listed as dpkg-deb's
// tools do.
inline std::string deb(const Files& files, std::string (*data)(std::string_view), std::string checksums = {}) {
  Files with_dot;
  for (const auto& [path, content] : files) {
    with_dot.emplace_back("./" + path, content);
    if (checksums.empty() || checksums.back() == '\n') checksums += hex_digest(EVP_md5(), content) + "  " + path + "\n";
  }
  return "!<arch>\n" + ar_entry("debian-binary", "2.0\n") +
         ar_entry("control.tar.gz", gzip(tar({{"./control", "Package: x\n"}, {"./md5sums", checksums}}))) +
         ar_entry("data.tar.xz", data(tar(with_dot)));
}

inline std::string cpio(const Files& files) {
  std::string all;
  const auto add = [&all](std::string_view path, std::string_view content, std::string_view mode) {
    const auto hex = [](size_t value) {
      char text[9];
      std::snprintf(text, sizeof text, "%08zx", value);
      return std::string(text);
    };
    all += "070701" + hex(1) + std::string(mode) + hex(0) + hex(0) + hex(1) + hex(0) + hex(content.size()) + hex(0) +
           hex(0) + hex(0) + hex(0) + hex(path.size() + 1) + hex(0);
    all += std::string(path) + '\0';
    all.resize((all.size() + 3) / 4 * 4, '\0');
    all += content;
    all.resize((all.size() + 3) / 4 * 4, '\0');
  };
  for (const auto& [path, content] : files) add("./" + path, content, "000081ed");
  add("TRAILER!!!", "", "00000000");
  return all;
}

inline std::string big_endian(size_t value) {
  std::string bytes(4, '\0');
  for (size_t i = 4; i-- > 0; value >>= 8) bytes[i] = static_cast<char>(value & 255);
  return bytes;
}

// An .rpm with these files, and the digest of its payload.
inline std::string rpm(const Files& files, std::string (*compress)(std::string_view), std::string digest = {}) {
  using namespace std::string_literals;
  const std::string payload = compress(cpio(files));
  if (digest.empty()) digest = hex_digest(EVP_sha256(), payload);
  const auto header = [](const std::string& index, const std::string& store) {
    return "\x8e\xad\xe8\x01\0\0\0\0"s + big_endian(index.size() / 16) + big_endian(store.size()) + index + store;
  };
  std::string lead(96, '\0');
  lead.replace(0, 4, "\xed\xab\xee\xdb");
  std::string signature = header("", "xyz");
  signature.resize((signature.size() + 7) / 8 * 8, '\0');
  const std::string store = big_endian(8) + digest + '\0';
  const std::string index = big_endian(5092) + big_endian(8) + big_endian(4) + big_endian(1) + big_endian(5093) +
                            big_endian(4) + big_endian(0) + big_endian(1);
  return lead + signature + header(index, store) + payload;
}

inline std::string as_it_is(std::string_view bytes) {
  return std::string(bytes);
}

}  // namespace sunup::archive::test_archives
