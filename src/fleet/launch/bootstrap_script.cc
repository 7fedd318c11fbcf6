#include "fleet/launch/bootstrap_script.h"

#include <algorithm>

#include "base/shell_word.h"

namespace sunup::fleet {
namespace {

// The function is defined before allexport, so that it is not exported to the started programs.
constexpr std::string_view kPrologue = R"sh(#!/bin/bash

wait_for_eof() {
  local left=1200
  until grep -Fqs EOF "$1"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || exit 100
    sleep 1
  done
}
set -o allexport
echo '#EOF' >> /opt/azure/manifest.json
mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events

echo "$(date),$(hostname)" > /var/log/azure/cluster-provision-cse-output.log
wait_for_eof /opt/azure/containers/provision.sh
)sh";

constexpr std::string_view kEpilogue =
    "/usr/bin/nohup /bin/bash -c \"/bin/bash /opt/azure/containers/provision_start.sh\"\n";

constexpr Constant kConstants[] = {
    {"MCR_REPOSITORY_BASE", "mcr.microsoft.com", true},
    {"ENABLE_IMDS_RESTRICTION", "false", false},
    {"INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE", "false", false},
    {"CSE_TIMEOUT", "15m", false},
};

void append_assignment(std::string& script, std::string_view name, std::string_view value, bool quoted) {
  script.append(name).append(1, '=');
  append_shell_word(script, value, quoted ? ShellQuoting::kDouble : ShellQuoting::kIfNeeded);
  script += '\n';
}

// Calls `line(name, value, quoted)` for every assignment but the one inside the custom cloud block.
template <class Line>
void each_assignment(const BootstrapVariables& variables, Line line) {
  constexpr size_t kCertificates = Var("CustomCATrustConfigCerts").index;
  constexpr size_t kRepoDepot = Var("AKSCustomCloudRepoDepotEndpoint").index;
  constexpr size_t kIdentity = Var("UserAssignedIdentityID").index;
  for (size_t i = 0; i < kVarCount; ++i) {
    const VarRow& row = kVarRows[i];
    const std::string& value = *variables.at(i);
    if (i == kCertificates) {
      const auto count = value.empty() ? 0 : std::count(value.begin(), value.end(), kItemSeparator) + 1;
      line("CUSTOM_CA_TRUST_COUNT", std::to_string(count), true);
      size_t at = 0;
      for (long n = 0; n < count; ++n) {
        const size_t end = std::min(value.find(kItemSeparator, at), value.size());
        line("CUSTOM_CA_CERT_" + std::to_string(n), std::string_view(value).substr(at, end - at), true);
        at = end + 1;
      }
      continue;
    }
    if (row.env.empty() || i == kRepoDepot) continue;
    if (i == kIdentity)  // the contract assigns KUBE_BINARY_URL a second time, here
      line("KUBE_BINARY_URL", variables.text("KubeBinaryURL"), false);
    line(row.env, value, row.quoted);
  }
  for (const Constant& constant : kConstants) line(constant.name, constant.value, constant.quoted);
}

bool is_custom_cloud(const BootstrapVariables& variables) {
  return variables.text("IsAKSCustomCloud") == "true";
}

}  // namespace

std::span<const Constant> constant_variables() {
  return kConstants;
}

std::vector<Assignment> assignments(const BootstrapVariables& variables) {
  std::vector<Assignment> lines;
  if (is_custom_cloud(variables))
    lines.push_back({"REPO_DEPOT_ENDPOINT", variables.text("AKSCustomCloudRepoDepotEndpoint")});
  each_assignment(variables, [&](std::string_view name, std::string_view value, bool) {
    lines.push_back({std::string(name), std::string(value)});
  });
  return lines;
}

std::string bootstrap_script(const BootstrapVariables& variables) {
  std::string script;
  script.reserve(16u << 10);
  script += kPrologue;
  if (is_custom_cloud(variables)) {
    const std::string& init = variables.text("InitAKSCustomCloudFilepath");
    script += "wait_for_eof ";
    append_shell_word(script, init, ShellQuoting::kIfNeeded);
    script += "\nREPO_DEPOT_ENDPOINT=";
    append_shell_word(script, variables.text("AKSCustomCloudRepoDepotEndpoint"), ShellQuoting::kDouble);
    script += "\n/bin/bash ";
    append_shell_word(script, init, ShellQuoting::kIfNeeded);
    script += " >> /var/log/azure/cluster-provision.log 2>&1";
  }
  script += '\n';
  each_assignment(variables, [&](std::string_view name, std::string_view value, bool quoted) {
    append_assignment(script, name, value, quoted);
  });
  return script.append(kEpilogue);
}

}  // namespace sunup::fleet
