// containerd's config.toml. A node gets one of two files, with or without what GPUs need, in the layout of the
// containerd that is on its image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

enum class ContainerdGeneration : uint8_t { kOne, kTwo };  // 2.0 moved the CRI plugin's settings elsewhere
enum class GpuFile : uint8_t { kYes, kNo };

// Where Kata's runtimes stand in a 2.x file. Scripts have always got them under the 1.x plugin, one of them in the GPU
// file only; containerd 2.x reads its runtimes, and the snapshotter of each, elsewhere.
enum class KataPlugins : uint8_t { kAsScriptsGetThem, kWhereTheyWork };

// From what `containerd --version` prints ("containerd containerd.io 1.7.22 abc"; the third word counts) or from a bare
// version. What cannot be understood counts as 1.x.
ContainerdGeneration containerd_generation(std::string_view version_output);

std::string containerd_config(const aksnodeconfig::v1::Configuration& config, ContainerdGeneration generation,
                              GpuFile gpu_file, KataPlugins kata = KataPlugins::kAsScriptsGetThem);

}  // namespace sunup::render
