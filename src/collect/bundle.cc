#include "collect/bundle.h"

#include <fmt/format.h>
#include <zstd.h>

#include "collect/scrub.h"
#include "collect/tar.h"
#include "contract/load.h"
#include "contract/secrets.h"
#include "report/quoted.h"
#include "report/redactor.h"
#include "timeline/build.h"
#include "timeline/formats.h"

namespace sunup::collect {
namespace {

constexpr char kConfig[] = "/opt/azure/containers/aks-node-controller-config.json";
constexpr std::pair<const char*, const char*> kLogs[] = {
    {"cluster-provision.log", "/var/log/azure/cluster-provision.log"},
    {"cloud-init-output.log", "/var/log/cloud-init-output.log"},
    {"trace.1.jsonl", "/var/log/azure/aks-node-controller/trace.1.jsonl"},
    {"os-release", "/etc/os-release"},
    {"containerd-config.toml", "/etc/containerd/config.toml"},
    {"kubeletconfig.json", "/etc/default/kubeletconfig.json"},
};
constexpr size_t kLargestLog = 8 << 20;

// The end of a log is where a failure is.
std::string tail(std::string text) {
  if (text.size() <= kLargestLog) return text;
  const size_t line = text.find('\n', text.size() - kLargestLog);
  return text.substr(line == std::string::npos ? text.size() - kLargestLog : line + 1);
}

// Values too short to be searched for in any text are still whole strings of the config.
std::string without_short_values(std::string text, const std::vector<Secret>& secrets) {
  for (const Secret& secret : secrets) {
    if (secret.reveal().size() >= report::Redactor::kShortest) continue;
    std::string quoted;
    report::append_json_string(quoted, secret.reveal(), report::Markup::kAsIs);
    const std::string mark = fmt::format("\"{}\"", report::Redactor::kMark);
    for (size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + mark.size()))
      text.replace(at, quoted.size(), mark);
  }
  return text;
}

std::string contents(const Bundle& bundle) {
  std::string text =
      "A node's provision, for whoever has to find out what happened. Credentials were replaced by [redacted].\n"
      "`sunup timeline DIR` reads this directory; timeline.html needs only a browser.\n\n";
  for (const auto& [name, content] : bundle.files) text += fmt::format("{:>10}  {}\n", content.size(), name);
  for (const std::string& one : bundle.left_out) text += "left out: " + one + "\n";
  return text;
}

}  // namespace

void add_logs(Material& material, host::Files& files, const std::string& root) {
  if (auto config = files.read(root + kConfig)) material.config = std::move(*config);
  for (const auto& [name, path] : kLogs)
    if (auto text = files.read(root + path)) material.more_logs.emplace_back(name, tail(std::move(*text)));
}

Bundle make_bundle(Material material) {
  Bundle bundle;
  report::Redactor redactor;
  std::vector<Secret> secrets;
  bool secrets_known = true;
  if (material.config) {
    const auto loaded = contract::load_text(*material.config, "config.json");
    secrets_known = loaded.ok();
    if (loaded) secrets = contract::secrets_of(loaded->config);
    for (const Secret& secret : secrets) redactor.hide(secret.reveal());
  }
  const auto clean = [&redactor](std::string_view text) { return scrub(redactor.redact(text)); };
  const auto add = [&](const std::string& name, const std::optional<std::string>& text) {
    if (text) bundle.files.emplace_back(name, clean(*text));
  };
  timeline::Sources& sources = material.sources;
  if (!material.config)
    bundle.left_out.emplace_back("config.json: there is none");
  else if (!secrets_known)
    bundle.left_out.emplace_back("config.json: it cannot be read, so what is secret in it is not known");
  else
    bundle.files.emplace_back("config.json", clean(without_short_values(*material.config, secrets)));

  // The pictures are made from what is in the bundle, so that they hold nothing else.
  for (auto* text : {&sources.run_record, &sources.controller_log, &sources.journal, &sources.units,
                     &sources.cloud_init_log, &sources.provision_json})
    if (*text) *text = clean(**text);
  for (auto& [name, text] : sources.events) text = clean(text);
  if (const auto built = timeline::build(sources)) {
    bundle.files.emplace_back("timeline.txt", timeline::as_text(*built));
    bundle.files.emplace_back("timeline.json", timeline::as_json(*built));
    bundle.files.emplace_back("timeline.html", timeline::as_html(*built));
  } else {
    bundle.left_out.push_back("timeline: " + built.error().what);
  }
  add("provision.json", sources.provision_json);
  add("aks-node-controller.log", sources.controller_log);
  add("trace.jsonl", sources.run_record);
  add("units.txt", sources.units);
  add("boot_id", sources.units_boot);
  add("journal.json", sources.journal);
  add("cloud-init.log", sources.cloud_init_log);
  for (const auto& [name, text] : material.more_logs) bundle.files.emplace_back(name, clean(text));
  for (const auto& [name, text] : sources.events) bundle.files.emplace_back("events/" + name, text);
  for (const timeline::SourceNote& note : sources.notes)
    if (!note.found) bundle.left_out.push_back(note.name + ": " + note.detail);
  bundle.files.emplace(bundle.files.begin(), "README.txt", contents(bundle));
  return bundle;
}

Result<std::string> pack(const Bundle& bundle, int64_t modified) {
  Tar tar(modified);
  for (const auto& [name, content] : bundle.files)
    if (auto added = tar.add(name, content); !added) return std::move(added).error();
  const std::string plain = std::move(tar).finish();
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const size_t size = ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 6);
  if (ZSTD_isError(size) != 0) return Error(fmt::format("compressing the bundle: {}", ZSTD_getErrorName(size)));
  packed.resize(size);
  return packed;
}

}  // namespace sunup::collect
