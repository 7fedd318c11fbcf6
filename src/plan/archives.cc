#include "plan/archives.h"

#include <memory>

#include "archive/program.h"
#include "archive/tar.h"

namespace sunup::plan {

using host::Task;

constexpr uint64_t kLargestArchive = uint64_t{2} << 30;

Task<Result<void>> extract_all(host::Host& host, std::string archive, std::string folder) {
  auto bytes = host.files.read(archive, kLargestArchive);
  if (!bytes) co_return std::move(bytes).error();
  auto unpack = [text = std::make_shared<std::string>(std::move(*bytes))] {
    return archive::read_tar(*text, [](std::string_view path) { return path.find('/') == std::string_view::npos; });
  };
  Result<archive::Members> members = co_await host::offload(host.work, unpack);
  if (!members) co_return std::move(members).error().in(archive);
  for (const auto& [name, content] : *members)
    if (auto written = host.files.write(folder + "/" + name, content, 0755); !written) co_return written;
  co_return Result<void>();
}

Task<Result<void>> extract_program(host::Host& host, std::string archive, std::string name, std::string to) {
  auto bytes = host.files.read(archive, kLargestArchive);
  if (!bytes) co_return std::move(bytes).error();
  auto unpack = [text = std::make_shared<std::string>(std::move(*bytes)), name] {
    return archive::find_program(*text, name);
  };
  Result<std::string> program = co_await host::offload(host.work, unpack);
  if (!program) co_return std::move(program).error().in(archive);
  if (program->empty()) co_return Error(archive + ": " + name + " is empty in it");
  co_return host.files.write(to, *program, 0755);
}

}  // namespace sunup::plan
