// Reads an input that was named on the command line: a file, a pipe, or "-" for standard input.
//
//   auto text = read_input(path);
//   if (!text) complain(text.error());      // "pools/: Is a directory"
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace sunup {

inline constexpr size_t kMaxInputBytes = 256u << 20;

// The bytes. An Error with os_errno set means that the input could not be read; otherwise it is larger than `limit`.
// Standard input can be read only once: a second call returns an error, not an empty text.
Result<std::string> read_input(const std::string& path, size_t limit = kMaxInputBytes);

// The same for a file or a pipe that the caller waits for. ETIMEDOUT: the writer of the pipe took longer.
Result<std::string> read_input_within(std::chrono::seconds patience, const std::string& path, size_t limit);

// The name of the input in messages.
std::string input_name(const std::string& path);

}  // namespace sunup
