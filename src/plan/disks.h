// The disks of a VM on which cloud-init is disabled: does what cloud-init would have done. The root partition and its
// file system grow to the size of the disk, and the resource disk, which is new after each move of the VM to another
// host, gets a file system and is mounted at /mnt. Existing data is never formatted.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "host/host.h"

namespace sunup::plan {

using DiskNote = std::function<void(std::string text)>;

// A success with a note if the root file system is not on a partition, or if its type cannot grow while it is mounted.
host::Task<Result<void>> grow_root(host::Host& host, DiskNote note);

// A success if there is no drive.
host::Task<Result<void>> eject_disc(host::Host& host);

// A success if there is no resource disk, or if another file system is mounted at /mnt. If the disk is expected, or
// this VM had one before, this waits until udev has found it, but at most ten seconds.
host::Task<Result<void>> prepare_resource_disk(host::Host& host, DiskNote note, bool expected = false);

}  // namespace sunup::plan
