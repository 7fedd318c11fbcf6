// What remains of our own results when nobody knows which values are secret: codes, names and times, no sentences.
#pragma once

#include <string>
#include <string_view>

namespace sunup::collect {

// Of provision.json the members that are codes and times; empty: it cannot be read.
std::string reduced_result(std::string_view provision_json);

// Of aks-node-controller.log the lines that say when a run began and how it ended.
std::string reduced_log(std::string_view log);

// Of the run record everything but errors and remarks, which may quote what a program printed.
std::string reduced_record(std::string_view record);

}  // namespace sunup::collect
