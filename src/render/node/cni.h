// CNI: the sources of the network plugins, and Azure CNI's configuration.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/node_paths.h"
#include "base/result.h"
#include "render/node/binary_source.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

inline constexpr auto& kPluginFolder = paths::kCniPlugins;
inline constexpr char kPackagedList[] = "/opt/cni/bin/10-azure.conflist";  // Azure CNI's, unmodified

enum class CniAction : uint8_t { kNone, kMoveFolder, kExtractArchive, kDownload };

struct CniPlan {
  CniAction azure = CniAction::kNone;   // Azure's own plugin
  std::string azure_source;             // a directory, an archive or a URL
  bool reference_plugins_there = true;  // bridge, host-local and loopback: kubenet and others need them
};

// Exit code 41 if Azure CNI is requested and there is no source for it.
Result<CniPlan> cni_plan(const Configuration& config, const NodeFacts& facts);

// Azure CNI's list as in its package, with transparent mode if Calico enforces policies.
std::string azure_conflist(std::string_view packaged, const Configuration& config);

// /etc/cni/net.d/10-azure.conflist, if the packaged list is known (kPackagedList in facts.texts).
Result<NodeFiles> cni_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
