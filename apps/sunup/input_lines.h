// Reads a file, or standard input ("-"), line by line, as the lines arrive. Every line has a limit, and a read error is
// an error, not the end of the input.
//
//   auto lines = InputLines::open("claims.jsonl");
//   while (true) {
//     auto line = lines->next();                // empty at the end
//   }
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup {

class InputLines {
 public:
  static constexpr size_t kLongest = size_t{16} << 20;

  static Result<InputLines> open(const std::string& path);
  InputLines(InputLines&& other) noexcept;
  InputLines& operator=(InputLines&&) = delete;
  ~InputLines();

  // Without the newline. The text is valid until the next call. The last line may lack a newline.
  Result<std::optional<std::string_view>> next();
  size_t number() const { return number_; }  // of the line that was returned last; the first is 1

 private:
  InputLines(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  int fd_;
  std::string name_;
  std::string buffer_;
  size_t begin_ = 0;  // of the data that has not been returned yet
  bool ended_ = false;
  size_t number_ = 0;
};

}  // namespace sunup
