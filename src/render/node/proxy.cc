#include "render/node/proxy.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/url.h"
#include "render/node/kubelet_dropins.h"
#include "render/node/unit_text.h"

namespace sunup::render::node {
namespace {

struct Variable {
  std::array<std::string_view, 2> names;  // programs differ in the case that they read
  std::string value;
};

std::vector<Variable> variables(const Configuration& config) {
  const auto& proxy = config.http_proxy_config();
  std::vector<Variable> all = {{{"HTTP_PROXY", "http_proxy"}, proxy.http_proxy()},
                               {{"HTTPS_PROXY", "https_proxy"}, proxy.https_proxy()},
                               {{"NO_PROXY", "no_proxy"}, joined(proxy.no_proxy_entries(), ",")}};
  std::erase_if(all, [](const Variable& variable) { return variable.value.empty(); });
  return all;
}

// An '@' anywhere before the path counts, because it is better to restrict a file unnecessarily.
bool carries_credentials(std::string_view url) {
  if (const size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return take_until(url, '/').find('@') != std::string_view::npos;
}

bool sets_one_of(std::string_view line, const std::vector<Variable>& ours) {
  line = unicode::trimmed(line);
  if (line.starts_with("export ")) line = unicode::trimmed(line.substr(7));
  const std::string_view name = unicode::trimmed(line.substr(0, line.find('=')));
  return std::any_of(ours.begin(), ours.end(), [name](const Variable& variable) {
    return std::find(variable.names.begin(), variable.names.end(), name) != variable.names.end();
  });
}

// No value may end its line or its quotes in any of the four files.
Result<void> check(const std::vector<Variable>& ours) {
  for (const Variable& variable : ours) {
    if (variable.value.find_first_of("\r\n\"\\") == std::string::npos) continue;
    return Error("http_proxy_config: the value for " + std::string(variable.names[0]) +
                 " contains a quote, a backslash or a line break")
        .with_hint("percent-encode such characters in a URL");
  }
  return {};
}

std::string apt_text(const Configuration& config) {
  std::string text;
  const auto& proxy = config.http_proxy_config();
  if (!proxy.http_proxy().empty()) text += "Acquire::http::proxy \"" + proxy.http_proxy() + "\";\n";
  if (!proxy.https_proxy().empty()) text += "Acquire::https::proxy \"" + proxy.https_proxy() + "\";\n";
  return text;
}

// Some supported versions of systemd do not expand specifiers here, so percent signs are not doubled.
std::string manager_text(const std::vector<Variable>& ours) {
  UnitText text;
  text.section("Manager");
  for (const Variable& variable : ours)
    for (const auto name : variable.names)
      text.set("DefaultEnvironment", std::string("\"").append(name).append("=").append(variable.value).append("\""));
  return std::move(text).take();
}

}  // namespace

bool has_proxy(const Configuration& config) {
  const auto& proxy = config.http_proxy_config();
  return !proxy.http_proxy().empty() || !proxy.https_proxy().empty();
}

bool proxy_has_credentials(const Configuration& config) {
  const auto& proxy = config.http_proxy_config();
  return carries_credentials(proxy.http_proxy()) || carries_credentials(proxy.https_proxy());
}

std::string environment_with_proxy(std::string_view etc_environment, const Configuration& config) {
  const auto ours = variables(config);
  std::string out;
  while (!etc_environment.empty()) {
    const std::string_view line = take_until(etc_environment, '\n');
    if (!sets_one_of(line, ours)) out.append(line).append("\n");
  }
  for (const Variable& variable : ours)
    for (const auto name : variable.names) out.append(name).append("=").append(variable.value).append("\n");
  return out;
}

std::string proxy_for(const Configuration& config, std::string_view url) {
  const auto& proxy = config.http_proxy_config();
  const std::string& chosen = is_https(url) ? proxy.https_proxy() : proxy.http_proxy();
  const auto parts = split_url(url);
  if (chosen.empty() || !parts || parts->scheme.empty()) return "";
  const std::string_view host = parts->host;
  for (std::string_view entry : proxy.no_proxy_entries()) {
    entry = unicode::trimmed(entry);
    if (entry == "*") return "";
    if (entry.starts_with('.')) entry.remove_prefix(1);
    if (entry.empty() || !host.ends_with(entry)) continue;
    if (host.size() == entry.size() || host[host.size() - entry.size() - 1] == '.') return "";
  }
  return chosen.find("://") == std::string::npos ? "http://" + chosen : chosen;
}

Result<NodeFiles> proxy_files(const Configuration& config, const NodeFacts& facts) {
  if (!has_proxy(config)) return NodeFiles{};
  const auto ours = variables(config);
  if (auto checked = check(ours); !checked) return checked.error();
  const bool secret = proxy_has_credentials(config);
  const unsigned mode = secret ? 0600 : 0644;
  UnitText kubelet;
  kubelet.section("Service").set("EnvironmentFile", "/etc/environment");
  NodeFiles files = {
      edited_file("/etc/environment", mode, environment_with_proxy(facts.text("/etc/environment"), config), secret),
      {"/etc/systemd/system.conf.d/proxy.conf", mode, manager_text(ours), secret},
      {kubelet_dropin_path("10-httpproxy.conf"), 0644, std::move(kubelet).take()},
  };
  if (traits(facts.distro).packages == PackageFormat::kDeb) {
    files.push_back({"/etc/apt/apt.conf.d/95proxy", mode, apt_text(config), secret});
  }
  return files;
}

}  // namespace sunup::render::node
