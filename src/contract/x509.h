// The little that the check asks about certificates and keys, with OpenSSL behind it.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::contract {

struct Certificate {
  std::string subject;
  std::time_t not_before = 0;
  std::time_t not_after = 0;
  bool authority = false;  // may sign others
};

// All certificates of a PEM text. Empty: there is none, or one that cannot be read.
std::vector<Certificate> read_certificates(std::string_view pem);

bool is_private_key(std::string_view pem);

// Is the first certificate that of this key? Both must be readable.
bool key_belongs_to(std::string_view key_pem, std::string_view certificate_pem);

}  // namespace sunup::contract
