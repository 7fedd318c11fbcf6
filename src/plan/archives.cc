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

// Runs on the worker until the file is on the disk, without the event loop and without a copy of the program in memory.
Task<Result<void>> extract_program(host::Host& host, std::string archive, std::string name, std::string to) {
  auto unpack = [&files = host.files, archive, name, to]() -> Result<void> {
    const auto bytes = files.read(archive, kLargestArchive);
    if (!bytes) return bytes.error();
    uint64_t size = 0;
    const auto fill = [&](const host::Files::Piece& out) -> Result<void> {
      auto found = archive::find_program(*bytes, name, [&](std::string_view piece) {
        size += piece.size();
        return out(piece);
      });
      if (!found) return std::move(found).error().in(archive);
      return size == 0 ? Error(archive + ": " + name + " is empty in it") : Result<void>();
    };
    return files.write_pieces(to, fill, 0755);
  };
  co_return co_await host::offload(host.work, unpack);
}

}  // namespace sunup::plan
