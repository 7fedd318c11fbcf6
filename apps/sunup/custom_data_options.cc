#include "custom_data_options.h"

#include <cstdio>
#include <filesystem>

#include "load_config.h"
#include "plan/hook.h"
#include "standard_output.h"
#include "verbs.h"

namespace sunup {
namespace {

std::vector<std::string> names_in(const auto& table) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table) names.emplace_back(name);
  return names;
}

}  // namespace

void CustomDataFlags::add_to(CLI::App& verb) {
  verb.add_option("--config", config, "the node config (JSON); - is standard input")->required();
  verb.add_option("--os", os, "the image's operating system: ubuntu2204, ubuntu2404, azurelinux3, flatcar, acl ...")
      ->capture_default_str();
  verb.add_option("--form", form,
                  "auto (the form that the operating system reads), boothook, ignition or write-files (old images)")
      ->check(one_of(names_in(render::kFormNames)))
      ->capture_default_str();
  verb.add_option("--gzip", compression, "auto (only if it would be too big otherwise), always or never")
      ->check(one_of(names_in(render::kCompressionNames)))
      ->capture_default_str();
  verb.add_option("--placeholder", placeholder,
                  "a text of the config, such as a template of the bootstrap token, that a client replaces before the "
                  "node sees it: it is not encoded or compressed");
  results.add_to(verb);
  verb.add_option("--hook", hooks,
                  "files NAME.json with declarations of hooks, which the node gets before the config (docs/hooks.md)");
  verb.add_flag("--verbatim", verbatim, "embed the bytes of the file instead of the canonical form of the config");
  verb.add_flag("--strict", strict, kStrictHelp);
}

namespace {

// A declaration that a node would refuse is refused here. Whether the steps in it exist depends on the version of the
// controller in the image.
Result<render::HookFile> load_hook(const std::string& path) {
  auto text = contract::read_config_file(path);
  if (!text) return std::move(text).error();
  const std::filesystem::path file(path);
  if (file.extension() != ".json") return Error(path + ": the name of a declaration ends with .json");
  const std::string name = file.stem();
  if (const auto hook = plan::parse_hook(name, *text); !hook) return hook.error().in(path);
  return render::HookFile{.name = name, .text = *std::move(text)};
}

}  // namespace

std::optional<ForNode> load_for_node(const CustomDataFlags& flags, int& exit_code) {
  const Result<render::CustomDataForm> of_the_os = render::form_for_os(flags.os);
  if (!of_the_os) {
    exit_code = complain("", of_the_os.error().in("--os"));
    return std::nullopt;
  }
  auto results = flags.results.read();
  if (!results) {
    exit_code = complain("", results.error());
    return std::nullopt;
  }
  ForNode node;
  node.options.results = *std::move(results);
  node.options.form = render::form_named(flags.form, *of_the_os);
  node.options.compression = render::compression_named(flags.compression);
  for (const std::string& path : flags.hooks) {
    auto hook = load_hook(path);
    if (!hook) {
      const int code = hook.error().os_errno != 0 ? 2 : 1;
      exit_code = complain("", hook.error().in("--hook"), code);
      return std::nullopt;
    }
    node.options.hooks.push_back(*std::move(hook));
  }
  auto loaded = load_config(flags.config, flags.strict ? Checked::kStrict : Checked::kTold, exit_code);
  if (!loaded) return std::nullopt;
  node.config = std::move(loaded->config);
  node.options.unknown = std::move(loaded->unknown);
  // A view: `flags` outlives the rendering of the data.
  node.options.placeholder = flags.placeholder;
  if (flags.verbatim) node.options.verbatim = std::move(loaded->text);
  return node;
}

int print_or_complain(const Result<std::string>& text) {
  if (!text) return complain("", text.error(), 1);
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}

}  // namespace sunup
