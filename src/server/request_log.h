// Lines for standard error, written by a thread of their own, so that a reader that does not read cannot block the
// server. Lines that do not fit into the buffer are dropped and counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sunup::server {

class RequestLog {
 public:
  // The caller keeps the ownership of the descriptor.
  explicit RequestLog(int descriptor);
  // Flushes the buffered lines, for half a second at most.
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  void write(std::string_view line);  // without the newline
  uint64_t dropped() const;

 private:
  void run();

  static constexpr size_t kMostBytes = 1u << 20;
  const int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  uint64_t dropped_ = 0;
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace sunup::server
