// Incremental reader of tar archives that keeps only the requested members, or passes their content on and keeps none.
//
//   TarReader tar([](std::string_view path) { return path == "usr/bin/kubelet"; });
//   if (auto fed = tar.feed(piece); !fed) return fed.error();
//   Result<Members> members = std::move(tar).finish();
#pragma once

#include <string>
#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

// Whether these may be the first bytes of a tar.
bool is_tar(std::string_view bytes);

class TarReader {
 public:
  explicit TarReader(Wanted wanted, Sink to = {}) : wanted_(std::move(wanted)), to_(std::move(to)) {}

  Result<void> feed(std::string_view bytes);
  Result<Members> finish() &&;

 private:
  std::string_view field(size_t at, size_t length) const;
  Result<uint64_t> octal(size_t at, size_t length) const;
  Result<void> read_header();
  void end_of_member();

  Wanted wanted_;
  Sink to_;               // gets the content of the requested members, whose texts are then empty
  bool on_ = false;       // the member is one of them
  bool several_ = false;  // there was more than one
  Members members_;
  std::string header_;
  std::string* keep_ = nullptr;
  char kind_ = '0';
  std::string next_path_;  // path of the next member if it is too long for its header
  std::string text_;       // content of a member that contains such a path
  uint64_t left_ = 0;      // remaining bytes of the member, with its padding
  uint64_t content_left_ = 0;
};

// The requested files of a complete .tar, compressed or not. If there is a `to`, it gets their content.
Result<Members> read_tar(std::string_view archive, const Wanted& wanted, const Sink& to = {});

}  // namespace sunup::archive
