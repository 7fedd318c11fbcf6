#include "plan/program_file.h"

#include <optional>
#include <string_view>

#include "base/text.h"

namespace sunup::plan {
namespace {

constexpr size_t kHeader = 64;          // of an ELF file of 64 bits
constexpr size_t kSectionHeader = 64;   // of one section
constexpr size_t kMostSections = 1024;  // Go programs have about 40
constexpr size_t kLongestNames = 64 << 10;
constexpr size_t kLongestBuild = 1 << 20;
constexpr std::string_view kBuildMagic = "\xff Go buildinf:";

// A number of 2, 4 or 8 bytes, the lowest first; 0 behind the end of the text.
uint64_t number(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct Section {
  uint64_t name = 0;  // its offset in the section of names
  uint64_t from = 0;
  uint64_t size = 0;
};

Section section_at(std::string_view table, uint64_t index) {
  const size_t at = index * kSectionHeader;
  return {.name = number(table, at, 4), .from = number(table, at + 24, 8), .size = number(table, at + 32, 8)};
}

// The content of the section of this name, at most `most` bytes; empty: there is none.
std::string section_named(const ReadPart& read, std::string_view wanted, size_t most) {
  constexpr std::string_view k64BitsLowestFirst = "\177ELF\2\1";
  const std::string header = read(0, kHeader);
  const uint64_t count = number(header, 60, 2);
  if (!header.starts_with(k64BitsLowestFirst) || count > kMostSections || number(header, 58, 2) != kSectionHeader)
    return "";
  const std::string table = read(number(header, 40, 8), count * kSectionHeader);
  const Section of_names = section_at(table, number(header, 62, 2));
  if (of_names.size > kLongestNames) return "";
  const std::string names = read(of_names.from, of_names.size);
  for (uint64_t i = 0; i < count; ++i) {
    const Section section = section_at(table, i);
    if (section.name >= names.size()) continue;
    std::string_view name = std::string_view(names).substr(section.name);
    if (take_until(name, '\0') != wanted) continue;
    return read(section.from, section.size < most ? section.size : most);
  }
  return "";
}

// A text after its length, of which each byte has seven bits. Removes both from the front.
std::optional<std::string_view> take_text(std::string_view& bytes) {
  uint64_t length = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    if (bytes.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    length |= uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) != 0) continue;
    if (length > bytes.size()) return std::nullopt;
    const std::string_view text = bytes.substr(0, length);
    bytes.remove_prefix(length);
    return text;
  }
  return std::nullopt;
}

}  // namespace

std::string architecture_of(const ReadPart& read) {
  constexpr uint64_t kX86 = 0x3e;
  constexpr uint64_t kArm = 0xb7;
  const std::string head = read(0, 20);
  if (!head.starts_with("\177ELF")) return "";
  const uint64_t machine = number(head, 18, 2);
  return machine == kX86 ? "amd64" : machine == kArm ? "arm64" : "";
}

// Since Go 1.18 the section begins with 32 bytes, of which the 16th has the flag "texts follow". The texts are the
// version of Go and the modules, which stand between marks of 16 bytes: "path\t...\nmod\tMODULE\tVERSION\t\ndep\t...".
std::string go_module_of(const ReadPart& read) {
  const std::string section = section_named(read, ".go.buildinfo", kLongestBuild);
  constexpr size_t kFlags = 15;
  constexpr size_t kTexts = 32;
  if (!section.starts_with(kBuildMagic) || section.size() < kTexts || (section[kFlags] & 2) == 0) return "";
  std::string_view rest = std::string_view(section).substr(kTexts);
  if (!take_text(rest)) return "";
  const auto modules = take_text(rest);
  if (!modules) return "";
  for (const std::string_view line : split(*modules, '\n')) {
    const auto fields = split(line, '\t');
    if (fields.size() > 1 && fields[0] == "mod") return std::string(fields[1]);
  }
  return "";
}

}  // namespace sunup::plan
