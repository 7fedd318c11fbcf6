#include "contract/wire.h"

namespace sunup::contract {
namespace {

// The length of a message is known only at its end, so 28 bits are reserved for it. Smaller lengths are written with
// leading zeros, which every reader accepts.
constexpr size_t kLengthBytes = 4;

}  // namespace

void WireWriter::varint(int number, uint64_t value) {
  tag(number, kVarint);
  raw(value);
}

void WireWriter::fixed64(int number, uint64_t value) {
  tag(number, kFixed64);
  for (int i = 0; i < 8; ++i) out_ += static_cast<char>(value >> (8 * i));
}

void WireWriter::bytes(int number, std::string_view value) {
  tag(number, kBytes);
  raw(value.size());
  out_ += value;
}

size_t WireWriter::open(int number) {
  tag(number, kBytes);
  out_.append(kLengthBytes, '\0');
  return out_.size();
}

void WireWriter::close(size_t start) {
  const size_t length = out_.size() - start;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    const bool last = i + 1 == kLengthBytes;
    out_[start - kLengthBytes + i] = static_cast<char>((length >> (7 * i) & 0x7f) | (last ? 0 : 0x80));
  }
}

void WireWriter::tag(int number, unsigned type) {
  raw(static_cast<uint64_t>(number) << 3 | type);
}

void WireWriter::raw(uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
  out_ += static_cast<char>(value);
}

bool WireReader::long_varint(uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace sunup::contract
