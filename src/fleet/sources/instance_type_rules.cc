// The rules for files with instance types. Azure's SKU list has many names, which are not checked, and all of its
// values are strings; the short form that people write has only the names below.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "base/text.h"
#include "fleet/sources/conditions.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

enum class Kind { kText, kNumber, kBool, kAny };

struct Field {
  std::string_view name;
  Kind kind;
  bool azure = false;  // also the name of a capability in the SKU list
};
constexpr Field kFields[] = {
    {"name", Kind::kText},
    {"vmSize", Kind::kText},
    {"size", Kind::kText},
    {"vCPUs", Kind::kNumber, true},
    {"vcpus", Kind::kNumber},
    {"cpus", Kind::kNumber},
    {"cpu", Kind::kNumber},
    {"memoryGiB", Kind::kNumber},
    {"memoryGB", Kind::kNumber},
    {"memory", Kind::kNumber},
    {"MemoryGB", Kind::kNumber, true},
    {"arch", Kind::kText},
    {"architecture", Kind::kText},
    {"CpuArchitectureType", Kind::kText, true},
    {"hyperVGenerations", Kind::kText},
    {"HyperVGenerations", Kind::kText, true},
    {"gpus", Kind::kNumber},
    {"GPUs", Kind::kNumber, true},
    {"gpuName", Kind::kText},
    {"acceleratedNetworking", Kind::kBool},
    {"AcceleratedNetworkingEnabled", Kind::kBool, true},
    {"premiumStorage", Kind::kBool},
    {"PremiumIO", Kind::kBool, true},
    {"ultraSSD", Kind::kBool},
    {"UltraSSDAvailable", Kind::kBool, true},
    {"encryptionAtHost", Kind::kBool},
    {"EncryptionAtHostSupported", Kind::kBool, true},
    {"confidential", Kind::kBool},
    {"ConfidentialComputingType", Kind::kText, true},
    {"vCPUsAvailable", Kind::kNumber, true},
    {"constrainedCores", Kind::kBool},
    {"ephemeralOSDisk", Kind::kBool},
    {"EphemeralOSDiskSupported", Kind::kBool, true},
    {"nvmeDiskMiB", Kind::kNumber},
    {"NvmeDiskSizeInMiB", Kind::kNumber, true},
    {"ephemeralPlacements", Kind::kText},
    {"SupportedEphemeralOSDiskPlacements", Kind::kText, true},
    {"cacheDiskBytes", Kind::kNumber},
    {"CachedDiskBytes", Kind::kNumber, true},
    {"resourceDiskMiB", Kind::kNumber},
    {"MaxResourceVolumeMB", Kind::kNumber, true},
    {"locations", Kind::kAny},
    {"locationInfo", Kind::kAny},
    {"restrictions", Kind::kAny},
    {"resourceType", Kind::kText},
};

const Field* find_field(std::string_view name) {
  const auto* it = std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& f) { return f.name == name; });
  return it == std::end(kFields) ? nullptr : it;
}

bool is_number(const json& value) {
  return value.is_number() || (value.is_string() && as_number<double>(value.get_ref<const std::string&>()));
}

bool is_bool(const json& value) {
  if (value.is_boolean()) return true;
  if (!value.is_string()) return false;
  const std::string text = lowered(value.get_ref<const std::string&>());
  return text == "true" || text == "false";
}

// The expected type of a field that has another type; empty if it is correct.
std::string_view wrong_type(Kind kind, const json& value) {
  if (kind == Kind::kText && !value.is_string()) return "must be text";
  if (kind == Kind::kNumber && !is_number(value)) return "must be a number";
  if (kind == Kind::kBool && !is_bool(value)) return "must be true or false";
  return "";
}

// The path of a member; a document that is a single size has an empty path.
std::string below(const std::string& path, std::string_view member) {
  return path.empty() ? std::string(member) : fmt::format("{}.{}", path, member);
}

class Judge {
 public:
  Judge(const Document& doc, Findings& findings) : doc_(doc), findings_(findings) {}

  void entry(const json& item, const std::string& path) {
    if (!item.is_object()) return;  // refused when it is read
    const bool sku = item.contains("capabilities");
    for (const auto& [name, value] : item.items()) {
      const std::string at = below(path, name);
      const Field* field = find_field(name);
      if (field != nullptr)
        member(*field, value, at);
      else if (!sku)
        unknown(name, at);
    }
    if (sku && item["capabilities"].is_array())
      for (const json& capability : item["capabilities"]) {
        const Field* field = find_field(text_of(capability, "name"));
        if (field != nullptr && field->azure && capability.contains("value"))
          member(*field, capability["value"], below(path, fmt::format("capabilities.{}", field->name)));
      }
    twice(item, path);
  }

 private:
  void member(const Field& field, const json& value, const std::string& at) {
    if (const std::string_view wrong = wrong_type(field.kind, value); !wrong.empty())
      return report(findings_, Severity::kError, doc_, at, "type", std::string(wrong));
    const bool arch = field.name == "arch" || field.name == "architecture" || field.name == "CpuArchitectureType";
    if (!arch) return;
    const std::string text = lowered(value.get_ref<const std::string&>());
    if (text != "x64" && text != "amd64" && text != "arm64")
      report(findings_, Severity::kError, doc_, at, "enum",
             fmt::format("is '{}', must be amd64 (or x64) or arm64", value.get_ref<const std::string&>()));
  }

  void unknown(const std::string& name, const std::string& at) {
    std::vector<std::string_view> names;
    for (const Field& field : kFields) names.push_back(field.name);
    const auto near = nearest(name, names);
    report(findings_, Severity::kWarning, doc_, at, "unknown-field", "there is no such field; it has no effect",
           near ? "did you mean " + *near + "?" : "");
  }

  // A SKU list contains a size once for each location.
  void twice(const json& item, const std::string& path) {
    std::string name;
    for (const char* key : {"name", "vmSize", "size"})
      if (name.empty()) name = lowered(text_of(item, key));
    if (name.empty()) return;
    const json where = item.contains("locations") ? item["locations"] : item.value("locationInfo", json());
    // Text that is not UTF-8 is not a location, but must not cause a failure here.
    const std::string place = where.dump(-1, ' ', false, json::error_handler_t::replace);
    if (seen_.insert(name + " " + place).second) return;
    report(findings_, Severity::kError, doc_, below(path, "name"), "duplicate",
           fmt::format("{} is described twice", name), "leave one out");
  }

  const Document& doc_;
  Findings& findings_;
  std::set<std::string> seen_;
};

}  // namespace

void check_instance_types(const Document& doc, std::vector<contract::Finding>& findings) {
  Judge judge(doc, findings);
  const json* list = &doc.value;
  std::string path;
  for (const char* name : {"value", "items", "instanceTypes"})
    if (doc.value.is_object() && doc.value.contains(name) && doc.value[name].is_array()) {
      list = &doc.value[name];
      path = name;
    }
  if (!list->is_array()) return judge.entry(*list, "");
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string resource = (*list)[i].is_object() ? text_of((*list)[i], "resourceType") : "";
    if (resource.empty() || equal_ignoring_case(resource, "virtualMachines"))
      judge.entry((*list)[i], fmt::format("{}[{}]", path, i));
  }
}

}  // namespace sunup::fleet
