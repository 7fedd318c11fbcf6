// Incremental SHA-256 and MD5.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

namespace sunup::fetch {

class Digest {
 public:
  enum class Kind { kSha256, kMd5 };
  explicit Digest(Kind kind);

  void add(std::string_view piece);
  std::string bytes() const;  // of the bytes added so far; more may follow
  std::string hex() const;

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const;
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace sunup::fetch
