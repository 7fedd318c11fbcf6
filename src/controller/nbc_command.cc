#include "controller/nbc_command.h"

#include "base/text.h"
#include "contract/secrets.h"
#include "controller/child_environment.h"
#include "controller/cse_command.h"
#include "controller/load_config.h"
#include "controller/os_reason.h"
#include "render/nbc_env.h"
#include "render/nbc_secrets.h"

namespace sunup::controller {

std::string clean_path(const std::string& path) {
  const bool rooted = path.starts_with('/');
  std::vector<std::string_view> parts;
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::string_view part = take_until(rest, '/');
    if (part.empty() || part == ".") continue;
    const bool up = part == "..";
    if (up && !parts.empty() && parts.back() != "..")
      parts.pop_back();
    else if (!up || !rooted)
      parts.push_back(part);
  }
  const std::string out = (rooted ? "/" : "") + joined(parts, "/");
  return out.empty() ? "." : out;
}

void keep_secrets_of_nbc(Node& node, const std::string& text) {
  for (const Secret& secret : render::nbc_secrets(text)) node.redactor.hide(secret.reveal());
  auto variables = render::nbc_environment(text);
  if (const auto token = variables.find("TLS_BOOTSTRAP_TOKEN"); token != variables.end() && !token->second.empty())
    node.bootstrap_token = Secret(std::move(token->second));
}

Result<std::string> read_nbc_file(Node& node, const std::string& path) {
  const std::string clean = clean_path(path);
  const auto info = node.callers_files.info(clean);
  if (!info) return Error("read NBC command file " + path + ": stat " + path + ": " + os_reason(info.error().os_errno));
  if (info->kind != host::FileKind::kRegular) return Error("NBC command file " + path + " must be a regular file");
  auto text = node.callers_files.read(clean, render::kMaxNbcBytes);
  if (!text) return Error("read NBC command file " + path + ": " + os_reason(text.error().os_errno));
  keep_secrets_of_nbc(node, *text);
  return text;
}

Result<std::vector<std::string>> nbc_argv(Node& node, const std::string& path) {
  const auto text = read_nbc_file(node, path);
  if (!text) return text.error();
  if (auto fits = fits_the_kernel(render::nbc_environment(*text)); !fits)
    return std::move(fits).error().in("NBC command file " + path);
  return std::vector<std::string>{"/bin/bash", "--", clean_path(path)};
}

Result<render::NbcConfig> load_nbc_config(Node& node, const std::string& path) {
  const auto text = read_nbc_file(node, path);
  if (!text) return text.error();
  auto read = render::read_nbc_config(*text);
  if (!read) return std::move(read).error().in("NBC command file " + path);
  for (const Secret& secret : contract::secrets_of(read->loaded.config)) node.redactor.hide(secret.reveal());
  for (const std::string& remark : read->remarks) node.log.info("command: " + remark);
  return read;
}

bool prepares_base_only(Node& node, const std::string& path) {
  const auto text = node.callers_files.read(clean_path(path));
  if (!text) return false;
  const auto variables = render::nbc_environment(*text);
  const auto found = variables.find("PRE_PROVISION_ONLY");
  return found != variables.end() && found->second == "true";
}

host::Task<void> compare_with_config(Node& node, std::string nbc_path, std::string config_path) {
  node.log.info("ProvisionConfig and NBCCmd both provided, comparing envs");
  const auto loaded = load_config(node, config_path);
  if (!loaded) {
    node.log.error("compareEnvs: failed to build cmd from provision config", {{"error", loaded.error().what}});
    co_return;
  }
  const auto environment = co_await cse_environment(node, loaded->config);
  if (!environment) {
    node.log.error("compareEnvs: failed to build cmd from provision config", {{"error", environment.error().what}});
    co_return;
  }
  const auto text = node.callers_files.read(clean_path(nbc_path));
  if (!text) {
    node.log.error("compareEnvs: failed to read NBC command file", {{"error", text.error().what}});
    co_return;
  }
  const auto differences = render::compare_environments(*environment, render::nbc_environment(*text));
  const std::string found =
      "env var differences (" + std::to_string(differences.size()) + "): " + joined(differences, "; ");
  node.log.info(differences.empty() ? "compareEnvs: no env var differences found" : found);
  const report::WallTime now = node.now();
  node.tell_guest_agent({.task = "CompareEnvs",
                         .level = report::EventLevel::kInformational,
                         .message = differences.empty() ? "env vars match between provision-config and nbc-cmd" : found,
                         .start = now,
                         .end = now});
}

}  // namespace sunup::controller
