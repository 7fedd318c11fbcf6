#include "server/server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <ctime>
#include <new>
#include <thread>

#include "base/json_writer.h"
#include "server/core.h"
#include "server/listener.h"
#include "server/processors.h"

namespace sunup::server {
namespace {

constexpr auto kWait = asio::as_tuple(asio::use_awaitable);
constexpr size_t kMostWorking = 4096;
constexpr size_t kQuestionThreads = 4;
constexpr size_t kNodeQuestionThreads = 8;
constexpr size_t kMostQuestions = 1024;
// If all nodes of a fleet fail at once, their results are recorded within two seconds if one request to the cluster
// takes 50 ms.
constexpr size_t kResultThreads = 16;
constexpr size_t kMostResults = 1024;
constexpr int kQuestionSeconds = 3;
// Without a free descriptor, the kernel reports the same connection again and again.
constexpr std::chrono::milliseconds kAcceptPause{200};

using Descriptor = asio::posix::stream_descriptor;

// Called when no more connections can be accepted: if a connection is waiting, the longest idle session is closed.
asio::awaitable<void> make_room(Core& core, Descriptor& listener) {
  const auto [failed] = co_await listener.async_wait(Descriptor::wait_read, kWait);
  if (failed) co_return;
  if (!core.sessions->idle.empty()) core.sessions->idle.front()->abort();
  core.session_ended.expires_after(kAcceptPause);
  co_await core.session_ended.async_wait(kWait);
}

asio::awaitable<void> accept_connections(Core& core, std::shared_ptr<Descriptor> listener, int family) {
  while (!core.ending) {
    if (core.sessions->size() >= core.options.limits.connections) {
      co_await make_room(core, *listener);
      continue;
    }
    const int client = accept4(listener->native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client >= 0) {
      try {
        asio::co_spawn(core.io, serve_connection(core, client, family), asio::detached);
      } catch (const std::bad_alloc&) {
        close(client);
        ++core.metrics.accept_failures;
      }
      co_await asio::post(core.io, asio::use_awaitable);  // the session starts before the next accept
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      const auto [failed] = co_await listener->async_wait(Descriptor::wait_read, kWait);
      if (failed) co_return;
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      ++core.metrics.accept_failures;
      co_await make_room(core, *listener);
    }
    // All other errors are about a connection that was closed before it was accepted.
  }
}

asio::awaitable<void> reload_tls(Core& core, std::shared_ptr<Descriptor> watch) {
  char events[4096];
  while (true) {
    const auto [failed, got] = co_await watch->async_read_some(asio::buffer(events), kWait);
    if (failed) co_return;
    auto loaded = load_tls(core.options.tls);
    if (loaded) core.tls = *std::move(loaded);
    log_line(core,
             loaded
                 ? R"("message":"the TLS files were read again")"
                 : fmt::format(R"("message":"the TLS files cannot be used; the former ones stay","error":{},"hint":{})",
                               json_string(loaded.error().what, JsonEscapes::kText),
                               json_string(loaded.error().hint, JsonEscapes::kText)));
  }
}

asio::awaitable<void> end(Core& core, std::vector<std::shared_ptr<Descriptor>> descriptors) {
  core.ending = true;
  for (const auto& descriptor : descriptors) descriptor->close();
  const auto latest = std::chrono::steady_clock::now() + core.options.limits.end_time;
  // Work must end slightly earlier than the sessions, so that its responses can still be sent and no thread needs to be
  // awaited later.
  const auto end_of_work = latest - core.options.limits.end_time / 10;
  core.end_of_work = end_of_work;
  core.cluster.end_by(end_of_work);
  // abort() does not change the list of idle sessions immediately, but only when their coroutines resume.
  for (Session* session : core.sessions->idle) session->abort();
  while (core.sessions->size() > 0 && std::chrono::steady_clock::now() < latest) {
    core.session_ended.expires_at(latest);
    co_await core.session_ended.async_wait(kWait);
  }
  core.io.stop();
}

}  // namespace

Core::Core(const ServerOptions& given)
    : options(given),
      workers(given.workers > 0 ? static_cast<size_t>(given.workers) : usable_processors(), kMostWorking),
      questions(kQuestionThreads, kMostQuestions),
      node_questions(kNodeQuestionThreads, kMostQuestions),
      stranger_questions(kQuestionThreads, kMostQuestions),
      results(kResultThreads, kMostResults),
      log(STDERR_FILENO),
      cluster([&] {
        fleet::ClusterAccess access = given.cluster;
        access.timeout_seconds = kQuestionSeconds;
        return access;
      }()),
      access(cluster, !given.tls.client_ca.empty(), {questions, node_questions, stranger_questions}, metrics),
      session_ended(io),
      scratch(64u << 10) {}

void log_line(Core& core, std::string_view members) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  gmtime_r(&now.tv_sec, &utc);
  core.log.write(fmt::format(R"({{"time":"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",{}}})", utc.tm_year + 1900,
                             utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, now.tv_nsec / 1000000,
                             members));
}

struct Server::Running {
  explicit Running(const ServerOptions& options) : core(options) {}

  Core core;
  std::vector<Listener> listeners;
  std::vector<std::shared_ptr<Descriptor>> descriptors;
  std::thread thread;
};

Server::Server(std::unique_ptr<Running> running) : running_(std::move(running)) {}
Server::Server(Server&& other) noexcept = default;
Server::~Server() {
  stop();
}

Result<Server> Server::start(const ServerOptions& options) {
  auto listeners = open_listeners(options);
  if (!listeners) return std::move(listeners).error();
  auto running = std::make_unique<Running>(options);
  Core& core = running->core;
  running->listeners = *std::move(listeners);
  for (const Listener& listener : running->listeners) {
    const auto descriptor = std::make_shared<Descriptor>(core.io, listener.descriptor);
    running->descriptors.push_back(descriptor);
    asio::co_spawn(core.io, accept_connections(core, descriptor, listener.family), asio::detached);
  }
  if (!options.tls.certificate.empty()) {
    // Watch before reading, so that no change is missed.
    const auto watch = watch_files(options.tls);
    if (!watch) return watch.error();
    const auto descriptor = std::make_shared<Descriptor>(core.io, *watch);
    auto loaded = load_tls(options.tls);
    if (!loaded) return std::move(loaded).error();
    core.tls = *std::move(loaded);
    running->descriptors.push_back(descriptor);
    asio::co_spawn(core.io, reload_tls(core, descriptor), asio::detached);
  }
  running->thread = std::thread([&core] { core.io.run(); });
  return Server(std::move(running));
}

uint16_t Server::port() const {
  for (const Listener& listener : running_->listeners)
    if (listener.port != 0) return listener.port;
  return 0;
}

std::vector<std::string> Server::names() const {
  std::vector<std::string> names;
  for (const Listener& listener : running_->listeners) names.push_back(listener.name);
  return names;
}

void Server::stop() {
  if (running_ == nullptr) return;
  Core& core = running_->core;
  asio::co_spawn(core.io, end(core, running_->descriptors), asio::detached);
  running_->thread.join();
  core.workers.end();
  core.questions.end();
  core.node_questions.end();
  core.stranger_questions.end();
  core.results.end();
  if (!core.options.unix_socket.empty()) unlink(core.options.unix_socket.c_str());
  running_.reset();
}

}  // namespace sunup::server
