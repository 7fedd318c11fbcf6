#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "fleet/launch/node_bootstrapping.h"
#include "fleet/sources/document.h"
#include "fleet/sources/image_source.h"
#include "service/context.h"
#include "service/server.h"
#include "verbs.h"

namespace sunup {
namespace {

// The cluster that the service bootstraps nodes for.
struct ClusterFiles {
  std::string settings;
  std::string image_versions;
};

int complain(const Error& error) {
  std::fprintf(stderr, "sunup serve: %s%s%s\n", error.what.c_str(), error.hint.empty() ? "" : "; ", error.hint.c_str());
  return 2;
}

Result<service::ServiceContext> read_context(const ClusterFiles& files) {
  service::ServiceContext context;
  if (!files.image_versions.empty()) {
    auto versions = fleet::open_image_versions(files.image_versions);
    if (!versions) return std::move(versions).error();
    context.versions = *std::move(versions);
  }
  if (files.settings.empty()) return context;
  auto documents = fleet::read_document_file(files.settings);
  if (!documents) return std::move(documents).error();
  fleet::Findings findings;
  context.settings = fleet::read_cluster_settings(*documents, findings);
  for (const fleet::Finding& finding : findings) {
    const std::string text = finding.path + ": " + finding.message + (finding.hint.empty() ? "" : "; " + finding.hint);
    if (finding.severity == fleet::Severity::kError) return Error(text);
    if (finding.severity == fleet::Severity::kWarning) std::fprintf(stderr, "warning: %s\n", text.c_str());
  }
  return context;
}

int run(const service::ServerOptions& options, const ClusterFiles& files) {
  auto context = read_context(files);
  if (!context) return complain(context.error());
  service::set_context(*std::move(context));
  // Blocked before any thread starts, so that only sigwait below ever sees them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  auto server = service::Server::start(options);
  if (!server) {
    std::fprintf(stderr, "sunup serve: %s\n", server.error().what.c_str());
    return 2;
  }
  std::fprintf(stderr, "sunup serve: listening on %s:%d\n", options.address.c_str(), server->port());
  int signal = 0;
  sigwait(&ends, &signal);
  server->stop();
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("serve", "serve the HTTP API: resolve, drift, render");
  verb->footer(
      "Serves until SIGTERM or SIGINT and then completes the running requests. Plain HTTP without authentication: use "
      "the\nloopback address, or a proxy that provides TLS and authentication. docs/http-api.md lists the routes.\n\n  "
      "sunup serve --port 8080 &\n  curl -s localhost:8080/v1/cluster-id?host=abc");
  auto options = std::make_shared<service::ServerOptions>();
  verb->add_option("--address", options->address, "IPv4 address to listen on");
  verb->add_option("--port", options->port, "port to listen on, 0 for any")->check(CLI::Range(0, 65535));
  verb->add_option("--workers", options->workers, "number of requests served at a time")->check(CLI::Range(1, 64));
  auto files = std::make_shared<ClusterFiles>();
  verb->add_option("--settings", files->settings,
                   "settings of the cluster that nodes are bootstrapped for, as for `sunup resolve`");
  verb->add_option("--image-versions", files->image_versions, "versions of node images: a file or a URL");
  verb->callback([options, files, &exit_code] { exit_code = run(*options, *files); });
}

}  // namespace sunup
