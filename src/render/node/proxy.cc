#include "render/node/proxy.h"

#include <algorithm>
#include <array>

#include "render/node/kubelet_dropins.h"
#include "render/node/unit_text.h"
#include "render/text.h"

namespace sunup::render::node {
namespace {

struct Variable {
  std::array<std::string_view, 2> names;  // programs disagree about the case
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

bool carries_credentials(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/')).find('@') != std::string_view::npos;
}

bool sets_one_of(std::string_view line, const std::vector<Variable>& ours) {
  line = trimmed(line);
  if (line.starts_with("export ")) line = trimmed(line.substr(7));
  const std::string_view name = trimmed(line.substr(0, line.find('=')));
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

// The manager does not expand specifiers here on all versions in use, so percent signs stay single.
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
    const size_t end = std::min(etc_environment.find('\n'), etc_environment.size());
    const std::string_view line = etc_environment.substr(0, end);
    etc_environment.remove_prefix(std::min(end + 1, etc_environment.size()));
    if (!sets_one_of(line, ours)) out.append(line).append("\n");
  }
  for (const Variable& variable : ours)
    for (const auto name : variable.names) out.append(name).append("=").append(variable.value).append("\n");
  return out;
}

std::string proxy_for(const Configuration& config, std::string_view url) {
  const auto& proxy = config.http_proxy_config();
  const std::string& chosen = url.starts_with("https://") ? proxy.https_proxy() : proxy.http_proxy();
  const size_t scheme = url.find("://");
  if (chosen.empty() || scheme == std::string_view::npos) return "";
  std::string_view host = url.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  host = host.substr(host.rfind('@') + 1);
  if (host.starts_with('['))
    host = host.substr(1, host.find(']') - 1);
  else
    host = host.substr(0, host.find(':'));
  for (std::string_view entry : proxy.no_proxy_entries()) {
    entry = trimmed(entry);
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

Result<std::vector<std::pair<std::string, std::string>>> parse_proxy_vars(std::string_view text) {
  const Error refused =
      Error("PROXY_VARS is not a list of export NAME=\"value\"; statements").with_hint("it is not run as shell text");
  constexpr std::array<std::string_view, 6> kKnown = {"http_proxy",  "HTTP_PROXY", "https_proxy",
                                                      "HTTPS_PROXY", "no_proxy",   "NO_PROXY"};
  std::vector<std::pair<std::string, std::string>> found;
  text = trimmed(text);
  while (!text.empty()) {
    if (!text.starts_with("export ")) return refused;
    text = trimmed(text.substr(7));
    const size_t equals = text.find("=\"");
    if (equals == std::string_view::npos) return refused;
    const std::string_view name = text.substr(0, equals);
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) return refused;
    text.remove_prefix(equals + 2);
    const size_t quote = text.find('"');
    if (quote == std::string_view::npos) return refused;
    const std::string_view value = text.substr(0, quote);
    if (value.find_first_of("$`\\\n") != std::string_view::npos) return refused;
    found.emplace_back(name, value);
    text = trimmed(text.substr(quote + 1));
    if (!text.starts_with(';') && !text.empty()) return refused;
    if (!text.empty()) text = trimmed(text.substr(1));
  }
  return found;
}

}  // namespace sunup::render::node
