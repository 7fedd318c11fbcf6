#include "fleet/resolve/bootstrap_script.h"

#include <algorithm>

#include "base/shell_word.h"

namespace sunup::fleet {
namespace {

// The function stands before allexport, so that it does not end up in the environment of what is started.
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

// They stand beside each other in the script.
constexpr std::string_view kFlagsName = "KUBELET_FLAGS";
constexpr std::string_view kLabelsName = "KUBELET_NODE_LABELS";
static_assert(static_cast<int>(Var::kKubeletFlags) + 1 == static_cast<int>(Var::kKubeletNodeLabels));

void append_assignment(std::string& script, std::string_view name, std::string_view value, bool quoted) {
  script.append(name).append(1, '=');
  append_shell_word(script, value, quoted ? ShellQuoting::kDouble : ShellQuoting::kIfNeeded);
  script += '\n';
}

// Calls `line(name, value, quoted, secret)` for every assignment but the one inside the custom cloud block.
template <class Line>
void each_assignment(const BootstrapVariables& variables, Line line) {
  for (const VarRow& row : var_rows()) {
    const std::string& value = variables.text(row.var);
    if (row.var == Var::kCustomCATrustConfigCerts) {
      const auto count = value.empty() ? 0 : std::count(value.begin(), value.end(), kItemSeparator) + 1;
      line("CUSTOM_CA_TRUST_COUNT", std::to_string(count), true, false);
      size_t at = 0;
      for (long i = 0; i < count; ++i) {
        const size_t end = std::min(value.find(kItemSeparator, at), value.size());
        line("CUSTOM_CA_CERT_" + std::to_string(i), std::string_view(value).substr(at, end - at), true, true);
        at = end + 1;
      }
      continue;
    }
    if (row.env.empty() || row.var == Var::kAKSCustomCloudRepoDepotEndpoint) continue;
    if (row.var == Var::kUserAssignedIdentityID)  // KUBE_BINARY_URL stands in the contract a second time, here
      line("KUBE_BINARY_URL", variables.text(Var::kKubeBinaryURL), false, false);
    line(row.env, value, row.quoted, row.secret);
  }
  for (const Constant& constant : kConstants) line(constant.name, constant.value, constant.quoted, false);
}

}  // namespace

std::span<const Constant> constant_variables() {
  return kConstants;
}

std::vector<Assignment> assignments(const BootstrapVariables& variables) {
  std::vector<Assignment> lines;
  if (variables.text(Var::kIsAKSCustomCloud) == "true")
    lines.push_back({"REPO_DEPOT_ENDPOINT", variables.text(Var::kAKSCustomCloudRepoDepotEndpoint), true, false});
  each_assignment(variables, [&](std::string_view name, std::string_view value, bool quoted, bool secret) {
    lines.push_back({std::string(name), std::string(value), quoted, secret});
  });
  return lines;
}

std::string bootstrap_script(const BootstrapVariables& variables) {
  const ScriptFrame frame(variables);
  return frame.before() + ScriptFrame::middle(variables) + frame.after();
}

ScriptFrame::ScriptFrame(const BootstrapVariables& variables) {
  before_ = kPrologue;
  if (variables.text(Var::kIsAKSCustomCloud) == "true") {
    const std::string& init = variables.text(Var::kInitAKSCustomCloudFilepath);
    before_ += "wait_for_eof ";
    append_shell_word(before_, init, ShellQuoting::kIfNeeded);
    before_ += "\nREPO_DEPOT_ENDPOINT=";
    append_shell_word(before_, variables.text(Var::kAKSCustomCloudRepoDepotEndpoint), ShellQuoting::kDouble);
    before_ += "\n/bin/bash ";
    append_shell_word(before_, init, ShellQuoting::kIfNeeded);
    before_ += " >> /var/log/azure/cluster-provision.log 2>&1";
  }
  before_ += '\n';
  std::string* script = &before_;
  each_assignment(variables, [&](std::string_view name, std::string_view value, bool quoted, bool) {
    if (name == kFlagsName || name == kLabelsName)
      script = &after_;
    else
      append_assignment(*script, name, value, quoted);
  });
  after_ += kEpilogue;
}

std::string ScriptFrame::middle(const BootstrapVariables& variables) {
  const std::string& flags = variables.text(Var::kKubeletFlags);
  const std::string& labels = variables.text(Var::kKubeletNodeLabels);
  std::string script;
  script.reserve(flags.size() + labels.size() + 128);
  append_assignment(script, kFlagsName, flags, true);
  append_assignment(script, kLabelsName, labels, true);
  return script;
}

}  // namespace sunup::fleet
