// Any bytes are a .deb, an .rpm, an archive with a program in it, or are refused with a reason.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "archive/package.h"
#include "archive/program.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::archive;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto wanted = [](std::string_view path) { return path.ends_with("kubelet"); };
  for (const auto& read : {read_deb(bytes, wanted), read_rpm(bytes, wanted)}) {
    if (!read) {
      require(!read.error().what.empty(), "a refusal has a reason");
      continue;
    }
    require(is_deb(bytes) || is_rpm(bytes), "a package is recognised by its first bytes");
    for (const auto& [path, content] : *read) require(wanted(path), "only what was asked for is kept");
  }
  const auto program = find_program(bytes, "kubelet");
  require(program.ok() || !program.error().what.empty(), "a refusal has a reason");
  std::string pieces;
  const auto found = find_program(bytes, "kubelet", [&pieces](std::string_view piece) {
    pieces += piece;
    return sunup::Result<void>();
  });
  require(found.ok() || !found.error().what.empty(), "a refusal has a reason");
  if (found && program) require(pieces == *program, "the pieces are the program");
  return 0;
}
