#include "fleet/sources/node_pool_hash.h"

#include "fleet/sources/go_hash.h"

namespace sunup::fleet {
namespace {

constexpr GoField kMetaFields[] = {
    {"Labels", "labels", GoKind::kTextMap},
    {"Annotations", "annotations", GoKind::kTextMap},
};
constexpr GoRecord kMeta{"ObjectMeta", kMetaFields};

constexpr GoField kTaintFields[] = {
    {"Key", "key", GoKind::kText},
    {"Value", "value", GoKind::kText},
    {"Effect", "effect", GoKind::kText},
};
constexpr GoRecord kTaint{"Taint", kTaintFields};

constexpr GoField kClassRefFields[] = {
    {"Kind", "kind", GoKind::kText},
    {"Name", "name", GoKind::kText},
    {"Group", "group", GoKind::kText},
};
constexpr GoRecord kClassRef{"NodeClassReference", kClassRefFields};

constexpr GoField kSpecFields[] = {
    {"Taints", "taints", GoKind::kRecords, &kTaint},
    {"StartupTaints", "startupTaints", GoKind::kRecords, &kTaint},
    {"NodeClassRef", "nodeClassRef", GoKind::kRecordPointer, &kClassRef},
    {"TerminationGracePeriod", "terminationGracePeriod", GoKind::kDurationPointer},
    {"ExpireAfter", "expireAfter", GoKind::kNillableDuration},
};
constexpr GoRecord kSpec{"NodeClaimTemplateSpec", kSpecFields};

constexpr GoField kTemplateFields[] = {
    {"ObjectMeta", "metadata", GoKind::kRecord, &kMeta},
    {"Spec", "spec", GoKind::kRecord, &kSpec},
};
constexpr GoRecord kTemplate{"NodeClaimTemplate", kTemplateFields};

}  // namespace

Result<std::string> node_pool_hash(const nlohmann::json& spec_template) {
  return go_hash(kTemplate, spec_template, "spec.template");
}

}  // namespace sunup::fleet
