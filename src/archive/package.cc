#include "archive/package.h"

#include <charconv>
#include <optional>
#include <string>

#include "archive/cpio.h"
#include "archive/decompress.h"
#include "archive/tar.h"
#include "base/digest.h"

namespace sunup::archive {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kArMagic = "!<arch>\n";
constexpr std::string_view kRpmMagic = "\xed\xab\xee\xdb";
constexpr std::string_view kRpmHeaderMagic = "\x8e\xad\xe8\x01";
constexpr size_t kRpmLead = 96;

Error damaged() {
  return Error("the package is damaged or truncated");
}

// The member of a .deb whose name starts with `prefix`.
Result<std::string_view> ar_member(std::string_view package, std::string_view prefix) {
  constexpr size_t kHeader = 60;
  package.remove_prefix(kArMagic.size());
  while (package.size() >= kHeader) {
    const std::string_view header = package.substr(0, kHeader);
    const std::string_view digits = header.substr(48, 10);
    size_t size = 0;
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    package.remove_prefix(kHeader);
    if (wrong != std::errc() || !header.ends_with("`\n") || size > package.size()) return damaged();
    if (header.starts_with(prefix)) return package.substr(0, size);
    package.remove_prefix(std::min(size + size % 2, package.size()));
  }
  return damaged();
}

// "<md5>  <path>" for every file of a .deb. A package without the list is accepted.
std::string checksum_of(std::string_view list, std::string_view path) {
  for (size_t at = 0; at < list.size();) {
    const std::string_view line = list.substr(at, list.find('\n', at) - at);
    if (line.size() > 34 && line.substr(34) == path) return std::string(line.substr(0, 32));
    at += line.size() + 1;
  }
  return "";
}

uint32_t big_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// One of the two headers of an .rpm: an index with sixteen bytes per entry, and the data that it points to.
struct RpmHeader {
  std::string_view index;
  std::string_view store;
  size_t size = 0;  // of the whole header

  std::optional<uint32_t> offset(uint32_t tag) const {
    for (size_t at = 0; at + 16 <= index.size(); at += 16)
      if (big_endian(index, at) == tag) return big_endian(index, at + 8);
    return std::nullopt;
  }
  std::string text(uint32_t tag) const {
    const auto at = offset(tag);
    if (!at || *at >= store.size()) return "";
    const std::string_view rest = store.substr(*at);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  std::optional<uint32_t> number(uint32_t tag) const {
    const auto at = offset(tag);
    if (!at || store.size() < 4 || *at > store.size() - 4) return std::nullopt;
    return big_endian(store, *at);
  }
};

Result<RpmHeader> rpm_header(std::string_view bytes) {
  constexpr size_t kIntro = 16;
  if (bytes.size() < kIntro || !bytes.starts_with(kRpmHeaderMagic)) return damaged();
  const size_t index = size_t{big_endian(bytes, 8)} * 16;
  const size_t store = big_endian(bytes, 12);
  if (index > bytes.size() || store > bytes.size() || kIntro + index + store > bytes.size()) return damaged();
  return RpmHeader{bytes.substr(kIntro, index), bytes.substr(kIntro + index, store), kIntro + index + store};
}

}  // namespace

bool is_deb(std::string_view bytes) {
  return bytes.starts_with(kArMagic);
}
bool is_rpm(std::string_view bytes) {
  return bytes.starts_with(kRpmMagic);
}

Result<Members> read_deb(std::string_view package, const Wanted& wanted, const Sink& to) {
  if (!is_deb(package)) return Error("this is not a .deb");
  const auto data = ar_member(package, "data.tar");
  if (!data) return data.error();
  // Computing a digest of kubelet takes longer than unpacking it, and adds nothing to zstd's own checksum.
  const bool verified = to && has_own_checksum(*data);
  Digest passed_on(Digest::Kind::kMd5);
  const Sink both = [&](std::string_view piece) {
    if (!verified) passed_on.add(piece);
    return to(piece);
  };
  auto members = read_tar(*data, wanted, to ? both : Sink());
  if (!members || verified) return members;
  const auto control = ar_member(package, "control.tar");
  if (!control) return control.error();
  const auto lists = read_tar(*control, [](std::string_view path) { return path == "md5sums"; });
  if (!lists) return lists.error();
  for (const auto& [path, content] : *members) {
    const std::string expected = lists->empty() ? "" : checksum_of(lists->begin()->second, path);
    const std::string actual = expected.empty() ? ""
                               : to             ? passed_on.hex()
                                                : Digest(Digest::Kind::kMd5).add(content).hex();
    if (actual != expected) return Error(path + " does not match the checksum in its package");
  }
  return members;
}

Result<Members> read_rpm(std::string_view package, const Wanted& wanted) {
  constexpr uint32_t kPayloadDigest = 5092;
  constexpr uint32_t kPayloadDigestKind = 5093;
  constexpr uint32_t kSha256 = 8;
  if (!is_rpm(package)) return Error("this is not an .rpm");
  if (package.size() < kRpmLead) return damaged();
  package.remove_prefix(kRpmLead);
  const auto signature = rpm_header(package);
  if (!signature) return signature.error();
  const size_t padded = (signature->size + 7) / 8 * 8;
  if (padded > package.size()) return damaged();
  package.remove_prefix(padded);
  const auto header = rpm_header(package);
  if (!header) return header.error();
  const std::string_view payload = package.substr(header->size);
  const std::string expected = header->text(kPayloadDigest);
  if (!expected.empty() && header->number(kPayloadDigestKind) == kSha256 && sha256_hex(payload) != expected)
    return Error("the package's content does not match the digest in the package");
  CpioReader cpio(wanted);
  auto fed = decompress(payload, [&cpio](std::string_view piece) { return cpio.feed(piece); });
  if (!fed) return std::move(fed).error();
  return std::move(cpio).finish();
}

}  // namespace sunup::archive
