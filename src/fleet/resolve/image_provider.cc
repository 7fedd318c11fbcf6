#include "fleet/resolve/image_provider.h"

#include <fmt/format.h>

#include "base/text.h"
#include "fleet/sources/patterns.h"

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

// The definition that an image ID in the class's status names.
const ImageDefinition* definition_of(const ImageFamily& family, std::string_view id) {
  const auto parsed = parse_image_id(id);
  if (!parsed || parsed->version.empty()) return nullptr;
  for (const ImageDefinition& definition : family.images)
    if (equal_ignoring_case(definition.name, parsed->definition)) return &definition;
  return nullptr;
}

// Whether the class requests this kind of image. The status may be older than the class's FIPS setting.
bool meant_by(const ImageDefinition& definition, const NodeClass& node_class) {
  return definition.fips == node_class.fips && definition.trusted_launch == node_class.trusted_launch();
}

// Community galleries have no subscription.
bool of_shared_gallery(std::string_view id) {
  return !lowered(id.substr(0, sizeof("/communitygalleries/") - 1)).starts_with("/communitygalleries/");
}

// The status may restrict an image further than its definition does.
bool meant_for(const StatusImage& listed, const InstanceType& type) {
  if (listed.arch && *listed.arch != type.arch) return false;
  if (!listed.hyperv_generation) return true;
  return *listed.hyperv_generation == "1" ? type.generation1 : type.generation2;
}

// The first image of the status that is suitable for this class and size; null if there is none.
const StatusImage* listed_for(const ImageQuery& query, const ImageFamily& family) {
  for (const StatusImage& listed : query.node_class->status.images) {
    const ImageDefinition* definition = definition_of(family, listed.id);
    if (definition != nullptr && meant_by(*definition, *query.node_class) && fits(*definition, *query.instance_type) &&
        meant_for(listed, *query.instance_type))
      return &listed;
  }
  return nullptr;
}

const ImageDefinition* definition_for(const ImageQuery& query, const ImageFamily& family) {
  for (const ImageDefinition& definition : family.images)
    if (meant_by(definition, *query.node_class) && fits(definition, *query.instance_type)) return &definition;
  return nullptr;
}

bool pinned(const NodeClass& node_class) {
  return node_class.image_version && node_class.image_version_field == kVersionsImageField;
}

bool uses_status(const ImageQuery& query) {
  return !query.newest && !query.node_class->status.images.empty() && !pinned(*query.node_class);
}

// A pin must name a version that the class has used: that of its images, the newest one, or a recently used one, each
// with its Kubernetes version. Without a status this cannot be checked.
std::optional<Error> refuse_pin(const ImageQuery& query) {
  const NodeClassStatus& status = query.node_class->status;
  const std::string& pin = *query.node_class->image_version;
  if (status.images.empty() || status.latest_image_version == pin) return std::nullopt;
  for (const StatusImage& image : status.images)
    if (const auto id = parse_image_id(image.id); id && id->version == pin) return std::nullopt;
  const auto refuse = [&](std::string_view why, std::string_view reason) {
    return Error(
        fmt::format("node class {}: {}: {} {} ({})", query.node_class->name, kVersionsImageField, pin, why, reason));
  };
  for (const UsedVersion& used : status.used_versions)
    if (used.image_version == pin)
      return used.kubernetes_version == query.kubernetes_version
                 ? std::nullopt
                 : std::optional(refuse(fmt::format("was used with Kubernetes {}, not with {}", used.kubernetes_version,
                                                    query.kubernetes_version),
                                        "RollbackTargetKubernetesVersionMismatch"));
  return refuse("is neither the version of status.images, nor the latest, nor one of those recently used",
                "NodeImageVersionInvalid");
}

std::string none_for(const ImageQuery& query, std::string_view family = "") {
  const NodeClass& node_class = *query.node_class;
  return fmt::format("no {}{}{}{}image for {} ({}, Hyper-V generation {})", family, family.empty() ? "" : " ",
                     node_class.fips ? "FIPS " : "", node_class.trusted_launch() ? "trusted launch " : "",
                     query.instance_type->name, query.instance_type->arch, generations(*query.instance_type));
}

}  // namespace

std::string ImageProvider::why_none_fits(const ImageQuery& query) const {
  const auto chosen = family(query);
  if (!chosen) return "";
  if (uses_status(query) ? listed_for(query, **chosen) != nullptr : definition_for(query, **chosen) != nullptr)
    return "";
  return fmt::format("has no {} image of the kind that the node class requests", (*chosen)->name);
}

Result<const ImageFamily*> ImageProvider::family(const ImageQuery& query) const {
  const NodeClass& node_class = *query.node_class;
  const ImageFamily* found = find_image_family(
      {node_class.image_family, node_class.fips, node_class.trusted_launch(), query.kubernetes_version}, families_);
  if (found == nullptr)
    return Error(fmt::format("no image family serves imageFamily {} of node class {}", node_class.image_family,
                             node_class.name));
  if (found->since != nullptr && !version_at_least(query.kubernetes_version, *found->since))
    return Error(fmt::format("imageFamily {} of node class {} needs Kubernetes {}.{}, but the version is {}",
                             node_class.image_family, node_class.name, found->since->major, found->since->minor,
                             query.kubernetes_version));
  return found;
}

Result<NodeImage> ImageProvider::select(const ImageQuery& query) const {
  const NodeClass& node_class = *query.node_class;
  if (node_class.fips && !query.use_sig)
    return Error(fmt::format("node class {}: FIPS images are only in the shared gallery (SIGRequiredForFIPS)",
                             node_class.name))
        .with_hint("set use-sig, sig-subscription-id and sig-access-token-server-url");
  auto chosen = family(query);
  if (!chosen) return std::move(chosen).error();
  const ImageFamily& from = **chosen;

  // The images in the class's status have already been chosen for the cluster, including its maintenance windows.
  if (uses_status(query)) {
    const StatusImage* listed = listed_for(query, from);
    if (listed == nullptr)
      return Error(fmt::format("node class {}: status.images lists {}", node_class.name, none_for(query, from.name)))
          .with_hint(
              "a controller does not create such a node; use another size, or wait until the status lists an image");
    return NodeImage{&from,
                     definition_of(from, listed->id),
                     listed->id.substr(listed->id.rfind('/') + 1),
                     listed->id,
                     {Source::kDetected, "node class status.images"},
                     of_shared_gallery(listed->id)};
  }

  const ImageDefinition* definition = definition_for(query, from);
  if (definition == nullptr) return Error(fmt::format("{} has {}", from.name, none_for(query)));
  NodeImage image{&from, definition, "", "", {}, query.use_sig};
  if (pinned(node_class))
    if (auto error = refuse_pin(query)) return *std::move(error);
  if (node_class.image_version) {
    image.version = *node_class.image_version;
    image.origin = {Source::kNodeClass, node_class.image_version_field};
  } else if (auto latest = versions_->latest(from.gallery, definition->name)) {
    image.version = *std::move(latest);
    image.origin = {Source::kComputed, "the newest image version known"};
  } else {
    return Error(fmt::format("no version of image {} is known to {}", definition->name, versions_->name()));
  }
  image.id = image_id(from, *definition, image.version, query);
  return image;
}

}  // namespace sunup::fleet
