#include "base/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

namespace sunup {

void open_standard_descriptors() {
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);
  if (fd >= 0) ::close(fd);
}

}  // namespace sunup
