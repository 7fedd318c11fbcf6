// The provisioning disc: a small UDF (or ISO 9660) file system that Azure attaches until the first reboot. It contains
// ovf-env.xml, which includes the custom data.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "host/host.h"

namespace sunup::guest {

inline constexpr char kDisc[] = "/dev/sr0";

// The text of ovf-env.xml: from the seed if there is one, otherwise from the disc. Empty if there is neither. The disc
// is unmounted when this returns.
host::Task<Result<std::optional<std::string>>> read_disc(host::Host& host);

}  // namespace sunup::guest
