// Determines who issues kubelet's serving certificate: the cluster (with rotation), or the node itself. The choice
// affects kubelet's flags, its config file, its labels, and whether a certificate must be made before kubelet starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/node_paths.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

enum class ServingCertificate : uint8_t {
  kSelfSigned,     // rotation is off: the node makes a certificate, nothing else changes
  kRotated,        // the cluster signs; no certificate file may be configured
  kRotationVetoed  // the config enables rotation, but a tag of the VM forbids it
};

ServingCertificate serving_certificate(const Configuration& config, const NodeFacts& facts);

inline bool needs_own_certificate(ServingCertificate mode) {
  return mode != ServingCertificate::kRotated;
}

// Takes and returns flags in the form "--a=1 --b=2".
std::string serving_flags(std::string_view flags, ServingCertificate mode);
std::string serving_labels(std::string_view labels, ServingCertificate mode);
void apply_to_config_file(ServingCertificate mode, aksnodeconfig::v1::KubeletConfigFileConfig& file);

}  // namespace sunup::render::node
