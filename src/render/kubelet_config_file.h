// The kubelet's config file, and its flags and node labels.
#pragma once

#include <cstdint>
#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

// The file for scripts has three keys that kubelet does not know (…Ttl instead of …TTL), and omits "enabled": false,
// which is not always kubelet's default. The native file does not have these defects.
enum class KubeletKeys : uint8_t { kAsScriptsGetThem, kAsKubeletReadsThem };

// JSON with the contract's members in the contract's order; "{}" for a kubelet config without the file part, empty for
// a config without either. Kubelet removed streamingConnectionIdleTimeout in 1.34, so it is omitted from then on.
std::string kubelet_config_file(const aksnodeconfig::v1::Configuration& config,
                                KubeletKeys keys = KubeletKeys::kAsScriptsGetThem);

// "--a=1 --b=2", sorted; without --streaming-connection-idle-timeout since 1.34.
std::string kubelet_flags(const aksnodeconfig::v1::Configuration& config);

// "a=1,b=2", sorted.
std::string kubelet_node_labels(const aksnodeconfig::v1::KubeletConfig& kubelet);

}  // namespace sunup::render
