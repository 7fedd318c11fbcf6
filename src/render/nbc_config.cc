#include "render/nbc_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/base64.h"
#include "base/text.h"
#include "contract/fields.h"
#include "render/cloud.h"
#include "render/cse_variables.h"
#include "render/nbc_difference.h"
#include "render/nbc_texts.h"

namespace sunup::render {
namespace {

using contract::Field;
using contract::FieldKind;
using Json = nlohmann::ordered_json;

const CseVariable* row_of(std::string_view name) {
  const auto rows = cse_variables();
  const auto found = std::ranges::lower_bound(rows, name, {}, &CseVariable::name);
  return found != rows.end() && found->name == name ? &*found : nullptr;
}

std::optional<double> finite_number(std::string_view text) {
  const auto value = as_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// PEM that is not in base64 loses its line breaks when it is put into a command. They are restored, because no reader
// accepts it without them.
std::string with_line_breaks(std::string_view text) {
  constexpr std::string_view kDashes = "-----";
  if (!text.starts_with("-----BEGIN ")) return std::string(text);
  std::string out;
  while (text.starts_with("-----BEGIN ")) {
    const size_t header = text.find(kDashes, kDashes.size());
    const size_t footer = header == text.npos ? text.npos : text.find("-----END ", header);
    const size_t end = footer == text.npos ? text.npos : text.find(kDashes, footer + kDashes.size());
    if (end == text.npos) return std::string(text);
    out.append(text.substr(0, header + kDashes.size())).append("\n");
    std::string body =
        unicode::without_white_space(text.substr(header + kDashes.size(), footer - header - kDashes.size()));
    for (size_t at = 0; at < body.size(); at += 64) out.append(body, at, 64).append("\n");
    out.append(text.substr(footer, end + kDashes.size() - footer)).append("\n");
    text = trimmed(text.substr(end + kDashes.size()));
  }
  return out.append(text);
}

class Converter {
 public:
  Converter(std::string_view text, const NbcCommand& command) : text_(text), command_(command) {}

  Result<NbcConfig> convert() && {
    out_.remarks = command_.remarks;
    root_ = {{"version", "v1"}, {"disable_custom_data", true}};
    // kubelet's file is handled first, because a variable for one of its members overrides the member.
    if (const NbcVariable* file = command_.find("KUBELET_CONFIG_FILE_CONTENT")) one(*file);
    for (const NbcVariable& variable : command_.variables) {
      if (!error_.empty()) break;
      if (variable.name != "KUBELET_CONFIG_FILE_CONTENT") one(variable);
    }
    if (error_.empty()) custom_ca_certificates();
    if (error_.empty()) authentication();
    if (error_.empty()) dns_service();
    if (!error_.empty()) return Error(error_);
    if (auto loaded = load(); !loaded) return std::move(loaded).error();
    if (auto same = compare(); !same) return std::move(same).error();
    return std::move(out_);
  }

 private:
  void fail(const NbcVariable& variable, std::string_view why) {
    if (error_.empty()) error_ = nbc_place(text_, variable.at) + ": " + variable.name + ": " + std::string(why);
  }
  void remark(const NbcVariable& variable, std::string_view text) {
    out_.remarks.push_back(variable.name + ": " + std::string(text));
  }

  void set(std::string_view path, Json value, const NbcVariable& variable) {
    out_.origins[std::string(path)] = variable.name;
    out_.places["$." + std::string(path)] = {1, static_cast<int>(variable.at) + 1};
    Json* place = &root_;
    for (const std::string_view part : split(path, '.')) place = &(*place)[std::string(part)];
    if (value.is_object() && place->is_object())
      place->update(value);
    else
      *place = std::move(value);
  }

  void one(const NbcVariable& variable) {
    if (variable.nil) return;  // unset by the sender
    if (special(variable)) return;
    const CseVariable* row = row_of(variable.name);
    if (row == nullptr) {
      if (is_retired_nbc_variable(variable.name) && !variable.value.empty() && variable.value != "false")
        remark(variable, "a variable of older commands; it has no effect");
      return;
    }
    switch (row->rule.kind) {
      case CseRule::Kind::kField:
      case CseRule::Kind::kFieldOr:
      case CseRule::Kind::kOneLine:
        return field(variable, row->sources);
      case CseRule::Kind::kWord:
        return enum_word(variable, *row);
      default:  // derived from fields that have variables of their own; compare() checks it
        return;
    }
  }

  void field(const NbcVariable& variable, std::string_view path) {
    const std::string& text = variable.value;
    const Field& field = *contract::field_at(path);
    if (text.empty()) return;
    if (field.is_list()) return set(path, split(text, ','), variable);
    switch (field.kind) {
      case FieldKind::kBool:
        if (text != "true" && text != "false") return fail(variable, "neither true nor false");
        if (text == "true" || field.optional) set(path, text == "true", variable);
        return;
      case FieldKind::kInt32: {
        const auto number = as_number<int64_t>(text);
        if (!number || *number < INT32_MIN || *number > INT32_MAX) return fail(variable, "not a number, or too large");
        if (*number != 0 || field.optional) set(path, *number, variable);
        return;
      }
      case FieldKind::kDouble: {
        const auto number = finite_number(text);
        if (!number) return fail(variable, "not a number");
        return set(path, *number, variable);
      }
      default:
        return set(path, with_line_breaks(text), variable);
    }
  }

  void enum_word(const NbcVariable& variable, const CseVariable& row) {
    if (variable.value.empty()) return;
    const std::string name = std::string(row.rule.text) + uppered(variable.value);
    const contract::EnumValue* value = contract::field_at(row.sources)->enumeration->find(name);
    if (value == nullptr || value->number == 0)
      return remark(variable, "a config has no word for its value: it is lost");
    set(row.sources, name, variable);
  }

  bool is_true(const NbcVariable& variable) {
    if (variable.value != "true" && variable.value != "false" && !variable.value.empty())
      fail(variable, "neither true nor false");
    return variable.value == "true";
  }

  // Handles variables that are not plain copies of a field; returns false for the others.
  bool special(const NbcVariable& variable) {
    const std::string& name = variable.name;
    if (std::ranges::find(kSentBlobs, name) != std::end(kSentBlobs)) return blob(variable), true;
    if (name.starts_with("CUSTOM_CA_CERT_")) return true;  // handled together
    // 0 also means unset: the default (148) is used. Nearly every command contains it.
    if (name == "MAXIMUM_LOADBALANCER_RULE_COUNT" && variable.value == "0") return true;
    if (name == "ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION") return rotation(variable), true;
    if (name == "CSE_TIMEOUT") return timeout(variable), true;
    if (name == "KUBELET_FLAGS") return pairs(variable, ' ', "kubelet_config.kubelet_flags"), true;
    if (name == "KUBELET_NODE_LABELS") return pairs(variable, ',', "kubelet_config.kubelet_node_labels"), true;
    if (name == "CONTAINERD_ULIMITS") return limits(variable), true;
    if (name == "LOCALDNS_CPU_LIMIT" || name == "LOCALDNS_MEMORY_LIMIT") return dns_limit(variable), true;
    if (name == "LOCALDNS_CRITICAL_FQDNS") return field(variable, "local_dns_profile.critical_fqdns"), true;
    if (name == "LOCALDNS_HOSTS_PLUGIN_REFRESH_INTERVAL_IN_SECONDS")
      return field(variable, "local_dns_profile.hosts_plugin_refresh_interval_in_seconds"), true;
    if (name == "REPO_DEPOT_ENDPOINT") return field(variable, "custom_cloud_config.repo_depot_endpoint"), true;
    return text_kept(variable) || if_true(variable);
  }

  // Variables that set one field to a fixed value if they are true.
  bool if_true(const NbcVariable& variable) {
    const struct {
      std::string_view name, path;
      Json value;
    } rows[] = {{"DISABLE_SSH", "enable_ssh", false},
                {"HAS_KUBELET_DISK_TYPE", "kubelet_config.kubelet_disk_type", "KUBELET_DISK_TEMP_DISK"},
                {"IS_CUSTOM_CLOUD", "custom_cloud_config.custom_cloud_env_name", "akscustom"},
                {"SHOULD_CONFIG_CONTAINERD_ULIMITS", "custom_linux_os_config.ulimit_config", Json::object()},
                {"SHOULD_CONFIG_SWAP_FILE", "custom_linux_os_config.enable_swap_config", true},
                {"SHOULD_ENABLE_HOSTS_PLUGIN", "local_dns_profile.enable_hosts_plugin", true},
                {"ENABLE_SECURE_TLS_BOOTSTRAPPING", "bootstrapping_config.bootstrapping_auth_method",
                 "BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING"}};
    for (const auto& row : rows)
      if (row.name == variable.name) {
        if (is_true(variable)) set(row.path, row.value, variable);
        return true;
      }
    return false;
  }

  bool text_kept(const NbcVariable& variable) {
    constexpr std::string_view kKept[] = {"ARM_RESOURCE_ENDPOINT", "GPU_DRIVER_TYPE",          "GPU_DRIVER_VERSION",
                                          "GPU_IMAGE_SHA",         "GPU_NEEDS_FABRIC_MANAGER", "MCR_REPOSITORY_BASE",
                                          "TARGET_CLOUD",          "TARGET_ENVIRONMENT"};
    if (std::ranges::find(kKept, variable.name) == std::end(kKept)) return false;
    if (variable.name == "GPU_NEEDS_FABRIC_MANAGER") is_true(variable);
    if (!variable.value.empty()) out_.sent[variable.name] = variable.value;
    return true;
  }

  void blob(const NbcVariable& variable) {
    if (variable.value.empty()) return;
    auto text = base64_decode(variable.value);
    if (!text) return fail(variable, "not base64");
    if (variable.name == "KUBELET_CONFIG_FILE_CONTENT") {
      auto fields = kubelet_file_fields(*text, out_.remarks);
      if (!fields) return fail(variable, fields.error().what);
      set("kubelet_config.kubelet_config_file_config", *std::move(fields), variable);
    }
    if (variable.name == "SYSCTL_CONTENT") {
      Json fields = sysctl_fields(*text, out_.remarks);
      if (!fields.empty()) set("custom_linux_os_config.sysctl_config", std::move(fields), variable);
    }
    if (variable.name == "CONTAINERD_CONFIG_CONTENT") {
      const ContainerdFields fields = containerd_fields(*text);
      if (!fields.root.empty()) set("kubelet_config.container_data_dir", fields.root, variable);
      if (!fields.sandbox_image.empty())
        set("kube_binary_config.pod_infra_container_image_url", fields.sandbox_image, variable);
    }
    out_.sent[variable.name] = *std::move(text);
  }

  void timeout(const NbcVariable& variable) {
    if (variable.value == "900") return;  // the default
    field(variable, "cse_timeout");
  }

  // kubelet's file contains this too; both come from one flag. The variable decides on the node.
  void rotation(const NbcVariable& variable) {
    const bool wanted = is_true(variable);
    const std::string_view path = row_of(variable.name)->sources;
    const bool in_file = out_.sent.contains("KUBELET_CONFIG_FILE_CONTENT") &&
                         root_["kubelet_config"]["kubelet_config_file_config"].contains("server_tls_bootstrap") &&
                         root_["kubelet_config"]["kubelet_config_file_config"]["server_tls_bootstrap"] == true;
    if (wanted != in_file) remark(variable, "kubelet's config file says something else; the variable counts");
    if (wanted || in_file) set(path, wanted, variable);
  }

  // A flag's value may contain blanks, so an item that does not begin like a flag belongs to the previous one.
  void pairs(const NbcVariable& variable, char separator, std::string_view path) {
    std::vector<std::string> items;
    for (const std::string_view item : split(variable.value, separator)) {
      if (separator == ' ' && !items.empty() && !item.starts_with("--") && !item.empty())
        items.back().append(" ").append(item);
      else if (!item.empty())
        items.emplace_back(item);
    }
    Json map = Json::object();
    for (const std::string& item : items) {
      const size_t equals = item.find('=');
      if (equals == std::string::npos) return fail(variable, "an item of it is not name=value");
      const std::string key = item.substr(0, equals);
      if (separator == ' ' && !key.starts_with("--")) return fail(variable, "an item of it is not a flag");
      if (map.contains(key)) return fail(variable, "a name is in it twice");
      map[key] = item.substr(equals + 1);
    }
    if (!map.empty()) set(path, std::move(map), variable);
  }

  void limits(const NbcVariable& variable) {
    for (const std::string_view item : words(variable.value)) {
      constexpr std::string_view kMemory = "LimitMEMLOCK=", kFiles = "LimitNOFILE=";
      if (item == "[Service]") continue;
      if (item.starts_with(kMemory))
        set("custom_linux_os_config.ulimit_config.max_locked_memory", item.substr(kMemory.size()), variable);
      else if (item.starts_with(kFiles))
        set("custom_linux_os_config.ulimit_config.no_file", item.substr(kFiles.size()), variable);
      else
        return fail(variable, "it has a limit that is not known");
    }
  }

  void dns_limit(const NbcVariable& variable) {
    std::string_view text = variable.value;
    const bool cpu = variable.name == "LOCALDNS_CPU_LIMIT";
    if (text.empty() || text == (cpu ? "200.0%" : "128M")) return;  // the default
    if (!text.ends_with(cpu ? '%' : 'M')) return fail(variable, "not a limit");
    text.remove_suffix(1);
    std::string digits(text);
    if (cpu) {
      if (digits.size() < 3 || digits[digits.size() - 2] != '.') return fail(variable, "not a limit");
      digits.erase(digits.size() - 2, 1);
    }
    const auto number = as_number<int64_t>(digits);
    if (!number || *number <= 0 || *number > INT32_MAX) return fail(variable, "not a limit");
    set(cpu ? "local_dns_profile.cpu_limit_in_milli_cores" : "local_dns_profile.memory_limit_in_mb", *number, variable);
  }

  void custom_ca_certificates() {
    const std::string_view count = command_.value("CUSTOM_CA_TRUST_COUNT");
    const auto number = count.empty() ? 0 : as_number<int64_t>(count);
    const auto is_certificate = [](const NbcVariable& variable) {
      return variable.name.starts_with("CUSTOM_CA_CERT_");
    };
    const auto there = std::ranges::count_if(command_.variables, is_certificate);
    const auto first = std::ranges::find_if(command_.variables, is_certificate);
    if (!number || *number != there)
      return fail(there > 0 ? *first : *command_.find("CUSTOM_CA_TRUST_COUNT"),
                  "the number of certificates is not CUSTOM_CA_TRUST_COUNT");
    Json list = Json::array();
    for (int64_t i = 0; i < there; ++i) {
      const NbcVariable* certificate = command_.find("CUSTOM_CA_CERT_" + std::to_string(i));
      if (certificate == nullptr) return fail(*first, "the certificates are not numbered from 0 on");
      list.push_back(with_line_breaks(certificate->value));
    }
    if (there > 0) set("custom_ca_certs", std::move(list), *command_.find("CUSTOM_CA_CERT_0"));
  }

  void authentication() {
    const NbcVariable* token = command_.find("TLS_BOOTSTRAP_TOKEN");
    if (command_.value("ENABLE_SECURE_TLS_BOOTSTRAPPING") == "true" || !token || token->value.empty()) return;
    set("bootstrapping_config.bootstrapping_auth_method", "BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN", *token);
  }

  // No variable contains the address of the DNS service.
  void dns_service() {
    constexpr std::string_view kPath = "cluster_config.cluster_network_config.core_dns_service_ip";
    for (const char* name : {"LOCALDNS_COREFILE_BASE", "LOCALDNS_GENERATED_COREFILE"}) {
      const auto text = out_.sent.find(name);
      if (text == out_.sent.end()) continue;
      CorefileFields fields = corefile_fields(text->second);
      const NbcVariable& variable = *command_.find(name);
      if (!fields.vnet.empty()) set("local_dns_profile.vnet_dns_overrides", std::move(fields.vnet), variable);
      if (!fields.kube.empty()) set("local_dns_profile.kube_dns_overrides", std::move(fields.kube), variable);
      if (!fields.core_dns.empty()) return set(kPath, fields.core_dns, variable);
      break;
    }
    const Json* kubelet = root_.contains("kubelet_config") ? &root_["kubelet_config"] : nullptr;
    if (kubelet == nullptr) return;
    // With the local cache, kubelet is configured with the cache's address, which is link-local.
    const auto take = [&](std::string_view address, const char* variable) {
      if (address.empty() || address.starts_with("169.254.")) return false;
      return set(kPath, address, *command_.find(variable)), true;
    };
    if (kubelet->contains("kubelet_flags"))
      if (const auto flag = (*kubelet)["kubelet_flags"].find("--cluster-dns");
          flag != (*kubelet)["kubelet_flags"].end())
        if (take(split(flag->get_ref<const std::string&>(), ',')[0], "KUBELET_FLAGS")) return;
    if (!kubelet->contains("kubelet_config_file_config")) return;
    const auto list = (*kubelet)["kubelet_config_file_config"].find("clusterDNS");
    if (list != (*kubelet)["kubelet_config_file_config"].end() && list->is_array() && !list->empty() &&
        (*list)[0].is_string())
      take((*list)[0].get<std::string>(), "KUBELET_CONFIG_FILE_CONTENT");
  }

  Result<void> load() {
    contract::Details details;
    const std::string json = root_.dump(-1, ' ', false, Json::error_handler_t::replace);
    auto loaded = contract::load_text(json, "", &details);
    if (!loaded) {
      const std::string& path = details.refusal.path;
      const NbcVariable* variable = command_.find(out_.origin(path.starts_with("$.") ? path.substr(2) : path));
      const std::string place = variable ? nbc_place(text_, variable->at) + ": " + variable->name : "column 1";
      return Error(place + ": " + path + ": " + details.refusal.message);
    }
    out_.loaded = *std::move(loaded);
    for (contract::Finding& finding : out_.loaded.findings) {
      const NbcVariable* variable =
          command_.find(out_.origin(finding.path.substr(std::min<size_t>(2, finding.path.size()))));
      finding.at = {1, variable ? static_cast<int>(variable->at) + 1 : 1};
    }
    return {};
  }

  // Variables that follow from others must be consistent with them.
  Result<void> compare() {
    const Environment environment = cse_environment(out_.loaded.config, {});
    for (const NbcVariable& variable : command_.variables) {
      if (variable.nil) continue;
      const auto computed = environment.find(variable.name);
      if (computed == environment.end()) continue;
      std::string remark;
      if (!nbc_difference(variable.name, variable.value, computed->second, command_, remark))
        return Error(nbc_place(text_, variable.at) + ": " + variable.name +
                     " contradicts the other variables of the command");
      if (!remark.empty()) out_.remarks.push_back(variable.name + ": " + remark);
      if (variable.name.ends_with("COREFILE") || variable.name.ends_with("COREFILE_BASE"))
        compare_corefile(variable, computed->second);
    }
    return {};
  }

  // Comments and white space are ignored.
  void compare_corefile(const NbcVariable& variable, std::string_view computed) {
    const auto lines = [](std::string text) {
      std::vector<std::string> kept;
      for (const std::string_view line : split(text, '\n'))
        if (const auto parts = words(line); !parts.empty() && !parts[0].starts_with('#'))
          kept.push_back(joined(parts, " "));
      return kept;
    };
    if (variable.value.empty()) return;
    if (lines(base64_decode(variable.value).value_or("")) != lines(base64_decode(computed).value_or("")))
      remark(variable, "a config cannot express all of it; the file has it as sent");
  }

  std::string_view text_;
  const NbcCommand& command_;
  NbcConfig out_;
  Json root_;
  std::string error_;
};

}  // namespace

std::string_view NbcConfig::origin(std::string_view path) const {
  while (true) {
    if (const auto found = origins.find(path); found != origins.end()) return found->second;
    const size_t end = path.find_last_of(".[");
    if (end == std::string_view::npos) return {};
    path = path.substr(0, end);
  }
}

Result<NbcConfig> read_nbc_config(std::string_view text) {
  const auto command = read_nbc_command(text);
  if (!command) return command.error();
  return Converter(text, *command).convert();
}

}  // namespace sunup::render
