// Protobuf's wire format, as far as the contract needs it: the loader writes a config in it, from which the messages
// are parsed, and MessageView reads the fields of a message from it. Neither needs protobuf's descriptors.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sunup::contract {

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// A map is a list of messages with these two fields.
inline constexpr int kMapKey = 1;
inline constexpr int kMapValue = 2;

class WireWriter {
 public:
  void varint(int number, uint64_t value);
  void fixed64(int number, uint64_t value);
  void bytes(int number, std::string_view value);

  // A message, or an entry of a map: everything written until `close` is called with the result of `open` is part of
  // it.
  size_t open(int number);
  void close(size_t start);

  const std::string& written() const { return out_; }

 private:
  void tag(int number, unsigned type);
  void raw(uint64_t value);

  std::string out_;
};

struct WireField {
  int number = 0;
  uint64_t bits = 0;       // of a number of any kind
  std::string_view bytes;  // of a string or a message
};

// Finding a field skips all fields before it, so this is short and inline.
class WireReader {
 public:
  explicit WireReader(std::string_view wire) : at_(wire.data()), end_(wire.data() + wire.size()) {}

  // False: the end, or unreadable data.
  bool next(WireField& field) {
    uint64_t tag = 0;
    if (!varint(tag)) return false;
    field.number = static_cast<int>(tag >> 3);
    const auto type = static_cast<WireType>(tag & 7);
    if (type == kVarint) return varint(field.bits);
    uint64_t size = type == kFixed64 ? 8 : 4;
    if (type == kBytes ? !varint(size) : type != kFixed64 && type != kFixed32) return false;
    if (size > static_cast<size_t>(end_ - at_)) return false;
    field.bytes = {at_, static_cast<size_t>(size)};
    at_ += size;
    if (type == kFixed64) std::memcpy(&field.bits, field.bytes.data(), sizeof field.bits);
    return true;
  }

 private:
  bool varint(uint64_t& value) {
    if (at_ == end_ || static_cast<unsigned char>(*at_) >= 0x80) return long_varint(value);
    value = static_cast<unsigned char>(*at_++);
    return true;
  }
  bool long_varint(uint64_t& value);

  const char* at_;
  const char* end_;
};

}  // namespace sunup::contract
