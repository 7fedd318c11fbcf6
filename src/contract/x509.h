// The properties of certificates and keys that the check needs, read with OpenSSL.
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
  bool authority = false;  // may sign other certificates
};

// All certificates of a PEM text. Empty if there is none, or if one cannot be read.
std::vector<Certificate> read_certificates(std::string_view pem);

bool is_private_key(std::string_view pem);

// Whether the first certificate belongs to this key. Both must be readable.
bool key_belongs_to(std::string_view key_pem, std::string_view certificate_pem);

}  // namespace sunup::contract
