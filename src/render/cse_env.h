// The environment of a node image's provisioning scripts: 164 variables and one CUSTOM_CA_CERT_<i> for each custom CA,
// computed from a config and properties of the image. Pure function: the same input gives the same bytes. The rule of
// each variable is a row of cse_variables.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "base/result.h"
#include "render/gpu_components.h"

namespace sunup::render {

struct ImageFacts {
  // The output of `containerd --version`, or only a version such as "1.7.22"; empty: not found.
  std::string containerd_version;
  GpuImages gpu;
};

using Environment = std::map<std::string, std::string>;

// `remarks`, if given, receives remarks for the log about values that are passed on although they are invalid (a bad
// port range). They contain no secrets.
Environment cse_environment(const aksnodeconfig::v1::Configuration& config, const ImageFacts& image,
                            std::vector<std::string>* remarks = nullptr);

// Returns an error that contains the variable's name and length if it is longer than contract::kLongestVariable.
Result<void> fits_the_kernel(const std::string& name, const std::string& value);

// One JSON object of strings, one variable per line, sorted.
std::string environment_json(const Environment& environment);

// Lines `export NAME='value'` that any POSIX shell can source. Fails for a NUL, which an environment cannot contain.
Result<std::string> environment_shell(const Environment& environment);

}  // namespace sunup::render
