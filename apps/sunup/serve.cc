// sunup serve: the HTTP API. docs/http-api.md describes it.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/url.h"
#include "fleet/launch/node_bootstrapping.h"
#include "fleet/sources/cluster_probe.h"
#include "fleet/sources/document.h"
#include "fleet/sources/image_source.h"
#include "results_flags.h"
#include "server/server.h"
#include "service/context.h"
#include "standard_output.h"
#include "verbs.h"

namespace sunup {
namespace {

// The options about the nodes that it bootstraps: their cluster, and the address to which they send their results.
struct ServeContext {
  std::string settings;
  std::string image_versions;
  ResultsFlags results;

  void add_to(CLI::App& verb);
  // Reads the files and passes them to the service. Must be called before the server starts. Prints warnings on stderr.
  Result<void> apply() const;
};

void ServeContext::add_to(CLI::App& verb) {
  verb.add_option("--settings", settings,
                  "settings of the cluster that nodes are bootstrapped for, as for `sunup resolve`");
  verb.add_option("--image-versions", image_versions, "versions of node images: a file or a URL");
  results.add_to(verb);
}

Result<void> ServeContext::apply() const {
  service::ServiceContext context;
  auto service = results.read();
  if (!service) return std::move(service).error();
  context.results = *std::move(service);
  if (!image_versions.empty()) {
    auto versions = fleet::open_image_versions(image_versions);
    if (!versions) return std::move(versions).error();
    context.versions = *std::move(versions);
  }
  if (!settings.empty()) {
    auto documents = fleet::read_document_file(settings);
    if (!documents) return std::move(documents).error();
    fleet::Findings findings;
    context.settings = fleet::read_cluster_settings(*documents, findings);
    for (const fleet::Finding& finding : findings) {
      const std::string text =
          fmt::format("{}: {}{}{}", finding.path, finding.message, finding.hint.empty() ? "" : "; ", finding.hint);
      if (finding.severity == fleet::Severity::kError) return Error(text);
      if (finding.severity == fleet::Severity::kWarning) fmt::print(stderr, "warning: {}\n", text);
    }
  }
  service::set_context(std::move(context));
  return {};
}

// The address at which a pod reaches its cluster.
Result<void> use_own_cluster(server::ServerOptions& options) {
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr)
    return Error("--in-cluster: this is no pod: KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set");
  options.cluster.url = "https://" + url_host(host) + ":" + port;
  options.cluster.ca_file = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
  options.cluster.token_file = "/var/run/secrets/kubernetes.io/serviceaccount/token";
  return {};
}

int run(server::ServerOptions options, bool in_cluster, const ServeContext& context) {
  if (const auto applied = context.apply(); !applied) return complain("serve", applied.error());
  if (in_cluster)
    if (auto found = use_own_cluster(options); !found) return complain("serve", found.error());
  // Errors in the files are reported now and not at the first request.
  if (!options.cluster.url.empty())
    if (auto door = fleet::open_door(options.cluster); !door) return complain("serve", door.error());
  // The signals are blocked before any thread starts, so that only sigwait below receives them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  auto server = server::Server::start(options);
  if (!server) return complain("serve", server.error());
  // A core file would contain keys and tokens. This comes after the files of the options have been opened:
  // /proc/self/fd of such a process belongs to root, so a file such as /dev/fd/3 could no longer be.
  prctl(PR_SET_DUMPABLE, 0);
  for (const std::string& name : server->names()) std::fprintf(stderr, "sunup serve: listening on %s\n", name.c_str());
  int signal = 0;
  sigwait(&ends, &signal);
  server->stop();
  return 0;
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  struct Options {
    server::ServerOptions server;
    bool in_cluster = false;
    bool quiet = false;
    int body_mebibytes = 256;
    int idle_seconds = 60;
    int request_seconds = 30;
    ServeContext context;
  };
  auto* verb = add_verb(app, "serve", "serve the HTTP API: config, render, resolve, drift, results of nodes");
  verb->footer(
      "Serves until SIGTERM or SIGINT, then completes the running requests, within 5 seconds. Without TLS and "
      "authentication it\nlistens on loopback addresses and unix sockets only. docs/http-api.md lists the routes, and "
      "so does /openapi.json.\nA line of JSON for each request goes to standard error.\n\n  sunup serve --port 8080 "
      "&\n  "
      "curl -s localhost:8080/v1/cluster-id?host=abc\n  sunup serve --address :: --port 8443 --tls-certificate tls.crt "
      "--tls-key tls.key --in-cluster");
  auto o = std::make_shared<Options>();
  auto& s = o->server;
  verb->add_option("--address", s.address, "IPv4 or IPv6 address to listen on; '' for only --socket")
      ->capture_default_str();
  verb->add_option("--port", s.port, "port to listen on, 0 for any")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_option("--socket", s.unix_socket, "unix socket to listen on, for its owner and group; without TLS");
  verb->add_option(
          "--workers", s.workers,
          "threads that answer requests; default: one for each processor that the process may use (affinity, CPU "
          "limit of its cgroup)")
      ->check(CLI::Range(1, 256));
  auto* certificate =
      verb->add_option("--tls-certificate", s.tls.certificate, "PEM file with the certificate and its chain");
  auto* key = verb->add_option("--tls-key", s.tls.key, "PEM file with its key; both are read again when they change");
  certificate->needs(key);
  key->needs(certificate);
  verb->add_option("--client-ca", s.tls.client_ca,
                   "PEM file with the CA of client certificates: CN is the user, O are the groups")
      ->needs(certificate);
  auto* cluster = verb->add_option("--cluster", s.cluster.url,
                                   "API server that judges bearer tokens (TokenReview), decides who may do what "
                                   "(SubjectAccessReview), and gets the results of nodes; needs --cluster-ca");
  verb->add_option("--cluster-ca", s.cluster.ca_file, "PEM file that the API server's certificate must chain to")
      ->needs(cluster);
  verb->add_option("--cluster-token-file", s.cluster.token_file, "file with a bearer token for the API server")
      ->needs(cluster);
  verb->add_flag("--in-cluster", o->in_cluster, "--cluster of the pod that this runs in")->excludes(cluster);
  verb->add_flag("--insecure", s.insecure,
                 "listen on other addresses than loopback also without TLS or without authentication");
  verb->add_option("--connections", s.limits.connections, "most connections at a time")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  verb->add_option("--body-mebibytes", o->body_mebibytes, "memory for the bodies of all requests at a time")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
  verb->add_option("--idle-seconds", o->idle_seconds, "time between two requests of a connection")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  verb->add_option("--request-seconds", o->request_seconds, "time for a request, from its first byte to the answer")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  o->context.add_to(*verb);
  verb->add_flag("--quiet", o->quiet, "no line for each request");
  verb->callback([o, &exit_code] {
    o->server.log_requests = !o->quiet;
    o->server.limits.body_memory = static_cast<size_t>(o->body_mebibytes) << 20;
    o->server.limits.idle = std::chrono::seconds(o->idle_seconds);
    o->server.limits.request_time = std::chrono::seconds(o->request_seconds);
    exit_code = run(o->server, o->in_cluster, o->context);
  });
}

}  // namespace sunup
