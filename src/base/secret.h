// A secret value: it cannot be printed or formatted by accident, is compared in constant time, and is wiped when it is
// destroyed. `reveal()` is the only way to read it, and is easy to search for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace sunup {

// Shorter values are not redacted in text, because they also occur in unrelated text ("true", "azure").
inline constexpr size_t kShortestHidden = 6;

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : value_(std::move(other.value_)) { other.wipe(); }
  Secret& operator=(const Secret& other);
  Secret& operator=(Secret&& other) noexcept;
  ~Secret() { wipe(); }

  bool empty() const { return value_.empty(); }
  std::string_view reveal() const { return value_; }
  bool operator==(const Secret& other) const;

  // Printing a secret does not compile.
  template <class Stream>
  friend Stream& operator<<(Stream&, const Secret&) = delete;

 private:
  void wipe();
  std::string value_;
};

}  // namespace sunup
