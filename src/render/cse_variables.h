// The variables of the CSE environment as a table: the name, the contract fields that it depends on, and the rule for
// its value. `config explain` and the documentation use the same table. CUSTOM_CA_CERT_<i>, one for each item of
// custom_ca_certs, is the only variable without a row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "render/cloud.h"
#include "render/containerd_config.h"
#include "render/cse_env.h"
#include "render/gpu_driver.h"

namespace sunup::render {

// The input of the rules: the config, and values that several of them need.
struct CseSubject {
  CseSubject(const aksnodeconfig::v1::Configuration& node_config, const ImageFacts& image,
             std::vector<std::string>* log_remarks)
      : config(node_config),
        cloud(azure_cloud(node_config)),
        containerd(containerd_generation(image.containerd_version)),
        gpu(gpu_driver(node_config.vm_size(), image.gpu)),
        remarks(log_remarks) {}

  const aksnodeconfig::v1::Configuration& config;
  AzureCloud cloud;
  ContainerdGeneration containerd;
  GpuDriver gpu;
  std::vector<std::string>* remarks;  // may be null
};

struct CseRule {
  enum class Kind : uint8_t {
    kField,     // the value of the source: decimal, true/false, or text; list items joined by ','
    kFieldOr,   // the same, or `text` if the source is unset (for a plain string: empty)
    kOneLine,   // the source without its line ends
    kWord,      // the source's enum name without the prefix `text`, lower-cased; empty if unspecified or unknown
    kAnySet,    // "true" if a source is set (a string or list: not empty; a message: present; a bool: true)
    kAllSet,    // "true" if every source is set
    kConstant,  // `text`
    kDerived,   // the result of `derive`
  };
  Kind kind = Kind::kField;
  std::string_view text = {};
  std::string (*derive)(const CseSubject& in) = nullptr;
};

struct CseVariable {
  std::string_view name;
  std::string_view sources;  // dotted contract paths joined by ' '; a path to a message includes all its fields
  CseRule rule;
};

// Sorted by name.
std::span<const CseVariable> cse_variables();

// The paths of a row, one by one.
std::vector<std::string_view> sources_of(const CseVariable& variable);

// Whether the variable may contain the value of a field marked (sunup.secret), and not only whether the field is set.
bool may_hold_secret(const CseVariable& variable);

}  // namespace sunup::render
