#include "archive/program.h"

#include <fmt/format.h>

#include "archive/decompress.h"
#include "archive/package.h"
#include "archive/tar.h"

namespace sunup::archive {
namespace {

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_package_of(std::string_view file, std::string_view name) {
  if (!file.ends_with(".deb") && !file.ends_with(".rpm")) return false;
  return file.size() > name.size() && file.starts_with(name) && (file[name.size()] == '_' || file[name.size()] == '-');
}

Error not_one(bool none, std::string_view name) {
  return Error(fmt::format("it contains {} files called {}", none ? "no" : "several", name));
}

Result<std::string> only(Result<Members> members, std::string_view name) {
  if (!members) return std::move(members).error();
  if (members->size() != 1) return not_one(members->empty(), name);
  return std::move(members->begin()->second);
}

}  // namespace

Result<std::string> find_program(std::string_view bytes, std::string_view name) {
  const Wanted program = [name](std::string_view path) { return file_name(path) == name; };
  if (bytes.starts_with(kElf)) return std::string(bytes);
  if (is_deb(bytes)) return only(read_deb(bytes, program), name);
  if (is_rpm(bytes)) return only(read_rpm(bytes, program), name);
  if (!is_compressed(bytes) && !is_tar(bytes)) return Error("this is neither a program nor an archive nor a package");
  auto members =
      read_tar(bytes, [&](std::string_view path) { return program(path) || is_package_of(file_name(path), name); });
  if (!members) return std::move(members).error();
  Members programs;
  Members packages;
  for (auto& [path, content] : *members) (program(path) ? programs : packages).emplace(path, std::move(content));
  if (!programs.empty() || packages.size() != 1) return only(std::move(programs), name);
  const std::string& package = packages.begin()->second;
  if (!is_deb(package) && !is_rpm(package)) return Error(packages.begin()->first + " is not a package");
  return find_program(package, name);
}

Result<void> find_program(std::string_view bytes, std::string_view name, const Sink& to) {
  if (!is_deb(bytes)) {
    auto program = find_program(bytes, name);
    return program ? to(*program) : std::move(program).error();
  }
  const auto found = read_deb(bytes, [name](std::string_view path) { return file_name(path) == name; }, to);
  if (!found) return found.error();
  return found->size() == 1 ? Result<void>() : not_one(found->empty(), name);
}

}  // namespace sunup::archive
