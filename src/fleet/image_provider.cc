#include "fleet/image_provider.h"

#include <fmt/format.h>

namespace sunup::fleet {
namespace {

std::string image_id(const ImageFamily& family, const ImageDefinition& definition, const std::string& version,
                     const ImageQuery& query) {
  const Gallery& gallery = family.gallery;
  if (query.use_sig)
    return fmt::format(
        "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Compute/galleries/{}/images/{}/versions/{}",
        query.sig_subscription, gallery.sig_resource_group, gallery.sig_gallery, definition.name, version);
  return fmt::format("/CommunityGalleries/{}/images/{}/versions/{}", gallery.community, definition.name, version);
}

bool fits(const ImageDefinition& definition, const InstanceType& type) {
  return definition.arch == type.arch && (definition.generation == "2" ? type.generation2 : type.generation1);
}

std::string_view generations(const InstanceType& type) {
  return type.generation1 && type.generation2 ? "1 or 2" : type.generation2 ? "2" : "1";
}

// The definition an image ID of the class's status names.
const ImageDefinition* definition_of(const ImageFamily& family, std::string_view id) {
  for (const ImageDefinition& definition : family.images)
    if (id.find(fmt::format("/images/{}/versions/", definition.name)) != id.npos) return &definition;
  return nullptr;
}

// The status may narrow an image down further than its definition does.
bool meant_for(const StatusImage& listed, const InstanceType& type) {
  if (listed.arch && *listed.arch != type.arch) return false;
  if (!listed.hyperv_generation) return true;
  return *listed.hyperv_generation == "1" ? type.generation1 : type.generation2;
}

}  // namespace

Result<const ImageFamily*> ImageProvider::family(const ImageQuery& query) const {
  const NodeClass& node_class = *query.node_class;
  const ImageFamily* found = find_image_family(
      {node_class.image_family, node_class.fips, node_class.trusted_launch(), query.kubernetes_version}, families_);
  if (found == nullptr)
    return Error(fmt::format("no image family serves imageFamily {} of node class {}", node_class.image_family,
                             node_class.name));
  return found;
}

Result<Image> ImageProvider::select(const ImageQuery& query) const {
  const NodeClass& node_class = *query.node_class;
  const InstanceType& type = *query.instance_type;
  if (node_class.fips && !query.use_sig)
    return Error(fmt::format("node class {}: FIPS images are in the shared gallery only (SIGRequiredForFIPS)",
                             node_class.name))
        .with_hint("set use-sig, sig-subscription-id and sig-access-token-server-url");
  auto chosen = family(query);
  if (!chosen) return std::move(chosen).error();
  const ImageFamily& from = **chosen;

  // What the class's status lists was chosen for the cluster already, maintenance windows and all.
  for (const StatusImage& listed : node_class.status.images) {
    const ImageDefinition* definition = definition_of(from, listed.id);
    if (definition == nullptr || !fits(*definition, type) || !meant_for(listed, type)) continue;
    Image image{&from, definition, listed.id.substr(listed.id.rfind('/') + 1), listed.id, {}, query.use_sig};
    image.origin = {Source::kDetected, "node class status.images"};
    return image;
  }
  if (!node_class.status.images.empty())
    return Error(fmt::format("node class {}: status.images lists no {} image for {} ({}, Hyper-V generation {})",
                             node_class.name, from.name, type.name, type.arch, generations(type)))
        .with_hint("a controller makes no such node; take another size, or wait until the status lists one");

  for (const ImageDefinition& definition : from.images) {
    if (definition.fips != node_class.fips || definition.trusted_launch != node_class.trusted_launch() ||
        !fits(definition, type))
      continue;
    Image image{&from, &definition, "", "", {}, query.use_sig};
    if (node_class.image_version) {
      image.version = *node_class.image_version;
      image.origin = {Source::kNodeClass, "spec.imageVersion"};
    } else if (auto latest = versions_->latest(from.gallery, definition.name)) {
      image.version = *std::move(latest);
      image.origin = {Source::kComputed, "the newest image version known"};
    } else {
      return Error(fmt::format("no version of image {} is known to {}", definition.name, versions_->name()));
    }
    image.id = image_id(from, definition, image.version, query);
    return image;
  }
  return Error(fmt::format("{} has no {}{}image for {} ({}, Hyper-V generation {})", from.name,
                           node_class.fips ? "FIPS " : "", node_class.trusted_launch() ? "trusted launch " : "",
                           type.name, type.arch, generations(type)));
}

}  // namespace sunup::fleet
