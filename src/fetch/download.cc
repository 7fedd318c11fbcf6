#include "fetch/download.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <memory>

#include "base/base64.h"
#include "base/digest.h"
#include "base/url.h"

namespace sunup::fetch {
namespace {

using namespace std::chrono_literals;
using host::HttpReply;
using host::Task;

constexpr host::Duration kLongestRequest = 60s;
constexpr uint64_t kWorthTelling = uint64_t{8} << 20;

std::string mebibytes(uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A download in progress: the bytes received so far, and what is known about the whole file.
class Progress {
 public:
  Progress(const Outside& outside, const Download& what)
      : outside_(outside), what_(what), part_(what.to + ".part"), name_(what.to.substr(what.to.rfind('/') + 1)) {}

  const std::string& part() const { return part_; }
  uint64_t have() const { return have_; }
  bool local_failure() const { return local_failure_; }  // a failure of this machine, not of the network
  bool can_go_on() const { return !what_.sha256.empty() || !validator_.empty(); }
  const std::string& validator() const { return validator_; }
  void next_answer() { answer_begun_ = false; }

  void take_over(std::string_view part) {
    sha256_.add(part);
    have_ = part.size();
  }

  Result<void> take(const HttpReply& head, std::string_view piece) {
    if (!answer_begun_)
      if (auto begun = begin(head); !begun) return begun;
    if (have_ + piece.size() > what_.at_most) {
      local_failure_ = true;
      return Error(fmt::format("{} is larger than {}", shown_url(what_.url), mebibytes(what_.at_most)));
    }
    if (auto written = outside_.host.files.append(part_, piece, 0644); !written) {
      local_failure_ = true;
      return written;
    }
    sha256_.add(piece);
    md5_.add(piece);
    have_ += piece.size();
    tell();
    return {};
  }

  Result<void> verify() const {
    const auto wrong = [&](std::string text) {
      Error error(fmt::format("{}: {}", shown_url(what_.url), text));
      error.os_errno = EBADMSG;
      return error;
    };
    if (have_ == 0) return wrong("the response is empty");
    if (what_.size && have_ != *what_.size)
      return wrong(fmt::format("received {} bytes instead of {}", have_, *what_.size));
    if (!what_.sha256.empty() && sha256_.hex() != what_.sha256)
      return wrong(fmt::format("the SHA-256 of the received data is {}, not {}", sha256_.hex(), what_.sha256));
    if (!content_md5_.empty() && base64_encode(md5_.bytes()) != content_md5_)
      return wrong("the received data does not match the MD5 from the server");
    return {};
  }

  std::string summary(host::Duration took) const {
    return fmt::format("{}: {} in {:.1f} s{}", name_, mebibytes(have_), std::chrono::duration<double>(took).count(),
                       !what_.sha256.empty()  ? ", SHA-256 verified"
                       : content_md5_.empty() ? ""
                                              : ", MD5 verified");
  }

  void start_over() {
    (void)outside_.host.files.remove(part_);
    sha256_ = Digest(Digest::Kind::kSha256);
    md5_ = Digest(Digest::Kind::kMd5);
    content_md5_.clear();
    have_ = 0;
  }

 private:
  Result<void> begin(const HttpReply& head) {
    answer_begun_ = true;
    if (head.status == 206) {
      const std::string range = head.header("Content-Range");  // "bytes 100-199/200"
      if (!range.starts_with(fmt::format("bytes {}-", have_)))
        return Error(fmt::format("GET {}: the server returned another range than requested", shown_url(what_.url)));
    } else {
      if (have_ > 0) start_over();
      total_ = number(head.header("Content-Length"));
      content_md5_ = head.header("Content-MD5");
      validator_ = head.header("ETag");
      if (!validator_.starts_with('"')) validator_.clear();  // a weak validator does not identify the bytes
      if (total_ >= kWorthTelling) outside_.note(fmt::format("{}: {} to come", name_, mebibytes(total_)));
    }
    return {};
  }

  void tell() {
    if (total_ < kWorthTelling) return;
    const uint64_t quarter = have_ * 4 / total_;
    if (quarter > told_quarter_ && quarter < 4) outside_.note(fmt::format("{}: {} %", name_, quarter * 25));
    told_quarter_ = std::max(told_quarter_, quarter);
  }

  const Outside& outside_;
  const Download& what_;
  const std::string part_;
  const std::string name_;
  Digest sha256_{Digest::Kind::kSha256};
  Digest md5_{Digest::Kind::kMd5};
  uint64_t have_ = 0;
  uint64_t total_ = 0;  // 0: unknown
  uint64_t told_quarter_ = 0;
  std::string content_md5_;
  std::string validator_;
  bool answer_begun_ = false;
  bool local_failure_ = false;
};

// One request for the missing bytes.
Task<Result<void>> get_rest(const Outside& outside, const Download& what, Progress& progress) {
  host::HttpRequest request;
  request.url = what.url;
  request.headers = what.headers;
  request.limit = kLongestRequest;
  request.max_body = what.at_most;
  if (progress.have() > 0) {
    request.headers.emplace_back("Range", fmt::format("bytes={}-", progress.have()));
    if (what.sha256.empty()) request.headers.emplace_back("If-Range", progress.validator());
  }
  request.on_body = [&progress](const HttpReply& head, std::string_view piece) { return progress.take(head, piece); };
  progress.next_answer();
  Result<HttpReply> reply = co_await ask(outside, request);
  if (!reply) co_return std::move(reply).error();
  // The range is empty: the file is already complete, which the digest verifies.
  if (reply->status == 416 && progress.have() > 0) co_return Result<void>();
  if (reply->status != 200 && reply->status != 206) co_return refusal(request.url, reply->status);
  co_return Result<void>();
}

// Hashing the existing bytes would block the loop for too long.
Task<bool> is_there(host::Host& host, const Download& what) {
  if (what.sha256.empty()) co_return false;
  auto old = host.files.read(what.to, what.at_most);
  if (!old) co_return false;
  auto bytes = std::make_shared<std::string>(*std::move(old));
  auto hash = [bytes] { return sha256_hex(*bytes); };
  const std::string found = co_await host::offload(host.work, hash);
  co_return found == what.sha256;
}

}  // namespace

Task<Result<void>> download(Outside outside, Download what) {
  host::Files& files = outside.host.files;
  const bool there = co_await is_there(outside.host, what);
  if (there) co_return Result<void>();
  const host::TimePoint began = outside.host.loop.now();
  Progress progress(outside, what);
  if (what.sha256.empty()) {
    if (auto removed = files.remove(progress.part()); !removed) co_return removed;
  } else {
    const auto part = files.read_if_there(progress.part(), what.at_most);
    if (!part && part.error().os_errno != EFBIG) co_return part.error();
    if (!part)
      progress.start_over();
    else if (*part)
      progress.take_over(**part);
  }
  while (true) {
    const uint64_t before = progress.have();
    Result<void> got = co_await get_rest(outside, what, progress);
    if (got) break;
    const bool goes_on = progress.have() > before && progress.can_go_on() && !progress.local_failure();
    // A partial file that no other attempt can resume is useless and takes up space.
    if (!goes_on && (what.sha256.empty() || progress.local_failure())) progress.start_over();
    if (!goes_on) co_return got;
    outside.note(fmt::format("{}; resuming after {}", got.error().what, mebibytes(progress.have())));
  }
  if (auto right = progress.verify(); !right) {
    progress.start_over();
    co_return right;
  }
  if (what.durable)
    if (auto synced = co_await files.sync(); !synced) co_return synced;
  if (auto moved = files.rename(progress.part(), what.to); !moved) co_return moved;
  outside.note(progress.summary(outside.host.loop.now() - began));
  co_return Result<void>();
}

}  // namespace sunup::fetch
