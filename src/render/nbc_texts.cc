#include "render/nbc_texts.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/quoted.h"
#include "base/text.h"
#include "base/utf8.h"
#include "contract/fields.h"
#include "render/sysctl.h"

namespace sunup::render {
namespace {

using Json = nlohmann::ordered_json;

// Go splits an empty text into a list with one empty item.
bool is_empty_list(const Json& value) {
  return value.is_array() && value.size() == 1 && value[0] == "";
}

void rename(Json& object, const char* from, const char* to) {
  if (!object.is_object() || !object.contains(from)) return;
  object[to] = object[from];
  object.erase(from);
}

std::string field_of(std::string_view key) {
  if (key == "net.ipv4.tcp_keepalive_intvl") return "net_ipv4_tcpkeepalive_intvl";
  std::string name(key);
  std::ranges::replace(name, '.', '_');
  std::ranges::replace(name, '-', '_');
  return name;
}

// A basic string of TOML without its quotes; empty if it is not one.
std::string toml_string(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return "";
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    constexpr std::string_view kNames = "btnfr\"\\", kMeant = "\b\t\n\f\r\"\\";
    const char name = text[++i];
    if (const size_t known = kNames.find(name); known != std::string_view::npos) {
      out += kMeant[known];
      continue;
    }
    const size_t digits = name == 'u' ? 4 : name == 'U' ? 8 : 0;
    uint32_t code = 0;
    const std::string_view hex = text.substr(i + 1, digits);
    if (digits == 0 || std::from_chars(hex.begin(), hex.end(), code, 16).ptr != hex.end() || hex.size() != digits)
      return "";
    append_utf8(out, code);
    i += digits;
  }
  return out;
}

// The value of `name = "value"`; empty if the line is something else.
std::string toml_text(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return "";
  line = trimmed(line.substr(name.size()));
  if (!line.starts_with('=')) return "";
  line = trimmed(line.substr(1));
  return toml_string(line);
}

}  // namespace

Result<Json> kubelet_file_fields(std::string_view text, std::vector<std::string>& remarks) {
  // Deeper values are dropped during parsing, because the destructor and the writer of a tree are recursive.
  constexpr int kDeepest = 100;
  bool too_deep = false;
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return depth <= kDeepest;
  };
  Json file = Json::parse(text, shallow, /*allow_exceptions=*/false);
  if (too_deep) return Error("it has more than 100 levels");
  if (!file.is_object()) return Error("it is not a JSON object");
  for (const char* list : {"clusterDNS", "tlsCipherSuites", "enforceNodeAllocatable"})
    if (file.contains(list) && is_empty_list(file[list])) file.erase(list);
  if (file.contains("authentication") && file["authentication"].is_object() &&
      file["authentication"].contains("webhook"))
    rename(file["authentication"]["webhook"], "cacheTTL", "cacheTtl");
  if (file.contains("authorization") && file["authorization"].is_object() &&
      file["authorization"].contains("webhook")) {
    rename(file["authorization"]["webhook"], "cacheAuthorizedTTL", "cacheAuthorizedTtl");
    rename(file["authorization"]["webhook"], "cacheUnauthorizedTTL", "cacheUnauthorizedTtl");
  }
  if (file.contains("podPidsLimit") && file["podPidsLimit"].is_number_integer() &&
      file["podPidsLimit"].get<int64_t>() > INT32_MAX) {
    file["podPidsLimit"] = INT32_MAX;
    remarks.emplace_back("KUBELET_CONFIG_FILE_CONTENT: podPidsLimit does not fit the config; the file has it as sent");
  }
  rename(file, "serverTLSBootstrap", "server_tls_bootstrap");  // a separate variable sets it by this name
  // The contract represents null by an absent member.
  for (auto it = file.begin(); it != file.end();) it = it->is_null() ? file.erase(it) : std::next(it);
  return file;
}

std::vector<std::pair<std::string, std::string>> sysctl_lines(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> lines;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_until(text, '\n'));
    const size_t equals = line.find('=');
    if (line.starts_with('#') || line.starts_with(';') || equals == std::string_view::npos) continue;
    lines.emplace_back(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
  }
  return lines;
}

Json sysctl_fields(std::string_view text, std::vector<std::string>& remarks) {
  const auto defaults = sysctl_settings({});
  Json out = Json::object();
  for (const auto& [key, value] : sysctl_lines(text)) {
    const auto usual = std::ranges::find(defaults, key, &Sysctl::key);
    if ((usual != defaults.end() && usual->value == value) || key == "net.ipv4.ip_local_reserved_ports") continue;
    const std::string name = field_of(key);
    const contract::Field* field = contract::field_at("custom_linux_os_config.sysctl_config." + name);
    const auto number = as_number<int64_t>(value);
    if (field && field->kind == contract::FieldKind::kString)
      out[name] = value;
    else if (field && field->kind == contract::FieldKind::kBool && (value == "0" || value == "1"))
      out[name] = value == "1";
    else if (field && field->kind == contract::FieldKind::kInt32 && number && *number >= INT32_MIN &&
             *number <= INT32_MAX)
      out[name] = *number;
    else
      remarks.push_back("SYSCTL_CONTENT: " + go_quoted(key) + " has no place in a config; the file has it as sent");
  }
  if (out.contains("net_ipv4_tcp_tw_reuse") && out["net_ipv4_tcp_tw_reuse"] == true)
    remarks.emplace_back("SYSCTL_CONTENT: net.ipv4.tcp_tw_reuse is 1 if it was set at all, also to false");
  return out;
}

ContainerdFields containerd_fields(std::string_view toml) {
  ContainerdFields out;
  std::string table;
  while (!toml.empty()) {
    const std::string_view line = trimmed(take_until(toml, '\n'));
    if (line.starts_with('[')) table = line;
    if (table.empty() && out.root.empty()) out.root = toml_text(line, "root");
    if (out.sandbox_image.empty() && table == "[plugins.\"io.containerd.grpc.v1.cri\"]")
      out.sandbox_image = toml_text(line, "sandbox_image");
    if (out.sandbox_image.empty() && table == "[plugins.\"io.containerd.cri.v1.images\".pinned_images]")
      out.sandbox_image = toml_text(line, "sandbox");
  }
  return out;
}

CorefileFields corefile_fields(std::string_view corefile) {
  constexpr std::string_view kAzureDns = "168.63.129.16", kClusterListener = "169.254.10.11";
  CorefileFields out{Json::object(), Json::object(), ""};
  std::string zone;
  Json block;
  bool for_pods = false;
  int depth = 0;
  const auto number = [](std::string_view text) { return as_number<int64_t>(text).value_or(0); };
  while (!corefile.empty()) {
    const auto parts = words(take_until(corefile, '\n'));
    if (parts.empty() || parts[0].starts_with('#')) continue;
    const std::string_view first = parts[0], second = parts.size() > 1 ? parts[1] : std::string_view();
    if (depth == 0 && first.ends_with(":53")) {
      zone = first.substr(0, first.size() - 3);
      block = Json::object();
      for_pods = false;
    }
    if (first == "errors") block["query_logging"] = "Error";
    if (first == "log") block["query_logging"] = "Log";
    if (first == "bind") for_pods = parts.back() == kClusterListener && parts.size() == 2;
    if (first == "forward" && parts.size() > 2) {
      block["forward_destination"] = parts[2] == kAzureDns ? "VnetDNS" : "ClusterCoreDNS";
      if (parts[2] != kAzureDns) out.core_dns = parts[2];
    }
    if (first == "force_tcp") block["protocol"] = "ForceTCP";
    if (first == "prefer_udp") block["protocol"] = "PreferUDP";
    if (first == "policy")
      block["forward_policy"] = second == "round_robin" ? "RoundRobin" : second == "random" ? "Random" : "Sequential";
    if (first == "max_concurrent") block["max_concurrent"] = number(second);
    if (first == "health_check") {
      Json& check = block["health_check"] = {{"duration", second}};
      for (size_t i = 2; i < parts.size(); ++i) {
        if (parts[i] == "no_rec") check["no_rec"] = true;
        if (parts[i] == "domain" && i + 1 < parts.size()) check["domain"] = parts[i + 1];
      }
    }
    if (first == "failfast_all_unhealthy_upstreams") block["failfast_all_unhealthy_upstreams"] = true;
    if (first == "cache" && depth == 1) block["cache_duration_in_seconds"] = number(second);
    if (first == "serve_stale" && parts.size() > 2 && second.ends_with('s')) {
      block["serve_stale_duration_in_seconds"] = number(second.substr(0, second.size() - 1));
      block["serve_stale"] = parts[2] == "verify" ? "Verify" : "Immediate";
    }
    if (parts.back() == "{") ++depth;
    if (first != "}") continue;
    if (--depth > 0) continue;
    depth = 0;
    if (!zone.empty() && block.contains("forward_destination")) (for_pods ? out.kube : out.vnet)[zone] = block;
    zone.clear();
  }
  return out;
}

}  // namespace sunup::render
