// Selects the image of a node: the family by the node class, the definition by the instance type, and the version as
// the newest one of the source (or the pinned version of the class).
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "fleet/sources/image_family.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/provenance.h"

namespace sunup::fleet {

struct NodeImage {
  const ImageFamily* family = nullptr;
  const ImageDefinition* definition = nullptr;
  std::string version;
  std::string id;  // of the community gallery or, with use-sig, of the shared one
  Origin origin;   // the source of the version
  bool shared = false;
};

struct ImageQuery {
  const NodeClass* node_class = nullptr;
  const InstanceType* instance_type = nullptr;
  std::string_view kubernetes_version;
  bool use_sig = false;
  std::string_view sig_subscription;
  bool newest = false;  // the images in the class's status are outdated
};

class ImageProvider {
 public:
  explicit ImageProvider(const ImageVersions& versions, std::span<const ImageFamily* const> families = image_families())
      : versions_(&versions), families_(families) {}

  Result<const ImageFamily*> family(const ImageQuery& query) const;
  Result<NodeImage> select(const ImageQuery& query) const;
  // Why no image of the family runs on this size; empty if one does, or if there is none for any size.
  std::string why_none_fits(const ImageQuery& query) const;

 private:
  const ImageVersions* versions_;
  std::span<const ImageFamily* const> families_;
};

}  // namespace sunup::fleet
