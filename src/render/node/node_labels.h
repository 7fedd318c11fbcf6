// Edits kubelet's label list, "k=v,k2=v2". Labels are compared as a whole: "a=b" is not part of "xa=bc".
#pragma once

#include <string>
#include <string_view>

namespace sunup::render::node {

inline constexpr std::string_view kServingCaLabel = "kubernetes.azure.com/kubelet-serving-ca=cluster";
inline constexpr std::string_view kLocalDnsExporterLabel = "kubernetes.azure.com/localdns-exporter=enabled";
inline constexpr std::string_view kDcgmExporterLabel = "kubernetes.azure.com/dcgm-exporter=enabled";

std::string with_label(std::string_view labels, std::string_view label);     // appended if it is missing
std::string without_label(std::string_view labels, std::string_view label);  // the first occurrence is removed

}  // namespace sunup::render::node
