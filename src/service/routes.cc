#include "service/routes.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/url.h"

namespace sunup::service {

std::string_view ApiRequest::parameter(std::string_view name) const {
  for (const auto& [known, value] : parameters)
    if (known == name) return value;
  return {};
}

std::string ApiRequest::query_value(std::string_view name) const {
  for (std::string_view rest = query; !rest.empty();) {
    const std::string_view pair = take_until(rest, '&');
    if (pair.starts_with(name) && pair.size() > name.size() && pair[name.size()] == '=')
      return query_decoded(pair.substr(name.size() + 1));
  }
  return "";
}

std::span<const Route> routes() {
  static const std::vector<Route> all = [] {
    std::vector<Route> rows;
    for (const auto table : {config_routes, render_routes, fleet_routes, node_routes, status_routes})
      std::ranges::move(table(), std::back_inserter(rows));
    return rows;
  }();
  return all;
}

}  // namespace sunup::service
