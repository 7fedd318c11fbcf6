#include "plan/trusted.h"

#include <fmt/format.h>

#include <cerrno>

namespace sunup::plan {

std::string distrust(const host::FileInfo& info, bool files_only) {
  if (info.uid != 0 && !(files_only && info.own)) return "it does not belong to root";
  if ((info.mode & 022) != 0) return fmt::format("others can change it (mode {:04o})", info.mode & 07777);
  return "";
}

Result<void> only_root_changes(host::Files& files, const std::string& path, bool files_only) {
  constexpr int kMostLinks = 40;  // the kernel's limit
  int links = 0;
  std::string at;  // the resolved path so far, without links
  std::string rest = path;
  while (true) {
    const std::string here = at.empty() ? "/" : at;
    const auto info = files.info(here);
    if (!info) return info.error();
    if (const std::string why = distrust(*info, files_only); !why.empty())
      return Error(fmt::format("{}: {}", here, why))
          .with_hint(fmt::format("chown root:root {0}; chmod go-w {0}", here));
    std::string name;
    while (!rest.empty() && (name.empty() || name == ".")) {
      const size_t slash = rest.find('/');
      name = rest.substr(0, slash);
      rest.erase(0, slash == std::string::npos ? slash : slash + 1);
    }
    if (name.empty() || name == ".") return {};
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + "/" + name;
    const auto link = files.link_if_there(next);
    if (!link) return link.error();
    if (!*link) {
      at = next;
      continue;
    }
    if (++links > kMostLinks) return Error::from_errno(ELOOP, path);
    if ((*link)->starts_with('/')) at.clear();
    rest = **link + "/" + rest;
  }
}

}  // namespace sunup::plan
