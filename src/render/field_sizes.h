// The largest fields of a config. Contains names and sizes, never values.
#pragma once

#include <string>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

struct FieldSize {
  std::string path;  // "custom_ca_certs", "kubelet_config.kubelet_flags"
  size_t bytes = 0;  // of its text; the entries of a list or map are added up
};

// Largest first, at most `count`.
std::vector<FieldSize> biggest_fields(const aksnodeconfig::v1::Configuration& config, size_t count);

}  // namespace sunup::render
