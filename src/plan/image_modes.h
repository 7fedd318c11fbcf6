// What check-image (image_content.h) determines about single parts of an image: units, cgroups, cached container
// images, and the network, GPU and feature modes that a node from it can have.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "plan/declaration.h"
#include "plan/image_content.h"

namespace sunup::plan {

// The units that fatal steps of this config's plan start, and that neither the image nor a step provides.
Result<Names> lacking_units(host::Files& files, const aksnodeconfig::v1::Configuration& config, const NodeFacts& facts);

// A tree has no mounted cgroup file system. The version is then what the boot loader's files select, or systemd's
// default, version 2.
Result<void> note_cgroup_version(host::Files& files, NodeFacts& facts, bool files_only);
// kubelet refuses version 1 from Kubernetes 1.35 on.
ImagePart cgroup_part(const NodeFacts& facts, std::string_view kubernetes_version);

// One for each pause image that is needed. If it is not known which one is, any of the cached images will do.
std::vector<ImagePart> pause_parts(const std::set<std::string>& cached, const std::set<std::string>& needed);

// One part for each of image_modes().
Result<std::vector<ImagePart>> mode_parts(host::Files& files, const NodeFacts& facts);

}  // namespace sunup::plan
