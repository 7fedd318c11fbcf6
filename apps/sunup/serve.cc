#include <csignal>
#include <cstdio>
#include <memory>

#include "serve_context.h"
#include "service/server.h"
#include "verbs.h"

namespace sunup {
namespace {

int run(const service::ServerOptions& options, const ServeContext& context) {
  if (const auto applied = context.apply(); !applied) {
    std::fprintf(stderr, "sunup serve: %s\n", applied.error().what.c_str());
    return 2;
  }
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
  auto context = std::make_shared<ServeContext>();
  context->add_to(*verb);
  verb->callback([options, context, &exit_code] { exit_code = run(*options, *context); });
}

}  // namespace sunup
