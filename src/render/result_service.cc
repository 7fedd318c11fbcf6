#include "render/result_service.h"

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/url.h"

namespace sunup::render {

Result<ResultService> make_result_service(std::string_view url, std::string_view ca) {
  const auto parsed = parse_http_url(url);
  if (!parsed) return parsed.error().in("the address for results");
  const auto refused = [](std::string_view what) { return Error("the address for results " + std::string(what)); };
  if (!parsed->tls) return refused("is not an https URL");
  if (!parsed->credentials.empty()) return refused("contains credentials");
  if (parsed->target.find_first_of("?#") != std::string::npos) return refused("has a query or a fragment");
  for (const char c : url)
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') return refused("contains blanks or control characters");
  if (ca.size() > kLongestResultServiceCa)
    return Error("the CA of the address for results has more than " + std::to_string(kLongestResultServiceCa) +
                 " bytes");
  if (!ca.empty() && ca.find("-----BEGIN CERTIFICATE-----") == std::string_view::npos)
    return Error("the CA of the address for results is not a certificate in PEM form");
  if (ca.find("PRIVATE KEY-----") != std::string_view::npos)
    return Error("the CA of the address for results contains a private key, which every node would get");
  while (url.ends_with('/')) url.remove_suffix(1);
  return ResultService{.url = std::string(url), .ca = std::string(ca)};
}

std::string to_json(const ResultService& service) {
  JsonWriter json;
  json.begin_object();
  json.member("url", service.url);
  if (!service.ca.empty()) json.member("ca", service.ca);
  json.end_object();
  return std::move(json).take() + "\n";
}

Result<ResultService> parse_result_service(std::string_view json) {
  const auto tree = JsonTree::parse(json);
  if (!tree) return tree.error();
  if (!tree->root().is_object()) return Error("not a JSON object");
  return make_result_service(tree->root().text_of("url"), tree->root().text_of("ca"));
}

}  // namespace sunup::render
