// Reduces our own results to codes, names and times without free text, for the case that the secret values are unknown.
#pragma once

#include <string>
#include <string_view>

namespace sunup::collect {

// The lines of aks-node-controller.log that contain the start and the end of a run.
std::string reduced_log(std::string_view log);

// The run record without errors and notes, which may quote the output of programs.
std::string reduced_record(std::string_view record);

}  // namespace sunup::collect
