// Writes TOML, tables in the order they are opened. Keys and strings are quoted and escaped, so the file is well-formed
// for any config. The caller must open each table only once.
//
//   TomlWriter toml;
//   toml.number("version", 2);
//   toml.table({"plugins", "io.containerd.grpc.v1.cri"});
//   toml.text("sandbox_image", "mcr.microsoft.com/pause:3.10");
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace sunup::render {

class TomlWriter {
 public:
  using Path = std::initializer_list<std::string_view>;

  TomlWriter() { out_.reserve(2048); }

  void table(Path path);
  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, int64_t value);
  void boolean(std::string_view key, bool value);
  void list(std::string_view key, std::initializer_list<std::string_view> items);

  std::string take() && { return std::move(out_); }

 private:
  void append_key(std::string_view key);
  void append_string(std::string_view value);
  void append_escape(char c);
  void begin(std::string_view key);

  std::string out_;
};

}  // namespace sunup::render
