#include "plan/archives.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using host::Task;

constexpr size_t kBlock = 512;

// Takes a tar apart as its bytes come, keeping only what is wanted.
class TarReader {
 public:
  explicit TarReader(const std::function<bool(std::string_view)>& wanted) : wanted_(wanted) {}

  Result<void> feed(std::string_view bytes) {
    while (!bytes.empty()) {
      if (left_ > 0) {
        const size_t take = std::min<uint64_t>(left_, bytes.size());
        if (keep_ != nullptr) keep_->append(bytes.substr(0, std::min<uint64_t>(take, content_left_)));
        content_left_ -= std::min<uint64_t>(take, content_left_);
        left_ -= take;
        bytes.remove_prefix(take);
        if (left_ == 0 && long_name_open_) close_long_name();
        continue;
      }
      const size_t take = std::min(kBlock - header_.size(), bytes.size());
      header_.append(bytes.substr(0, take));
      bytes.remove_prefix(take);
      if (header_.size() < kBlock) continue;
      if (auto read = read_header(); !read) return read;
      header_.clear();
    }
    return {};
  }
  Result<Members> finish() && {
    if (left_ > 0 || !header_.empty()) return Error("the archive is cut off");
    return std::move(members_);
  }

 private:
  std::string_view field(size_t at, size_t length) const {
    const std::string_view whole = std::string_view(header_).substr(at, length);
    return whole.substr(0, whole.find('\0'));
  }

  void close_long_name() {
    long_name_ = std::move(long_text_);
    long_name_ = long_name_.substr(0, long_name_.find('\0'));
    long_text_.clear();
    long_name_open_ = false;
    keep_ = nullptr;
  }

  Result<void> read_header() {
    if (header_.find_first_not_of('\0') == std::string::npos) return {};
    std::string_view digits = field(124, 12);
    digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
    uint64_t size = 0;
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 8);
    if (wrong != std::errc() || (end != digits.data() + digits.size() && *end != ' '))
      return Error("the archive is damaged: a member's size cannot be read");
    std::string path(field(0, 100));
    if (field(257, 5) == "ustar" && !field(345, 155).empty()) path = std::string(field(345, 155)) + "/" + path;
    if (!long_name_.empty()) path = std::exchange(long_name_, {});
    if (path.starts_with("./")) path.erase(0, 2);
    left_ = (size + kBlock - 1) / kBlock * kBlock;
    content_left_ = size;
    keep_ = nullptr;
    const char kind = header_[156];
    if (kind == 'L') {
      long_text_.clear();
      keep_ = &long_text_;
      long_name_open_ = true;
    } else if ((kind == '0' || kind == '\0') && wanted_(path)) {
      keep_ = &members_[path];
      keep_->clear();
      keep_->reserve(size);
    }
    return {};
  }

  const std::function<bool(std::string_view)>& wanted_;
  Members members_;
  std::string header_;
  std::string* keep_ = nullptr;
  std::string long_name_;
  std::string long_text_;
  bool long_name_open_ = false;
  uint64_t left_ = 0;  // of the member, with its padding
  uint64_t content_left_ = 0;
};

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace

Result<Members> read_tar_gz(std::string_view archive, const std::function<bool(std::string_view)>& wanted) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (inflateInit2(&stream, kGzip) != Z_OK) return Error("no memory to unpack an archive");
  const std::unique_ptr<z_stream, InflateEnd> end(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(archive.data()));
  stream.avail_in = static_cast<uInt>(archive.size());
  std::string out(1 << 18, '\0');
  TarReader tar(wanted);
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) break;
    if (auto fed = tar.feed(std::string_view(out).substr(0, out.size() - stream.avail_out)); !fed)
      return std::move(fed).error();
    if (status == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) status = Z_BUF_ERROR;
  }
  if (status != Z_STREAM_END) return Error("the archive is damaged or cut off");
  return std::move(tar).finish();
}

Task<Result<void>> extract_all(host::Host& host, std::string archive, std::string folder) {
  auto bytes = host.files.read(archive);
  if (!bytes) co_return std::move(bytes).error();
  auto unpack = [text = std::make_shared<std::string>(std::move(*bytes))] {
    return read_tar_gz(*text, [](std::string_view path) { return path.find('/') == std::string_view::npos; });
  };
  Result<Members> members = co_await host::offload(host.work, unpack);
  if (!members) co_return std::move(members).error().in(archive);
  for (const auto& [name, content] : *members)
    if (auto written = host.files.write(folder + "/" + name, content, 0755); !written) co_return written;
  co_return Result<void>();
}

Task<Result<void>> extract_program(host::Host& host, std::string archive, std::string name, std::string to) {
  auto bytes = host.files.read(archive);
  if (!bytes) co_return std::move(bytes).error();
  auto unpack = [text = std::make_shared<std::string>(std::move(*bytes)), name] {
    return read_tar_gz(*text, [&name](std::string_view path) { return path == name || path.ends_with("/" + name); });
  };
  Result<Members> members = co_await host::offload(host.work, unpack);
  if (!members) co_return std::move(members).error().in(archive);
  if (members->size() != 1) co_return Error(fmt::format("{} holds {} files called {}", archive, members->size(), name));
  co_return host.files.write(to, members->begin()->second, 0755);
}

Task<Result<void>> download(host::Host& host, std::string url, std::string to) {
  host::HttpRequest request;
  request.url = url;
  request.limit = 60s;
  request.max_body = size_t{1} << 30;
  // A query may hold a signature that is as good as a password.
  const std::string shown = url.substr(0, url.find('?'));
  auto reply = co_await host.network.get(std::move(request));
  if (!reply) co_return std::move(reply).error();
  if (reply->status != 200) co_return Error(fmt::format("GET {}: HTTP status {}", shown, reply->status));
  co_return host.files.write(to, reply->body, 0644);
}

}  // namespace sunup::plan
