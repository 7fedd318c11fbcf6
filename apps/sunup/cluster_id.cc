#include "fleet/sources/cluster_id.h"

#include <cstdio>
#include <memory>
#include <string>

#include "verbs.h"

namespace sunup {

void add_cluster_id(CLI::App& app, int& exit_code) {
  auto* verb = add_verb(app, "cluster-id", "print the cluster ID for the name of an API server");
  verb->footer(
      "Prints the eight digits that AKS puts into the names of a cluster's network resources, computed from the "
      "host\nname of the API server. If a URL is given, its host is used. The ID of a private cluster with a custom "
      "subdomain\ncannot be computed from the host name; read it from the name of the network security group.\n\n  "
      "sunup cluster-id my-aks-cluster-my-rg-0a1b2c-3d4e5f6a.hcp.eastus.azmk8s.io\n  38893185");
  auto name = std::make_shared<std::string>();
  verb->add_option("FQDN", *name, "the API server's host name or URL")->required();
  verb->callback([name, &exit_code] {
    const auto id = fleet::cluster_id_of(*name);
    if (id) {
      std::puts(id->c_str());
      return;
    }
    std::fprintf(stderr, "sunup cluster-id: %s (%s)\n", id.error().what.c_str(), id.error().hint.c_str());
    exit_code = 2;
  });
}

}  // namespace sunup
