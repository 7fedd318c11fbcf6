// The forms of the API's responses, and reading a request's body.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "fleet/sources/schema.h"
#include "service/routes.h"

namespace sunup::service {

// 200 with a JSON body.
ApiResponse answer(const nlohmann::ordered_json& body);
// {"error": what, "hint": hint}
ApiResponse refuse(int status, const Error& error);
// 422 with every violated rule, so that one round trip is enough.
ApiResponse refuse_findings(const fleet::Findings& findings);

// The body as the command line reads a document: a member that is given twice is an error, and null means that it is
// not set. An error if it is not one JSON object.
Result<nlohmann::json> read_object(const ApiRequest& request);

}  // namespace sunup::service
