// Reads an input that was named on the command line: a file, a pipe, or "-" for standard input.
//
//   auto text = read_input(path);
//   if (!text) complain(text.error());      // "pools/: Is a directory"
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace sunup::contract {

// How long the writer of a config that is a pipe may take (read_config_file() in load.h), because the caller waits.
// ETIMEDOUT: it took longer.
inline constexpr std::chrono::seconds kConfigPatience(15);

inline constexpr size_t kMaxInputBytes = 256u << 20;

// The bytes, at most `limit`. Standard input can be read only once: a second call returns an error, not an empty text.
// An Error with os_errno set means that the input could not be read.
Result<std::string> read_input(const std::string& path, size_t limit = kMaxInputBytes);

// The name of the input in messages.
std::string input_name(const std::string& path);

}  // namespace sunup::contract
