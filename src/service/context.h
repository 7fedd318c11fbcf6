// The configuration of the service: the cluster whose nodes it bootstraps, and the address to which they send their
// results. It is set once, before the first request, so the same request always gets the same response.
#pragma once

#include <memory>
#include <optional>

#include "fleet/sources/image_versions.h"
#include "fleet/sources/settings.h"
#include "render/result_service.h"

namespace sunup::service {

struct ServiceContext {
  std::optional<fleet::Settings> settings =
      {};  // of the cluster (sunup serve --settings); empty: routes that need them refuse
  std::shared_ptr<const fleet::ImageVersions> versions = {};  // null: the built-in list
  // Part of all custom data (sunup serve --results-url); empty: nodes do not send their results.
  std::optional<render::ResultService> results = {};

  const fleet::ImageVersions& image_versions() const { return versions ? *versions : fleet::recorded_image_versions(); }
};

void set_context(ServiceContext context);
const ServiceContext& context();

}  // namespace sunup::service
