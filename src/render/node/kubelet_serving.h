// Who issues the certificate that kubelet serves with: the cluster (rotated), or the node itself. The choice shows in
// kubelet's flags, its config file, its labels, and in whether a certificate must be made before it starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/node_paths.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

enum class ServingCertificate : uint8_t {
  kSelfSigned,     // rotation is off: a certificate of our own, nothing else changes
  kRotated,        // the cluster signs; no certificate file may be named
  kRotationVetoed  // rotation is on in the config, but a tag of the VM forbids it
};

ServingCertificate serving_certificate(const Configuration& config, const NodeFacts& facts);

inline bool needs_own_certificate(ServingCertificate mode) {
  return mode != ServingCertificate::kRotated;
}

// "--a=1 --b=2" in the same form.
std::string serving_flags(std::string_view flags, ServingCertificate mode);
std::string serving_labels(std::string_view labels, ServingCertificate mode);
void apply_to_config_file(ServingCertificate mode, aksnodeconfig::v1::KubeletConfigFileConfig& file);

}  // namespace sunup::render::node
