// Version comparisons of provisioning. Kubernetes versions here may carry a package suffix ("1.34.1+azure",
// "1.35.0~rc1"), which plays no part; what is no version at all counts as 0.0.0.
#pragma once

#include <compare>
#include <string_view>

namespace sunup::render::node {

bool kube_at_least(std::string_view version, int major, int minor, int patch = 0);

// Natural order: runs of digits compare as numbers, everything else byte by byte. "1.34.9" < "1.34.10".
std::strong_ordering natural_order(std::string_view a, std::string_view b);

}  // namespace sunup::render::node
