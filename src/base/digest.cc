#include "base/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace sunup {

void Digest::Free::operator()(EVP_MD_CTX* context) const {
  EVP_MD_CTX_free(context);
}

Digest::Digest(Kind kind) : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(context_.get(), kind == Kind::kMd5 ? EVP_md5() : EVP_sha256(), nullptr);
}

Digest& Digest::add(std::string_view piece) {
  EVP_DigestUpdate(context_.get(), piece.data(), piece.size());
  return *this;
}

std::string Digest::bytes() const {
  const std::unique_ptr<EVP_MD_CTX, Free> copy(EVP_MD_CTX_new());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_MD_CTX_copy_ex(copy.get(), context_.get());
  EVP_DigestFinal_ex(copy.get(), digest.data(), &size);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string Digest::hex() const {
  std::string text;
  for (const char byte : bytes()) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  return Digest(Digest::Kind::kSha256).add(bytes).hex();
}

}  // namespace sunup
