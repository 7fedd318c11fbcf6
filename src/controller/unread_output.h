// An output stream of this process during work. Output that the reader does not accept immediately is buffered and
// written when the reader continues, so the process does not wait for the reader:
//
//   output.add(piece);                            // never lost for a reader that is at most kMost behind
//   if (output.waiting()) ...                     // call write_some() when the descriptor accepts more
//
// If the reader is further behind, add() waits, like a pipe, as long as the reader reads at all. If it reads nothing
// for some seconds, further output is dropped, and a line says how much when the reader continues. If the reader no
// longer exists, only its output is lost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sunup::controller {

class UnreadOutput {
 public:
  static constexpr size_t kMost = 4u << 20;

  static constexpr int kPatience = 3000;

  // `patience`: the time in milliseconds for which a reader that is so far behind may read nothing.
  explicit UnreadOutput(int fd, int patience = kPatience);

  void add(std::string_view bytes);
  void write_some();  // writes as much as the reader accepts now
  bool waiting() const { return written_ < kept_.size() || left_out_ > 0; }
  uint64_t unread() const { return kept_.size() - written_ + left_out_; }
  int fd() const { return fd_; }

 private:
  size_t write_now(std::string_view bytes) const;

  const int fd_;
  const size_t piece_;
  const int patience_;
  std::string kept_;
  size_t written_ = 0;     // bytes of it that are written; they are not erased after every write
  uint64_t left_out_ = 0;  // bytes dropped after it
};

// Waits until the descriptor accepts more. False: the time has passed (in milliseconds; below 0: no limit), or the
// process is asked to stop.
bool takes_more(int fd, int milliseconds);

// The size of one write: a pipe that is ready accepts PIPE_BUF without blocking; to a file, a record is written at
// once, so records of several processes do not mix.
size_t piece_size(int fd);

// A descriptor that becomes and stays readable when a signal asks the process to stop, because the signal is never
// consumed (host/watch.h). Unless the signals are blocked (by Watch::termination), they end the process immediately.
int stop_requests();

}  // namespace sunup::controller
