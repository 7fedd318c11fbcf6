// Incremental reader of cpio archives ("newc", the format inside an .rpm) that keeps only the requested members.
#pragma once

#include <string>
#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

class CpioReader {
 public:
  explicit CpioReader(Wanted wanted) : wanted_(std::move(wanted)) {}

  Result<void> feed(std::string_view bytes);
  Result<Members> finish() &&;

 private:
  enum class Part { kHeader, kName, kContent, kEnd };
  Result<void> read_header();
  Result<void> read_name();
  Result<uint64_t> number(size_t index) const;

  Wanted wanted_;
  Members members_;
  Part part_ = Part::kHeader;
  std::string text_;  // the header, or the name with its padding
  size_t wanted_text_ = 110;
  uint64_t mode_ = 0;
  uint64_t name_size_ = 0;
  uint64_t size_ = 0;
  uint64_t left_ = 0;  // remaining bytes of the content, with its padding
  uint64_t content_left_ = 0;
  std::string* keep_ = nullptr;
};

}  // namespace sunup::archive
