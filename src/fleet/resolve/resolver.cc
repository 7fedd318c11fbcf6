#include "fleet/resolve/resolver.h"

#include <fmt/format.h>

#include "fleet/resolve/bootstrapper.h"
#include "fleet/resolve/cluster_variables.h"
#include "fleet/resolve/decisions.h"
#include "fleet/resolve/kubelet_flags.h"
#include "fleet/resolve/node_labels.h"
#include "fleet/resolve/placement.h"
#include "fleet/sources/cluster_version.h"
#include "fleet/sources/history.h"
#include "fleet/sources/label_conflicts.h"
#include "fleet/sources/node_findings.h"

namespace sunup::fleet {
namespace {

Bootstrap bootstrap_of(std::string_view provision_mode) {
  return provision_mode == "bootstrappingclient" ? Bootstrap::kNodeConfig : Bootstrap::kScriptless;
}

}  // namespace

Resolver::Resolver(Settings settings, Detected detected, ImageProvider images)
    : settings_(std::move(settings)),
      detected_(std::move(detected)),
      images_(images),
      bootstrap_(bootstrap_of(settings_.text(Option::kProvisionMode))),
      cluster_variables_(cluster_variables(settings_, detected_)),
      identities_(settings_.list(Option::kNodeIdentities)) {
  offer_history(bootstrap_name_, settings_.at(Option::kProvisionMode),
                [](const std::string& mode) { return std::string(bootstrapper(bootstrap_of(mode)).name()); });
}

void Resolver::set_bootstrap(Bootstrap bootstrap, std::string_view where) {
  bootstrap_ = bootstrap;
  bootstrap_name_.offer(Source::kSettings, where, std::string(bootstrapper(bootstrap).name()));
}

ImageQuery Resolver::image_query(const NodeClass& node_class, const InstanceType& type,
                                 std::string_view version) const {
  return {&node_class,
          &type,
          version,
          settings_.flag(Option::kUseSig),
          settings_.text(Option::kSigSubscriptionId),
          status_is_behind(settings_, detected_, node_class)};
}

std::string Resolver::why_no_image(const NodeClass& node_class, const InstanceType& type) const {
  const auto version = node_kubernetes_version(settings_, detected_, node_class);
  return version ? images_.why_none_fits(image_query(node_class, type, **version)) : "";
}

Result<Resolution> Resolver::resolve(const Request& request) const {
  auto made = kind(request);
  if (!made) return std::move(made).error();
  return resolve(request, *std::move(made));
}

Result<Resolution> Resolver::resolve(const Request& request, std::shared_ptr<const NodeKind> kind) const {
  const NodeClaim& claim = *request.claim;
  const auto about_claim = [&claim](Error error) { return std::move(error).in(fmt::format("claim {}", claim.name)); };
  if (!fits_vm_name(claim.name))
    return about_claim(Error(fmt::format(
        "metadata.name: has {} characters; with the prefix aks- it becomes a computer name, which has at most 63",
        claim.name.size())));

  Resolution out = kind->node;
  out.kind = std::move(kind);
  out.claim = claim.name;
  out.vm_name = vm_name(claim.name);

  const Constraints constraints(claim, request.pool);
  auto capacity = choose_capacity_type(constraints);
  if (!capacity) return about_claim(std::move(capacity).error());
  out.capacity_type = *std::move(capacity);
  auto zone = choose_placement(constraints, settings_.text(Option::kLocation), *request.instance_type);
  if (!zone) return about_claim(std::move(zone).error());
  out.zone = *std::move(zone);
  if (const Constraint* unmet = constraints.unheeded(kZoneLabel); unmet != nullptr && out.zone.value.empty())
    warn(out.warnings, describe(*unmet->requirement), "no-effect",
         "names no usable zone; the VM is created without one", "list the zones with operator In");
  const Constraint* sizes = constraints.listing(kInstanceTypeLabel);
  if (sizes == nullptr) sizes = constraints.listing(kSkuNameLabel);
  out.size_origin = sizes != nullptr ? sizes->origin : Origin{Source::kInstanceType, "the first given that fits"};

  if (auto error = refuse_rival_taints(claim)) return about_claim(*std::move(error));
  out.kubelet_flags.offer("--register-with-taints", Source::kComputed, "taints and startupTaints",
                          register_with_taints(claim));
  if (auto error = refuse_spaced_flags(out.kubelet_flags)) return about_claim(*std::move(error));
  offer_claim_labels(out.labels, {&claim, request.pool, &out.capacity_type, &out.zone});
  drop_unfit_labels(out.labels, out.kind->unfit_labels, out.warnings);
  if (auto error = check_decisions(out, constraints)) return about_claim(*std::move(error));
  if (auto error = refuse_label_conflict(claim, request.pool)) return about_claim(*std::move(error));

  out.variables.offer(Var::kKubeletFlags, Source::kComputed, "kubelet flags", out.kubelet_flags.joined(' '));
  out.variables.offer(Var::kKubeletNodeLabels, Source::kComputed, "node labels", out.labels.joined(','));
  return out;
}

}  // namespace sunup::fleet
