#include "plan/package_repository.h"

#include <fmt/format.h>

#include <cerrno>

#include "base/exit_code.h"
#include "render/node/package_tool.h"
#include "render/node/proxy.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

// Returns the tool's output if it succeeds.
Task<Result<std::string>> run(Context& c, const Subject& s, node::Argv argv, std::string folder) {
  host::Command command;
  const std::string what = argv.front() + " " + (argv.size() > 1 ? argv[1] : "");
  command = host::command();
  command.argv = std::move(argv);
  command.directory = std::move(folder);
  command.limit = 120s;
  command.keep = 1 << 20;
  command.env.emplace_back("LC_ALL=C");
  command.env.emplace_back("DEBIAN_FRONTEND=noninteractive");
  // apt reads the proxy from its own config. A password must not be in the environment.
  const std::string proxy = node::proxy_for(s.config, "https://packages.microsoft.com/");
  if (!proxy.empty() && !node::proxy_has_credentials(s.config)) command.env.push_back("https_proxy=" + proxy);
  auto exit = co_await c.host.processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) co_return exit->as_error(what);
  co_return std::move(exit->out);
}

Task<Result<void>> refresh(Context& c, const Subject& s, render::PackageTool tool, std::string version) {
  std::vector<std::string> lists;
  if (tool == render::PackageTool::kApt)
    for (std::string& file : node::microsoft_sources(version)) {
      const auto there = c.host.files.exists(file);
      if (!there) co_return there.error();
      if (*there) lists.push_back(std::move(file));
    }
  if (lists.empty()) lists.emplace_back();
  for (const std::string& list : lists) {
    node::Argv argv = node::refresh_command(tool, list);
    auto done = co_await run(c, s, std::move(argv), "/");
    if (!done) co_return std::move(done).error().with_code(exit_code::kAptUpdateTimeout);
  }
  co_return Result<void>();
}

}  // namespace

std::string package_folder(std::string_view name) {
  return fmt::format("/opt/{}/downloads", name);
}

Task<Result<std::string>> fetch_package(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source) {
  const render::PackageTool tool = render::traits(facts.distro).package_tool;
  const std::string name = source.where;
  const std::string folder = package_folder(name);
  if (tool == render::PackageTool::kNone) {
    Error none(
        fmt::format("{} {} is not in the image, and this distribution has no package for it", name, source.version));
    none.os_errno = ENODATA;
    co_return none;
  }
  c.note(fmt::format("{} {} is not in the image: querying the package repository", name, source.version));
  auto refreshed = co_await refresh(c, *s, tool, source.version);
  if (!refreshed) co_return std::move(refreshed).error();
  node::Argv list = node::list_command(tool, name);
  auto listed = co_await run(c, *s, std::move(list), "/");
  if (!listed) co_return std::move(listed).error();
  const std::string version = node::newest_listed(tool, *listed, name, source.version);
  if (version.empty()) {
    Error none(fmt::format("the package repository has no {} {}", name, source.version));
    none.os_errno = ENODATA;
    co_return none;
  }
  if (auto made = c.host.files.make_directories(folder); !made) co_return std::move(made).error();
  node::Argv download = node::download_command(tool, name, version, folder);
  auto fetched = co_await run(c, *s, std::move(download), folder);
  if (!fetched) co_return std::move(fetched).error();
  NodeFacts now;
  const auto names = c.host.files.list(folder);
  if (!names) co_return names.error();
  for (const std::string& file : *names) now.paths.insert(folder + "/" + file);
  std::string path = node::newest_cached(now, folder, name, source.version);
  if (path.empty())
    co_return Error(fmt::format("the package tool did not download {} {} to {}", name, version, folder));
  c.note(fmt::format("fetched {} {}", name, version));
  co_return path;
}

}  // namespace sunup::plan
