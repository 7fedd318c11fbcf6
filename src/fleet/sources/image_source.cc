#include "fleet/sources/image_source.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/input.h"
#include "base/url.h"
#include "fleet/sources/bounds.h"
#include "fleet/sources/conditions.h"
#include "fleet/sources/patient_client.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

constexpr int kMaxPages = 100;

// The response of a gallery: all pages as one list.
Result<std::string> ask(const std::string& address, const HttpUrl& first) {
  constexpr auto kTime = std::chrono::seconds(30);
  const PatientClient client({.timeout = kTime / 3, .deadline = Clock::now() + kTime});
  json all;
  HttpUrl url = first;
  for (int page = 0; page < kMaxPages; ++page) {
    auto answer = client.get(url);
    if (!answer) return std::move(answer).error();
    if (answer->status != 200) return Error(fmt::format("{} answered {}", address, answer->status));
    auto body = parse_json(answer->body);
    if (!body) return std::move(body).error().in(address);
    const std::string next = text_of(*body, "nextLink");
    if (all.is_null() && next.empty()) return std::move(answer->body);
    if (!body->contains("value") || !(*body)["value"].is_array())
      return Error(fmt::format("{}: a page of the response has no list", address));
    if (all.is_null()) all = {{"value", json::array()}};
    for (json& item : (*body)["value"]) all["value"].push_back(std::move(item));
    if (next.empty()) return all.dump();
    const auto following = parse_http_url(next);
    // A request to one server must not be continued at another host that the server names.
    if (!following || following->host != first.host || following->tls != first.tls || following->port != first.port)
      return Error(fmt::format("{}: its next page is on another host and is not read", address));
    url = *following;
  }
  return Error(fmt::format("{}: has more than {} pages", address, kMaxPages));
}

}  // namespace

Result<std::shared_ptr<const ImageVersions>> open_image_versions(const std::string& file_or_url) {
  if (file_or_url.empty())
    return std::shared_ptr<const ImageVersions>(&recorded_image_versions(), [](const ImageVersions*) {});
  const auto url = parse_http_url(file_or_url);
  auto text = url ? ask(file_or_url, *url) : read_input(file_or_url);
  if (!text) return url ? std::move(text).error().in("image versions") : std::move(text).error();
  auto parsed = parse_image_versions(*text, file_or_url);
  if (!parsed) return std::move(parsed).error();
  return std::shared_ptr<const ImageVersions>(*std::move(parsed));
}

}  // namespace sunup::fleet
