// The answers of an API server, with any content: what a cluster is found to be, who is calling, and whether the report
// of a node is believed. The parts of the input, separated by NUL, are the answers to the requests in their order.

#include "base/text.h"
#include "contract/formats.h"
#include "fleet/sources/bounds.h"
#include "fleet/sources/cluster_probe.h"
#include "require.h"
#include "server/access.h"
#include "server/node_results.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string_view rest = text;
  const fleet::PatientClient client(fleet::Clock::time_point::min(), [&](const HttpUrl&) -> Result<fleet::HttpAnswer> {
    return fleet::HttpAnswer{.status = 200, .body = std::string(take_until(rest, '\0')), .chain_pem = {}};
  });
  static const HttpUrl kUrl = *parse_http_url("https://cluster.example.com");
  const auto probed = fleet::probe_cluster({"https://cluster.example.com", kUrl, {}, {}}, client);
  require(probed.ok() || !probed.error().what.empty(), "a refusal has a reason");
  if (probed) {
    const fleet::Detected& found = probed->detected;
    require(found.kubernetes_version && !found.kubernetes_version->empty(), "a cluster has a version");
    require(found.kubernetes_version->find_first_of(" \t\r\n\"'$`\\") == std::string::npos, "a version is one word");
    require(!found.dns_service_ip || contract::is_ip(*found.dns_service_ip), "the DNS service has an address");
  }
  const auto object = fleet::parse_json(text);
  if (!object) return 0;
  const auto identity = server::reviewed_identity(*object);
  require(identity.ok() || !identity.error().what.empty(), "a refusal has a reason");
  if (identity && *identity) require(!(*identity)->user.empty(), "a caller has a name");
  (void)server::report_is_believed(*object, {.node = "n", .run = "a"}, false);
  for (const std::string& node : server::nodes_of_claim(*object, "claim"))
    require(node.find('/') == std::string::npos, "a name is one part of a path");
  return 0;
}
