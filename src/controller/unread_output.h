// One of our own streams while there is work to do. What its reader does not take at once is kept and goes out when he
// reads on, so that nobody has to wait for him:
//
//   output.add(piece);                            // never lost for a reader who is at most kMost behind
//   if (output.waiting()) ...                     // call write_some() when the descriptor takes more
//
// A reader who is further behind is waited for, as a pipe would do, as long as he reads at all. What comes while he
// takes nothing for some seconds is left out; a line says how much when he reads on. A reader that has gone costs his
// output and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sunup::controller {

class UnreadOutput {
 public:
  static constexpr size_t kMost = 4u << 20;

  static constexpr int kPatience = 3000;

  // Patience: for how many milliseconds a reader that is that far behind may take nothing.
  explicit UnreadOutput(int fd, int patience = kPatience);

  void add(std::string_view bytes);
  void write_some();  // what the reader takes now
  bool waiting() const { return written_ < kept_.size() || left_out_ > 0; }
  uint64_t unread() const { return kept_.size() - written_ + left_out_; }
  int fd() const { return fd_; }

 private:
  size_t write_now(std::string_view bytes) const;

  const int fd_;
  const size_t piece_;
  const int patience_;
  std::string kept_;
  size_t written_ = 0;     // of it: it is not moved to the front with every piece
  uint64_t left_out_ = 0;  // after it
};

// Waits until the descriptor takes more. False: it does not, for so many milliseconds (below 0: ever), or until we are
// asked to stop.
bool takes_more(int fd, int milliseconds);

// How much goes out in one call: a pipe that is ready takes PIPE_BUF without blocking; a file takes a record whole, so
// that those of several processes do not mix.
size_t piece_size(int fd);

// Readable once one of the signals that ask us to stop has come, and from then on: nobody takes the signal away
// (host/watch.h). As long as nobody has blocked them (Watch::termination does) they simply end us, here as anywhere.
int stop_requests();

}  // namespace sunup::controller
