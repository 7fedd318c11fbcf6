// The description of the API (OpenAPI 3.1), generated from the table of routes.
#pragma once

#include <string>

namespace sunup::service {

const std::string& openapi();

}  // namespace sunup::service
