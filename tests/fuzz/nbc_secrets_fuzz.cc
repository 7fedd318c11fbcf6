// A command with any content: the value that it assigns to a secret variable on a line of its own is found, and what is
// found are parts of the text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/nbc_secrets.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::render;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require(is_secret_variable("TLS_BOOTSTRAP_TOKEN"), "the name of a secret variable");
  const std::string planted = std::string(text) + "\nTLS_BOOTSTRAP_TOKEN=pl4nted.0123456789\n" + std::string(text);
  bool found = false;
  for (const sunup::Secret& secret : nbc_secrets(planted)) {
    require(!secret.reveal().empty(), "a secret has a text");
    found = found || secret.reveal().find("pl4nted.0123456789") != std::string_view::npos;
  }
  require(found, "an assignment is found, whatever is around it");
  return 0;
}
