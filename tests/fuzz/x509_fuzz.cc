// Certificates and keys with any content are read or refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "contract/x509.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::contract;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto certificates = read_certificates(text);
  require(certificates.size() <= size / 20, "a certificate has a begin and an end");
  const bool key = is_private_key(text);
  if (key && !certificates.empty()) (void)key_belongs_to(text, text);
  return 0;
}
