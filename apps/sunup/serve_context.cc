#include "serve_context.h"

#include <fmt/format.h>

#include <cstdio>

#include "fleet/launch/node_bootstrapping.h"
#include "fleet/sources/document.h"
#include "fleet/sources/image_source.h"
#include "service/context.h"

namespace sunup {

void ServeContext::add_to(CLI::App& verb) {
  verb.add_option("--settings", settings,
                  "settings of the cluster that nodes are bootstrapped for, as for `sunup resolve`");
  verb.add_option("--image-versions", image_versions, "versions of node images: a file or a URL");
  results.add_to(verb);
}

Result<void> ServeContext::apply() const {
  service::ServiceContext context;
  auto service = results.read();
  if (!service) return std::move(service).error();
  context.results = *std::move(service);
  if (!image_versions.empty()) {
    auto versions = fleet::open_image_versions(image_versions);
    if (!versions) return std::move(versions).error();
    context.versions = *std::move(versions);
  }
  if (!settings.empty()) {
    auto documents = fleet::read_document_file(settings);
    if (!documents) return std::move(documents).error();
    fleet::Findings findings;
    context.settings = fleet::read_cluster_settings(*documents, findings);
    for (const fleet::Finding& finding : findings) {
      const std::string text =
          fmt::format("{}: {}{}{}", finding.path, finding.message, finding.hint.empty() ? "" : "; ", finding.hint);
      if (finding.severity == fleet::Severity::kError) return Error(text);
      if (finding.severity == fleet::Severity::kWarning) fmt::print(stderr, "warning: {}\n", text);
    }
  }
  service::set_context(std::move(context));
  return {};
}

}  // namespace sunup
