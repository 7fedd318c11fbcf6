// What the service knows besides the request: the cluster whose nodes it bootstraps. It is set once, before the first
// request, so the same request still always gets the same response.
#pragma once

#include <memory>
#include <optional>

#include "fleet/sources/image_versions.h"
#include "fleet/sources/settings.h"

namespace sunup::service {

struct ServiceContext {
  std::optional<fleet::Settings> settings =
      {};  // of the cluster (sunup serve --settings); routes that need them refuse
  std::shared_ptr<const fleet::ImageVersions> versions = {};  // null: the built-in list

  const fleet::ImageVersions& image_versions() const { return versions ? *versions : fleet::recorded_image_versions(); }
};

void set_context(ServiceContext context);
const ServiceContext& context();

}  // namespace sunup::service
