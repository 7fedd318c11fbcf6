#include "base/result.h"

#include <cstring>

namespace sunup {

Error Error::from_errno(int err, std::string_view doing) {
  char buffer[128];
  // The GNU strerror_r returns the text, which may not be in the buffer.
  Error error(std::string(doing) + ": " + strerror_r(err, buffer, sizeof buffer));
  error.os_errno = err;
  return error;
}

}  // namespace sunup
