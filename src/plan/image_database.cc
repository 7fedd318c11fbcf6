#include "plan/image_database.h"

#include <cstdint>
#include <cstring>
#include <map>

namespace sunup::plan {
namespace {

constexpr uint64_t kLargestDatabase = uint64_t{512} << 20;

// The file consists of pages. The first two describe the file; the one with the higher transaction is current. A bucket
// is a tree of pages: branches, which name other pages, and leaves, which have keys. The value of a key that is itself
// a bucket begins with the number of its page.
constexpr uint32_t kMagic = 0xED0CDAED;
constexpr uint64_t kPageHeader = 16;  // number u64, kind u16, entries u16, further pages u32
constexpr uint64_t kEntry = 16;       // leaf: kind, offset, length of the key and of the value; branch: ..., page u64
constexpr uint16_t kBranch = 1;
constexpr uint16_t kLeaf = 2;
constexpr uint32_t kIsBucket = 1;
constexpr uint64_t kPageSizeAt = 8;  // in the description: magic u32, version u32, size of a page u32, flags u32,
constexpr uint64_t kRootAt = 16;     // page of the root u64, sequence u64, free list u64, pages u64,
constexpr uint64_t kTransactionAt = 48;
constexpr int kDeepest = 32;

class Database {
 public:
  explicit Database(std::string_view bytes) : bytes_(bytes) {
    page_size_ = number<uint32_t>(kPageHeader + kPageSizeAt);
    if (page_size_ < kPageHeader + kTransactionAt + 8) damaged_ = true;
    if (damaged_) return;
    uint64_t newest = 0;
    for (const uint64_t at : {kPageHeader, page_size_ + kPageHeader}) {
      if (number<uint32_t>(at) != kMagic) continue;
      if (const auto transaction = number<uint64_t>(at + kTransactionAt); root_ == 0 || transaction > newest) {
        newest = transaction;
        root_ = number<uint64_t>(at + kRootAt);
      }
    }
    if (root_ == 0) damaged_ = true;
  }

  bool damaged() const { return damaged_; }
  uint64_t root() const { return root_; }

  // The buckets in the bucket with this page, and their pages. A page 0 stands for a bucket without buckets.
  std::map<std::string, uint64_t> buckets(uint64_t page) {
    std::map<std::string, uint64_t> found;
    if (page != 0) collect(page, 0, found);
    return found;
  }

 private:
  template <class Number>
  Number number(uint64_t at) {
    Number value = 0;
    if (at > bytes_.size() || bytes_.size() - at < sizeof value)
      damaged_ = true;
    else
      std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  void collect(uint64_t page, int depth, std::map<std::string, uint64_t>& found) {
    const uint64_t pages = bytes_.size() / page_size_;
    // In a tree, no page occurs twice.
    if (page >= pages || ++visited_ > pages || depth > kDeepest) damaged_ = true;
    if (damaged_) return;
    const uint64_t begin = page * page_size_;
    const auto kind = number<uint16_t>(begin + 8);
    const auto entries = number<uint16_t>(begin + 10);
    if (kind != kBranch && kind != kLeaf) damaged_ = true;
    for (uint64_t entry = begin + kPageHeader; entry < begin + kPageHeader + entries * kEntry; entry += kEntry) {
      if (damaged_) return;
      if (kind == kBranch) {
        collect(number<uint64_t>(entry + 8), depth + 1, found);
        continue;
      }
      if (number<uint32_t>(entry) != kIsBucket) continue;
      const uint64_t key = entry + number<uint32_t>(entry + 4);
      const uint64_t length = number<uint32_t>(entry + 8);
      const auto bucket = number<uint64_t>(key + length);
      if (!damaged_) found.emplace(bytes_.substr(key, length), bucket);
    }
  }

  std::string_view bytes_;
  uint64_t page_size_ = 0;
  uint64_t root_ = 0;
  uint64_t visited_ = 0;
  bool damaged_ = false;
};

}  // namespace

Result<std::set<std::string>> image_names(std::string_view database) {
  std::set<std::string> names;
  if (database.empty()) return names;
  Database file(database);
  uint64_t page = file.root();
  for (const char* name : {"v1", "k8s.io", "images"}) {
    if (file.damaged()) break;
    const auto buckets = file.buckets(page);
    const auto found = buckets.find(name);
    page = found == buckets.end() ? 0 : found->second;
  }
  if (!file.damaged())
    for (const auto& [name, bucket] : file.buckets(page)) names.insert(name);
  if (file.damaged()) return Error("this is not a database of containerd, or it is damaged");
  return names;
}

Result<std::set<std::string>> cached_images(host::Files& files) {
  const auto text = files.read_if_there(kContainerdDatabase, kLargestDatabase);
  if (!text) return text.error();
  auto names = image_names(text->value_or(""));
  if (!names) return std::move(names).error().in(kContainerdDatabase);
  return names;
}

}  // namespace sunup::plan
