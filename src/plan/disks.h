// The disks of a VM whose cloud-init is switched off: what cloud-init would have done to them. The root partition and
// its file system grow to the size of the disk, and the resource disk, which is new each time the VM moves to another
// host, gets a file system and is mounted at /mnt. Data is never formatted away.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "host/host.h"

namespace sunup::plan {

using DiskNote = std::function<void(std::string text)>;

// Fine, with a note, if the root file system is not on a partition or its kind cannot grow while it is mounted.
host::Task<Result<void>> grow_root(host::Host& host, DiskNote note);

// Fine if there is no drive.
host::Task<Result<void>> eject_disc(host::Host& host);

// Fine if there is no resource disk, or something is mounted at /mnt.
host::Task<Result<void>> prepare_resource_disk(host::Host& host, DiskNote note);

}  // namespace sunup::plan
