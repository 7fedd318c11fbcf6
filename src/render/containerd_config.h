// containerd's config.toml. A node gets one of two files, with or without GPU settings, in the layout of the containerd
// version in its image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

enum class ContainerdGeneration : uint8_t { kOne, kTwo };  // 2.0 moved the settings of the CRI plugin
enum class GpuFile : uint8_t { kYes, kNo };

// Where Kata's runtimes are configured in a 2.x file. The file for scripts has them under the 1.x plugin, one of them
// only in the GPU file; containerd 2.x reads its runtimes, and the snapshotter of each, from other tables.
enum class KataPlugins : uint8_t { kAsScriptsGetThem, kWhereTheyWork };

// From the output of `containerd --version` ("containerd containerd.io 1.7.22 abc"; the third word is used) or from a
// bare version. Unparsable text means 1.x.
ContainerdGeneration containerd_generation(std::string_view version_output);

std::string containerd_config(const aksnodeconfig::v1::Configuration& config, ContainerdGeneration generation,
                              GpuFile gpu_file, KataPlugins kata = KataPlugins::kAsScriptsGetThem);

}  // namespace sunup::render
