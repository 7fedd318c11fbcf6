// The names of the container images of kubelet's namespace in containerd's database, which is a bbolt file, read
// without containerd: the image may be a tree, or of another architecture.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "host/files.h"

namespace sunup::plan {

inline constexpr char kContainerdDatabase[] = "/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db";

// Any bytes are a database or are refused. An empty file has no images.
Result<std::set<std::string>> image_names(std::string_view database);

// Those of the image; none if containerd has never run on it.
Result<std::set<std::string>> cached_images(host::Files& files);

}  // namespace sunup::plan
