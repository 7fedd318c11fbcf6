// The forms of the API's responses, and the parsing of request bodies.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "fleet/sources/crd_rules.h"
#include "service/routes.h"

namespace sunup::service {

// A response with status 200 and a JSON body.
ApiResponse answer(const nlohmann::ordered_json& body);
// {"error": what, "hint": hint}
ApiResponse refuse(int status, const Error& error);
// The same as text, for clients of other services.
ApiResponse refuse_text(int status, const Error& error);
// A response with status 422 and all violated rules, so that one round trip is enough.
ApiResponse refuse_findings(const fleet::Findings& findings);

// Parses the body as the command line parses a document: a repeated member is an error, and null means that a member is
// not set. An error if it is not one JSON object.
Result<nlohmann::json> read_object(const ApiRequest& request);

}  // namespace sunup::service
