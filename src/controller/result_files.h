// The two files that end provisioning: provision.json is the result, and provision.complete (the marker) shows that the
// result can be read. The image's scripts write both, or only the result; this program writes the missing ones.
#pragma once

#include <optional>

#include "controller/node.h"
#include "controller/outcome.h"
#include "report/provision_result.h"

namespace sunup::controller {

// The result of this node's last provision, with or without the marker. Empty if there is none, if it is not valid, or
// if it is that of a base image: base_prep.complete without the marker. An error if one of them exists and cannot be
// read.
Result<std::optional<report::ProvisionResult>> recorded_result(Node& node);
Result<bool> recorded_success(Node& node);

// Removes the files of an earlier attempt, the marker first, so that an old result is never read as a new one, even
// after a power cut. The error is that of the first file that cannot be removed.
Result<void> clear_results(Node& node);

// Reserves a few KiB on the disks of the result and the marker, and releases them: a disk that becomes full during
// provisioning does not prevent the result from being written.
void reserve_room(Node& node);
void give_room_back(Node& node);

// Each logs an error if the file cannot be written. `shorter` is tried if the disk is full.
Result<void> leave_result(Node& node, const std::string& result, const std::string& shorter, mode_t mode);
Result<void> leave_marker(Node& node, const char* path, mode_t mode);
inline constexpr char kNoRoom[] = "(omitted: the disk is full)";  // for Output in the shorter one

// Writes the marker of a result that lacks it, for programs that only look at the marker.
void leave_marker_if_missing(Node& node);

// Makes sure that the result exists after a success of the scripts, and the marker, too, unless the run only prepared
// the base image: the marker would prevent the nodes of the image from being provisioned.
Result<void> leave_success(Node& node, bool base_only);

// Makes sure that both files exist after a failure. An existing result stays, unless it is incomplete or `replace` is
// set because it is wrong. The result is written first, and each file is complete or absent. A full disk is logged; the
// marker is then still written, unless it would belong to a wrong result. `was_prepared`: the image was prepared before
// this run, and stays prepared.
void leave_failure(Node& node, report::ProvisionResult result, bool replace = false, bool was_prepared = false);

// The outcome of a run of the scripts, from its exit status and the result that it left. If either is a failure, the
// outcome is that failure, so provision, provision.json and provision-wait agree. A success without a result stays a
// success; leave_success() records it.
Outcome verdict_of_scripts(Node& node, Outcome outcome);

}  // namespace sunup::controller
