// The environment that a node image's provisioning scripts read: a config, plus what the image says about itself, as
// 164 variables and one CUSTOM_CA_CERT_<i> for each custom CA. Pure: same input, same bytes. The rule of each variable
// is a row of cse_variables.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "render/gpu_components.h"

namespace sunup::render {

struct ImageFacts {
  // What `containerd --version` prints, or a bare version such as "1.7.22"; empty: none found.
  std::string containerd_version;
  GpuImages gpu;
};

using Environment = std::map<std::string, std::string>;

// `remarks`, if given, receives what a reader of the log should know about values that were passed on although they
// cannot work (a bad port range). They hold no secrets.
Environment cse_environment(const aksnodeconfig::v1::Configuration& config, const ImageFacts& image,
                            std::vector<std::string>* remarks = nullptr);

}  // namespace sunup::render
