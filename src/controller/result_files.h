// The two files that end a provision: provision.json says how it went, provision.complete (the marker) says that it is
// there to be read. The image's scripts write both, or only the result; we write what they did not.
#pragma once

#include <optional>

#include "controller/node.h"
#include "controller/outcome.h"
#include "report/result_file.h"

namespace sunup::controller {

// The result of this node's last provision, with or without the marker. Empty if there is none, if it is not valid, or
// if it is that of a base image: base_prep.complete without the marker. An error if one of them exists and cannot be
// read.
Result<std::optional<report::ProvisionResult>> recorded_result(Node& node);
Result<bool> recorded_success(Node& node);

// Takes away what an earlier attempt left, the marker first, so that nobody ever reads an old result as a new one: not
// even after a power cut in the middle of the new one. The error is that of the first which cannot be removed.
Result<void> clear_results(Node& node);

// Takes a few KiB of the disks that the result and the marker go to, and gives them back: a disk that fills up while
// the node is provisioned does not keep the verdict from being left.
void reserve_room(Node& node);
void give_room_back(Node& node);

// Each says in the log when it cannot be written. `shorter` is tried when there is no room for the whole.
Result<void> leave_result(Node& node, const std::string& result, const std::string& shorter, mode_t mode);
Result<void> leave_marker(Node& node, const char* path, mode_t mode);
inline constexpr char kNoRoom[] = "(omitted: the disk is full)";  // for Output in the shorter one

// Writes the marker of a result that lacks it, for those who look at the marker only.
void leave_marker_if_missing(Node& node);

// Makes sure that a result is there after a success of the scripts, and the marker, too, unless the run only prepared
// the base image: the marker would keep the image's nodes from being provisioned.
Result<void> leave_success(Node& node, bool base_only);

// Makes sure that both files are there after a failure. A result that is there already stays, unless it is torn or
// `replace` says that it is not true. The result comes first and each is whole or absent; a full disk is said and does
// not keep the marker from being tried, unless it would lead to a result that is not true.
// `was_prepared`: the image was before this run, and stays so.
void leave_failure(Node& node, report::ProvisionResult result, bool replace = false, bool was_prepared = false);

// The verdict on a run of the scripts from its two testimonies, the exit status and the result that it left. A failure
// of either is the verdict, so that provision, provision.json and provision-wait agree. A success without a result is
// one: leave_success() records it.
Outcome verdict_of_scripts(Node& node, Outcome outcome);

}  // namespace sunup::controller
