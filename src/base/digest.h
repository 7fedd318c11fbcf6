// Computes SHA-256 and MD5 digests of bytes that are added in one or several pieces:
//   Digest(Digest::Kind::kMd5).add(text).hex()
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

namespace sunup {

class Digest {
 public:
  enum class Kind { kSha256, kMd5 };
  explicit Digest(Kind kind);

  Digest& add(std::string_view piece);
  std::string bytes() const;  // of the bytes added so far; more may follow
  std::string hex() const;

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const;
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace sunup
