#include <sunup/render.h>

#include "client/content.h"
#include "render/cse_env.h"
#include "render/custom_data.h"
#include "render/node/files.h"
#include "render/vmss.h"

namespace sunup {

Result<std::map<std::string, std::string>> cse_environment(const NodeConfig& config, const NodeImage& image) {
  render::ImageFacts facts{image.containerd_version, {}};
  if (!image.components_json.empty()) {
    auto gpu = render::parse_gpu_components(image.components_json);
    if (!gpu) return std::move(gpu).error().in("components");
    facts.gpu = *std::move(gpu);
  }
  return render::cse_environment(config.content().config, facts);
}

namespace {

render::CustomDataForm form_of(CustomDataOptions::Form form, render::CustomDataForm of_the_os) {
  switch (form) {
    case CustomDataOptions::Form::kOfTheOs:
      return of_the_os;
    case CustomDataOptions::Form::kBoothook:
      return render::CustomDataForm::kBoothook;
    case CustomDataOptions::Form::kIgnition:
      return render::CustomDataForm::kIgnition;
    case CustomDataOptions::Form::kWriteFiles:
      return render::CustomDataForm::kWriteFiles;
  }
  return of_the_os;
}

render::Compression compression_of(CustomDataOptions::Gzip gzip) {
  switch (gzip) {
    case CustomDataOptions::Gzip::kIfNeeded:
      return render::Compression::kIfNeeded;
    case CustomDataOptions::Gzip::kAlways:
      return render::Compression::kAlways;
    case CustomDataOptions::Gzip::kNever:
      return render::Compression::kNever;
  }
  return render::Compression::kIfNeeded;
}

// The options refer to the placeholder in `wanted`.
Result<render::CustomDataOptions> options_for(const NodeConfig& config, const CustomDataOptions& wanted) {
  const Result<render::CustomDataForm> of_the_os = render::form_for_os(wanted.os);
  if (!of_the_os) return of_the_os.error();
  render::CustomDataOptions options;
  options.form = form_of(wanted.form, *of_the_os);
  options.compression = compression_of(wanted.gzip);
  options.unknown = config.content().unknown;
  if (wanted.verbatim) options.verbatim = config.content().text;
  options.placeholder = wanted.placeholder;
  if (!wanted.results_url.empty()) {
    auto results = render::make_result_service(wanted.results_url, wanted.results_ca);
    if (!results) return std::move(results).error();
    options.results = *std::move(results);
  } else if (!wanted.results_ca.empty()) {
    return Error("there is a CA of the address for results, but no address");
  }
  return options;
}

Result<render::node::NodeFacts> facts_for(const NodeFilesOptions& options) {
  const auto distro = render::distro_by_name(options.os);
  if (!distro) return Error("unknown operating system '" + options.os + "'");
  Result<render::node::NodeFacts> facts = options.facts_json.empty()
                                              ? render::node::golden_image(*distro)
                                              : render::node::facts_from_json(options.facts_json);
  if (facts && !options.containerd_version.empty()) facts->containerd_version = options.containerd_version;
  return facts;
}

}  // namespace

Result<std::string> custom_data(const NodeConfig& config, const CustomDataOptions& wanted) {
  const Result<render::CustomDataOptions> options = options_for(config, wanted);
  if (!options) return options.error();
  return render::custom_data(config.content().config, *options);
}

Result<std::string> custom_data(const NodeConfig& config, std::string_view os) {
  return custom_data(config, CustomDataOptions{.os = std::string(os)});
}

std::string_view cse_command() {
  return render::kCseCommand;
}

Result<std::string> vmss_model(const NodeConfig& config, const CustomDataOptions& wanted) {
  const Result<render::CustomDataOptions> options = options_for(config, wanted);
  if (!options) return options.error();
  return render::vmss_model(config.content().config, *options);
}

Result<std::string> vmss_model(const NodeConfig& config, std::string_view os) {
  return vmss_model(config, CustomDataOptions{.os = std::string(os)});
}

Result<NodeFiles> node_files(const NodeConfig& config, const NodeFilesOptions& options) {
  const Result<render::node::NodeFacts> facts = facts_for(options);
  if (!facts) return facts.error();
  const contract::Configuration& content = config.content().config;
  auto files = render::node::node_files(content, *facts);
  if (!files) return std::move(files).error();
  NodeFiles out;
  for (render::node::NodeFile& file : *files)
    out.files.push_back({std::move(file.path), file.mode, std::move(file.content)});
  for (render::node::NodeLink& link : render::node::node_links(content, *facts))
    out.links.push_back({std::move(link.path), std::move(link.target)});
  out.gone = render::node::node_removals(content, *facts);
  return out;
}

}  // namespace sunup
