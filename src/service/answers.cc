#include "service/answers.h"

#include "fleet/sources/document.h"

namespace sunup::service {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// The response may quote text from the request, which may be invalid UTF-8.
std::string text_of(const ordered_json& body) {
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json listed(const fleet::Findings& findings, fleet::Severity severity) {
  ordered_json list = ordered_json::array();
  for (const fleet::Finding& finding : findings) {
    if (finding.severity != severity) continue;
    ordered_json one = {{"path", finding.path}, {"rule", finding.rule}, {"message", finding.message}};
    if (!finding.hint.empty()) one["hint"] = finding.hint;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

ApiResponse answer(const ordered_json& body) {
  return {.body = text_of(body)};
}

ApiResponse refuse(int status, const Error& error) {
  ordered_json body = {{"error", error.what}};
  if (!error.hint.empty()) body["hint"] = error.hint;
  return {.status = status, .body = text_of(body)};
}

ApiResponse refuse_text(int status, const Error& error) {
  return {.status = status,
          .content_type = std::string(kText),
          .body = error.what + (error.hint.empty() ? "" : "; " + error.hint) + "\n"};
}

ApiResponse refuse_findings(const fleet::Findings& findings) {
  return {.status = 422,
          .body = text_of(
              {{"error", "the request violates rules"}, {"errors", listed(findings, fleet::Severity::kError)}})};
}

Result<json> read_object(const ApiRequest& request) {
  auto body = fleet::read_json_document(request.body);
  if (!body) return std::move(body).error();
  if (!body->value.is_object()) return Error("the body must be a JSON object");
  return std::move(body->value);
}

}  // namespace sunup::service
