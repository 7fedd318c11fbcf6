// Rewrites logs for the support bundle.
#pragma once

#include <string>
#include <string_view>

namespace sunup::collect {

// The journal as searchable text: journalctl prints a field that is not plain text (for example with colours) as an
// array of byte values, in which no filter finds a password. Arrays of bytes become strings, without terminal colour
// codes. A line with such an array that cannot be parsed is dropped, because its content is unknown.
std::string readable_journal(std::string_view journal);

// The following functions reduce our own logs to codes, names and times without free text, for the case that the secret
// values are unknown.
//
// The lines of aks-node-controller.log that contain the start and the end of a run.
std::string reduced_log(std::string_view log);

// The run record without errors and notes, which may quote the output of programs.
std::string reduced_record(std::string_view record);

}  // namespace sunup::collect
