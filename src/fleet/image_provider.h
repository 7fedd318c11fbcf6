// Decides which image a node starts from: the family by what the node class asks for, the definition by what the
// instance type can run, the version by the newest the source knows (or the class's pin).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "fleet/image_family.h"
#include "fleet/image_versions.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/provenance.h"

namespace sunup::fleet {

struct Image {
  const ImageFamily* family = nullptr;
  const ImageDefinition* definition = nullptr;
  std::string version;
  std::string id;  // of the community gallery or, with use-sig, of the shared one
  Origin origin;   // who chose the version
  bool shared = false;
};

struct ImageQuery {
  const NodeClass* node_class = nullptr;
  const InstanceType* instance_type = nullptr;
  std::string_view kubernetes_version;
  bool use_sig = false;
  std::string_view sig_subscription;
  bool newest = false;  // what the class's status lists is outdated
};

class ImageProvider {
 public:
  explicit ImageProvider(const ImageVersions& versions, std::span<const ImageFamily* const> families = image_families())
      : versions_(&versions), families_(families) {}

  Result<const ImageFamily*> family(const ImageQuery& query) const;
  Result<Image> select(const ImageQuery& query) const;
  // Why none of the family's images runs on this size; empty when one does, and when there is none for any size.
  std::string why_none_fits(const ImageQuery& query) const;

 private:
  const ImageVersions* versions_;
  std::span<const ImageFamily* const> families_;
};

}  // namespace sunup::fleet
