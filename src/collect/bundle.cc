#include "collect/bundle.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/node_paths.h"
#include "collect/log_text.h"
#include "collect/tar.h"
#include "contract/fields.h"
#include "contract/load.h"
#include "contract/secrets.h"
#include "redaction/scrub.h"
#include "render/nbc_secrets.h"
#include "report/provision_result.h"
#include "timeline/bounded_read.h"
#include "timeline/build.h"
#include "timeline/formats.h"
#include "timeline/run_record.h"

namespace sunup::collect {
namespace {

struct LogFile {
  const char* name;  // in the bundle
  const char* path;
  bool free_text;
  bool always;  // every provisioned node has it
};
constexpr LogFile kLogs[] = {
    {"cluster-provision.log", paths::kScriptLog, true, true},
    {"cloud-init-output.log", "/var/log/cloud-init-output.log", true, true},
    {"waagent.log", "/var/log/waagent.log", true, true},
    {"custom-script/handler.log", "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/handler.log", true, false},
    {"custom-script/CommandExecution.log",
     "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/CommandExecution.log", true, false},
    {"trace.1.jsonl", "/var/log/azure/aks-node-controller/trace.1.jsonl", true, false},
    {"trace.2.jsonl", "/var/log/azure/aks-node-controller/trace.2.jsonl", true, false},
    {"os-release", "/etc/os-release", false, true},
    {"containerd-config.toml", paths::kContainerdConfig, true, true},
    {"kubelet-flags", paths::kKubeletFlags, true, true},
    {"kubelet.service", paths::kKubeletUnit, true, false},
    {"kubeletconfig.json", paths::kKubeletConfig, false, false},
};
static_assert(timeline::kRunRecordsKept == 3, "each of the earlier records is named above");
// All files of a directory.
struct Folder {
  std::string name;  // in the bundle
  std::string path;
};
constexpr size_t kMostOfAFolder = 100;
constexpr size_t kLargestOfAFolder = 256 << 10;
// Each version of an extension's handler has a directory here with its N.status files: the status that Azure receives.
constexpr char kHandlers[] = "/var/lib/waagent";
constexpr size_t kLargestLog = 8 << 20;
constexpr size_t kLargestConfig = 16 << 20;

std::vector<std::string> places_of(const std::string& directory, const char* path) {
  if (directory.empty()) return {path};
  return timeline::places(directory, path);
}

// In a bundle the file may have another name.
std::vector<std::string> places_of(const std::string& directory, const LogFile& log) {
  auto all = places_of(directory, log.path);
  if (directory.empty()) return all;
  if (const std::string own = directory + "/" + log.name; std::ranges::find(all, own) == all.end())
    all.insert(all.begin(), own);
  return all;
}

Given given(host::Files& files, const std::string& directory, const char* path) {
  for (const std::string& place : places_of(directory, path)) {
    const auto info = files.info(place);
    if (!info && info.error().os_errno == ENOENT) continue;
    if (!info) return {.text = {}, .trouble = info.error().what};
    if (info->kind != host::FileKind::kRegular) return {.text = {}, .trouble = place + " is not a file"};
    if (info->size > kLargestConfig) return {.text = {}, .trouble = place + " is too large"};
    auto text = files.read(place);
    if (!text) return {.text = {}, .trouble = text.error().what};
    return {.text = std::move(*text), .trouble = {}};
  }
  return {};
}

void add_names(const contract::MessageFields& fields, std::set<std::string, std::less<>>& names) {
  for (const contract::Field& field : fields.all()) {
    if (field.secret) names.insert(redaction::plain_name(field.name));
    if (field.message != nullptr) add_names(*field.message, names);
  }
}

// Whether the name is that of a secret field of the node config or of a secret variable of the CSE environment.
bool is_secret_of_config(std::string_view name) {
  static const auto* names = [] {
    auto* made = new std::set<std::string, std::less<>>;
    add_names(contract::configuration_fields(), *made);
    return made;
  }();
  return render::is_secret_variable(name) || names->contains(redaction::plain_name(name));
}

// The secrets of this node, by value and by name.
class Secrets {
 public:
  explicit Secrets(const Material& material) {
    if (material.config.text) {
      const auto loaded = contract::load_text(*material.config.text, "config.json");
      if (loaded)
        hide(contract::secrets_of(loaded->config));
      else
        trouble_ = "the config cannot be read";
    }
    if (material.nbc_command.text) hide(render::nbc_secrets(*material.nbc_command.text));
    if (!material.config.trouble.empty()) trouble_ = "the config cannot be read (" + material.config.trouble + ")";
    if (!material.nbc_command.trouble.empty())
      trouble_ = "the command file cannot be read (" + material.nbc_command.trouble + ")";
  }

  // Not empty: there are secrets whose values are unknown, with the reason.
  const std::string& trouble() const { return trouble_; }
  const redaction::Sieve& sieve() const { return sieve_; }

 private:
  void hide(const std::vector<Secret>& secrets) {
    for (const Secret& secret : secrets) sieve_.hide(secret.reveal());
  }

  redaction::Sieve sieve_{is_secret_of_config};
  std::string trouble_;
};

std::string contents(const Bundle& bundle) {
  std::string text =
      "Support bundle of a node's provisioning. Credentials are replaced by [redacted].\n`sunup timeline DIR` reads "
      "this directory; timeline.html needs only a browser.\n";
  if (!bundle.sieves.empty()) text += bundle.sieves + "\n";
  text += "\n";
  for (const auto& [name, content] : bundle.files) text += fmt::format("{:>10}  {}\n", content.size(), name);
  for (const std::string& one : bundle.left_out) text += "left out: " + one + "\n";
  return text;
}

void clean(timeline::Sources& sources, const redaction::Sieve& sieve) {
  if (sources.journal) sources.journal = readable_journal(*sources.journal);
  for (auto* text : {&sources.run_record, &sources.controller_log, &sources.journal, &sources.units,
                     &sources.units_boot, &sources.cloud_init_log, &sources.provision_json})
    if (*text) *text = sieve.clean(**text);
  for (auto& [name, text] : sources.events) text = sieve.clean(text);
  for (timeline::SourceNote& note : sources.notes) note.detail = sieve.clean(note.detail);
}

void add_timeline(Bundle& bundle, const timeline::Sources& sources) {
  const auto built = timeline::build(sources);
  if (!built) {
    bundle.left_out.push_back("timeline: " + built.error().what);
    return;
  }
  bundle.files.emplace_back("timeline.txt", timeline::as_text(*built));
  bundle.files.emplace_back("timeline.json", timeline::as_json(*built));
  bundle.files.emplace_back("timeline.html", timeline::as_html(*built));
}

void say_how_secrets_were_found(Bundle& bundle, const Material& material, const Secrets& secrets) {
  if (!secrets.trouble().empty())
    bundle.sieves = "Free text is omitted: " + secrets.trouble() + ", so the secrets of this node are unknown.";
  else if (!material.config.text && !material.nbc_command.text)
    bundle.sieves =
        "There was no node config: credentials were found only by name and pattern, not by value. Review the logs "
        "before you share this bundle.";
}

std::vector<Folder> folders(host::Files& files, const std::string& directory) {
  // The drop-ins of a unit from the image, from provisioning and from users.
  std::vector<Folder> all = {{"kubelet.service.d", "/etc/systemd/system/kubelet.service.d"},
                             {"containerd.service.d", "/etc/systemd/system/containerd.service.d"},
                             {"run-kubelet.service.d", "/run/systemd/system/kubelet.service.d"},
                             {"run-containerd.service.d", "/run/systemd/system/containerd.service.d"}};
  std::set<std::string> handlers;
  std::vector<std::string> places = {directory + kHandlers};
  if (!directory.empty()) places.push_back(directory);  // an unpacked bundle
  for (const std::string& place : places) {
    const auto names = files.list(place);
    if (!names) continue;
    for (const std::string& name : *names)
      if (name.find("CustomScript-") != std::string::npos) handlers.insert(name);
  }
  for (const std::string& handler : handlers)
    all.push_back({handler + "/status", fmt::format("{}/{}/status", kHandlers, handler)});
  return all;
}

void add_folder(Material& material, host::Files& files, const std::string& directory, const Folder& folder) {
  std::vector<std::string> places = {directory + folder.path};
  if (!directory.empty()) places.push_back(fmt::format("{}/{}", directory, folder.name));
  for (const std::string& place : places) {
    auto names = files.list(place);
    if (!names && !host::is_absent(names.error()))
      material.missing.push_back(fmt::format("{}: {}", folder.name, names.error().what));
    if (!names) continue;
    std::ranges::sort(*names);
    size_t taken = 0;
    for (const std::string& name : *names) {
      const std::string path = place + "/" + name;
      const std::string shown = fmt::format("{}/{}", folder.name, name);
      const auto info = files.info(path);
      if (!info && !host::is_absent(info.error()))
        material.missing.push_back(fmt::format("{}: {}", shown, info.error().what));
      if (!info || info->kind != host::FileKind::kRegular) continue;
      if (taken == kMostOfAFolder || info->size > kLargestOfAFolder) {
        material.missing.push_back(shown + ": too many or too large");
        continue;
      }
      if (auto text = files.read_part(path, 0, kLargestOfAFolder)) {
        material.more_logs.push_back({shown, std::move(*text), true});
        ++taken;
      } else {
        material.missing.push_back(fmt::format("{}: {}", shown, text.error().what));
      }
    }
    return;
  }
}

}  // namespace

void add_logs(Material& material, host::Files& files, const std::string& directory) {
  material.config = given(files, directory, paths::kNodeConfig);
  material.nbc_command = given(files, directory, paths::kNbcCommand);
  for (const LogFile& log : kLogs) {
    const auto places = places_of(directory, log);
    std::string trouble = timeline::not_at(places);
    bool found = false;
    for (const std::string& place : places) {
      const auto info = files.info(place);
      if (!info && !host::is_absent(info.error())) trouble = info.error().what;
      if (!info || info->kind != host::FileKind::kRegular) continue;
      auto read = timeline::read_ends(files, place, kLargestLog);
      if (!read) {
        trouble = read.error().what;
        continue;
      }
      if (const std::string cut = timeline::said_of_cut(*read); !cut.empty())
        material.missing.push_back(fmt::format("{}: {}", log.name, cut));
      material.more_logs.push_back({log.name, std::move(read->text), log.free_text});
      found = true;
      break;
    }
    if (!found && log.always) material.missing.push_back(fmt::format("{}: {}", log.name, trouble));
  }
  for (const Folder& folder : folders(files, directory)) add_folder(material, files, directory, folder);
}

Bundle make_bundle(Material material) {
  Bundle bundle;
  const Secrets secrets(material);
  const redaction::Sieve& sieve = secrets.sieve();
  const bool open = secrets.trouble().empty();
  say_how_secrets_were_found(bundle, material, secrets);
  if (!material.config.text && material.config.trouble.empty())
    bundle.left_out.emplace_back("config.json: not found");
  else if (!open)
    bundle.left_out.push_back("config.json: " + secrets.trouble());
  else
    bundle.files.emplace_back("config.json", sieve.clean_json(std::move(*material.config.text)));

  timeline::Sources& sources = material.sources;
  if (!open) {
    if (sources.provision_json) sources.provision_json = report::without_free_text(*sources.provision_json);
    if (sources.run_record) sources.run_record = reduced_record(*sources.run_record);
    if (sources.controller_log) sources.controller_log = reduced_log(*sources.controller_log);
  }
  clean(sources, sieve);
  add_timeline(bundle, sources);
  const auto add = [&](const std::string& name, std::optional<std::string>& text, bool free_text) {
    if (!text) return;
    if (open || !free_text)
      bundle.files.emplace_back(name, std::move(*text));
    else
      bundle.left_out.push_back(name + ": " + secrets.trouble());
  };
  add("provision.json", sources.provision_json, false);
  add(paths::kLogName, sources.controller_log, false);
  add("trace.jsonl", sources.run_record, false);
  add("units.txt", sources.units, false);
  add("boot_id", sources.units_boot, false);
  add("journal.json", sources.journal, true);
  add("cloud-init.log", sources.cloud_init_log, true);
  for (const Material::Log& log : material.more_logs) {
    std::optional<std::string> text = open || !log.free_text ? sieve.clean(log.text) : "";
    add(log.name, text, log.free_text);
  }
  if (open)
    for (auto& [name, text] : sources.events) bundle.files.emplace_back("events/" + name, std::move(text));
  else if (!sources.events.empty())
    bundle.left_out.push_back("events: " + secrets.trouble());
  for (const timeline::SourceNote& note : sources.notes)
    if (!note.found || note.cut) bundle.left_out.push_back(note.name + ": " + note.detail);
  for (const std::string& one : material.missing) bundle.left_out.push_back(sieve.clean(one));
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
