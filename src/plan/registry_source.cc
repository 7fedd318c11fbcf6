#include "plan/registry_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/version.h"
#include "fetch/registry.h"
#include "plan/install.h"
#include "plan/registry_login.h"
#include "render/node/online_source.h"

namespace sunup::plan {
namespace {

// Lower is better; no value if the file cannot contain the program.
std::optional<int> rank(const fetch::Layer& file, std::string_view program) {
  const std::string_view title = std::string_view(file.title).substr(file.title.rfind('/') + 1);
  const bool package = title.ends_with(".deb") || title.ends_with(".rpm");
  if (title == program) return 0;
  if (package) {
    const bool ours = title.size() > program.size() && title.starts_with(program) &&
                      (title[program.size()] == '_' || title[program.size()] == '-');
    return ours ? std::optional(1) : std::nullopt;
  }
  for (const std::string_view suffix : {".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.zst"})
    if (title.ends_with(suffix)) return 2;
  return title.empty() || title.find('.') == std::string_view::npos ? std::optional(3) : std::nullopt;
}

const fetch::Layer* file_with(const std::vector<fetch::Layer>& files, std::string_view program) {
  const fetch::Layer* best = nullptr;
  for (const fetch::Layer& file : files) {
    const auto here = rank(file, program);
    if (!here) continue;
    const bool better = best == nullptr || *here < *rank(*best, program) ||
                        (*here == *rank(*best, program) && natural_order(file.title, best->title) > 0);
    if (better) best = &file;
  }
  return best;
}

Result<fetch::Registry> open(Context& c, const SubjectPtr& s, std::string_view reference) {
  auto what = fetch::parse_reference(reference);
  if (!what) return std::move(what).error();
  const auto logins = c.host.files.read_if_there(kRegistryLogin);
  if (!logins) return logins.error();
  Secret login = fetch::refresh_token(logins->value_or(""), what->host);
  return fetch::Registry(outside(c, s), *std::move(what), std::move(login));
}

Error nothing_fits(std::string text) {
  Error error(std::move(text));
  error.os_errno = ENODATA;
  return error;
}

}  // namespace

Task<Result<void>> pull_program(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source,
                                std::string program, std::string to) {
  auto registry = open(c, s, source.where);
  if (!registry) co_return std::move(registry).error();
  c.note("pulling " + source.where);
  fetch::Platform platform;
  platform.architecture = facts.arch;
  platform.os_version = fmt::format("{} {}", render::traits(facts.distro).package_os, facts.os_version);
  auto files = co_await registry->files(std::move(platform));
  if (!files) co_return std::move(files).error();
  const fetch::Layer* file = file_with(*files, program);
  if (file == nullptr)
    co_return nothing_fits(fmt::format("{} contains no file that could contain {}", source.where, program));
  co_return co_await registry->get(*file, std::move(to), false);
}

Task<Result<void>> pull_extension(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source,
                                  std::string to) {
  auto registry = open(c, s, source.where + ":" + source.version);
  if (!registry) co_return std::move(registry).error();
  // The tag of a mirror is known beforehand, so its tag list is not requested.
  const std::vector<std::string> none;
  std::string tag = node::newest_sysext_tag(none, source.version, facts.arch);
  if (tag.empty()) {
    auto tags = co_await registry->tags();
    if (!tags) co_return std::move(tags).error();
    tag = node::newest_sysext_tag(*tags, source.version, facts.arch);
  }
  if (tag.empty())
    co_return nothing_fits(fmt::format("{} has no tag for {} on {}", source.where, source.version, facts.arch));
  registry->choose_tag(tag);
  c.note(fmt::format("pulling {}:{}", source.where, tag));
  fetch::Platform platform;
  platform.architecture = facts.arch;
  auto files = co_await registry->files(std::move(platform));
  if (!files) co_return std::move(files).error();
  const auto image =
      std::find_if(files->begin(), files->end(), [](const fetch::Layer& file) { return file.title.ends_with(".raw"); });
  if (image == files->end() && files->size() != 1)
    co_return nothing_fits(fmt::format("{}:{} contains no extension image", source.where, tag));
  co_return co_await registry->get(image == files->end() ? files->front() : *image, std::move(to), true);
}

}  // namespace sunup::plan
