// For tests: a database of containerd that knows these images in kubelet's namespace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::plan {

template <class Number>
void put_number(std::string& bytes, size_t at, Number value) {
  bytes.replace(at, sizeof value, std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
}

// A leaf with these buckets. The first one's page is `first`, that of each other one is the next one.
inline std::string leaf(size_t page_size, const std::vector<std::string>& buckets, uint64_t first) {
  std::string page(page_size, '\0');
  put_number<uint16_t>(page, 8, 2);
  put_number(page, 10, static_cast<uint16_t>(buckets.size()));
  size_t key = 16 + 16 * buckets.size();
  for (size_t i = 0; i < buckets.size(); ++i) {
    const size_t entry = 16 + 16 * i;
    put_number<uint32_t>(page, entry, 1);
    put_number(page, entry + 4, static_cast<uint32_t>(key - entry));
    put_number(page, entry + 8, static_cast<uint32_t>(buckets[i].size()));
    page.replace(key, buckets[i].size(), buckets[i]);
    put_number(page, key + buckets[i].size(), first + i);
    key += buckets[i].size() + 16;
  }
  return page;
}

inline std::string description(size_t page_size, uint64_t root, uint64_t transaction) {
  std::string page(page_size, '\0');
  put_number<uint32_t>(page, 16, 0xED0CDAED);
  put_number(page, 24, static_cast<uint32_t>(page_size));
  put_number(page, 32, root);
  put_number(page, 64, transaction);
  return page;
}

// The pages of the images themselves have numbers that are also digits, as in databases of many pages.
inline std::string image_database(const std::vector<std::string>& names) {
  constexpr size_t kPage = 1024;
  return description(kPage, 2, 7) + description(kPage, 9, 6) + leaf(kPage, {"v1"}, 3) + leaf(kPage, {"k8s.io"}, 4) +
         leaf(kPage, {"images"}, 5) + leaf(kPage, names, '0');
}

}  // namespace sunup::plan
