#include "plan/declaration.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "engine/journal.h"
#include "host/edit.h"
#include "host/left_alone.h"
#include "plan/gather.h"
#include "plan/metadata.h"

namespace sunup::plan {
namespace {

const node::Concern* find_concern(std::string_view name) {
  const auto all = node::concerns();
  const auto found = std::find_if(all.begin(), all.end(), [name](const node::Concern& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// Below --root, files whose content requires the metadata service (ENODATA) are left out.
Result<node::NodeFiles> concern_files(const std::vector<std::string_view>& names, const Subject& subject,
                                      const NodeFacts& facts, Names* left_out = nullptr) {
  node::NodeFiles files;
  for (const auto name : names) {
    const node::Concern* concern = find_concern(name);
    if (concern == nullptr) return Error("there is no concern \"" + std::string(name) + "\"");
    if (!node::runs_phase(concern->phase, subject.config, facts)) continue;
    auto made = concern->files(subject.config, facts);
    if (!made && subject.files_only && made.error().os_errno == ENODATA) {
      if (left_out != nullptr) left_out->push_back(made.error().what);
      continue;
    }
    if (!made) return std::move(made).error().in(name);
    node::append(files, *std::move(made));
  }
  return files;
}

// Writes the files that are edited: their new text is based on the current one, not on the gathered one.
Result<bool> edit_files(host::Files& files, const node::NodeFiles& wanted,
                        const std::vector<std::string_view>& concerns, const Subject& subject, NodeFacts facts) {
  bool any = false;
  for (const node::NodeFile& file : wanted) {
    if (!file.edited) continue;
    const std::string& path = file.path;
    const auto made_from = [&](const std::optional<host::FileText>& before) -> Result<std::optional<host::FileText>> {
      facts.set_file(path, before ? std::optional(before->text) : std::nullopt, before ? before->mode : 0);
      auto made = concern_files(concerns, subject, facts);
      if (!made) return std::move(made).error();
      for (node::NodeFile& one : *made)
        if (one.path == path) return std::optional(host::FileText{std::move(one.content), one.mode});
      return std::optional<host::FileText>();
    };
    auto edited = host::edit(files, path, made_from);
    if (!edited) return edited;
    any |= *edited;
  }
  return any;
}

// The facts with placeholders for the reply of the metadata service: one network card for each one in the config.
NodeFacts foreseen(const Subject& subject) {
  NodeFacts facts = subject.facts;
  if (facts.imds || subject.files_only) return facts;
  node::ImdsFacts imds;
  imds.foreseen = true;
  for (int i = 0; i <= subject.config.network_config().standard_secondary_nic_count(); ++i)
    imds.interfaces.push_back({.mac = "00:00:00:00:00:00", .ipv4 = {"192.0.2.1"}, .ipv6 = {}});
  facts.imds = imds;
  return facts;
}

// The inputs of the step besides the config, which is common to all steps: the rendered files with their content, and
// the facts that bodies use. Changes by other steps are not included. Neither is the reply of the metadata service:
// when that step runs again, the steps that need it run again, too.
std::string inputs_of(const node::NodeFiles& files, const NodeFacts& facts) {
  std::string inputs = fmt::format("{} {} {} {} {} {}", static_cast<int>(facts.distro), facts.os_version,
                                   facts.kernel_release, facts.hostname, facts.arch, facts.base_prep_done);
  for (const node::NodeFile& file : files)
    if (!file.edited)
      inputs += fmt::format("\n{} {:o} {:x}", file.path, file.mode, engine::Journal::fingerprint(file.content));
  return inputs;
}

// --root: the body gets a machine that does nothing and records the requested operations.
Task<Result<void>> leave_machine_alone(Context& context, SubjectPtr subject,
                                       Task<Result<void>> (*body)(Context&, SubjectPtr)) {
  host::LeftAlone nothing;
  host::Host& real = context.host;
  host::Host rooted{real.loop, real.files, nothing, nothing, nothing, nothing, real.watch, real.work, real.boot_id};
  Context inner = context.on(rooted);
  auto done = co_await body(inner, std::move(subject));
  for (const auto& [name, value] : inner.given())
    if (auto given = context.give(name, value); !given) co_return given;
  for (const std::string& path : inner.written()) context.wrote(path);
  for (const std::string& what : nothing.skipped()) (void)context.leave_out(what);
  if (!done && done.error().os_errno == ENOTSUP) co_return Result<void>();  // there was no answer to its query
  co_return done;
}

Task<Result<void>> run_declared(Context& context, SubjectPtr subject, std::vector<std::string_view> concerns,
                                Task<Result<void>> (*body)(Context&, SubjectPtr)) {
  if (!concerns.empty()) {
    auto facts = facts_now(context, *subject);
    if (!facts) co_return std::move(facts).error();
    Names left_out;
    auto files = concern_files(concerns, *subject, *facts, &left_out);
    if (auto unread = image_error(facts->image ? facts->image->take_error() : std::nullopt))
      co_return *std::move(unread);
    if (!files) co_return std::move(files).error();
    for (const std::string& what : left_out) (void)context.leave_out(what);
    for (const node::NodeFile& file : *files)
      if (!file.edited) context.wrote(file.path);
    auto written = write_files(context.host.files, *files, *facts);
    if (!written) co_return std::move(written).error();
    auto edited = edit_files(context.host.files, *files, concerns, *subject, *facts);
    if (!edited) co_return std::move(edited).error();
    if (contains(context.step.provides, kRuntimeChanged))
      if (auto given = context.give(kRuntimeChanged, *written || *edited ? "yes" : "no"); !given) co_return given;
  }
  if (body == nullptr) co_return Result<void>();
  const std::shared_ptr<node::Image> image = subject->facts.image;
  Task<Result<void>> work =
      subject->files_only ? leave_machine_alone(context, std::move(subject), body) : body(context, std::move(subject));
  Result<void> done = co_await std::move(work);
  if (auto unread = image_error(image ? image->take_error() : std::nullopt)) co_return *std::move(unread);
  co_return done;
}

}  // namespace

std::string with_origin(std::string error, const std::map<std::string, std::string, std::less<>>& origins) {
  // The longest path in the text; a path must not be part of a longer word.
  const std::pair<const std::string, std::string>* named = nullptr;
  for (const auto& origin : origins) {
    const size_t at = error.find(origin.first);
    if (at == std::string::npos || (named && named->first.size() > origin.first.size())) continue;
    const auto is_part = [&](size_t i) { return i < error.size() && (is_alphanumeric(error[i]) || error[i] == '_'); };
    if ((at > 0 && is_part(at - 1)) || is_part(at + origin.first.size())) continue;
    named = &origin;
  }
  return named ? error + " (from the command's " + named->second + ")" : error;
}

bool applies(const Declaration& declaration, const Subject& subject) {
  if (!node::runs_phase(declaration.phase, subject.config, subject.facts)) return false;
  return declaration.wanted == nullptr || declaration.wanted(subject);
}

Result<engine::Step> make_step(const Declaration& d, const SubjectPtr& subject) {
  engine::Step step{.name = std::string(d.name),
                    .purpose = std::string(d.purpose),
                    .needs = d.needs,
                    .after = d.after,
                    .provides = d.provides,
                    .units = d.units,
                    .touches = d.touches,
                    .phase = d.deferred ? engine::Phase::kDeferred : engine::Phase::kNormal,
                    .lasts = d.lasts,
                    .deadline = d.deadline,
                    .retry = d.retry,
                    .fatal = d.fatal,
                    .exit_code = d.exit_code};
  const auto refused = [&](Error error) {
    if (error.code == 0) error.code = d.exit_code;
    return std::move(error).in_step(step.name);
  };
  if (d.possible != nullptr)
    if (auto possible = d.possible(*subject); !possible) return refused(std::move(possible).error());
  if (d.patience != nullptr) d.patience(*subject, step);
  if (d.more_needs != nullptr)
    for (std::string& need : d.more_needs(*subject)) step.needs.push_back(std::move(need));
  if (d.more_units != nullptr)
    for (std::string& unit : d.more_units(*subject)) step.units.push_back(std::move(unit));
  const bool knows_metadata = contains(step.needs, kMetadata);
  auto files = concern_files(d.concerns, *subject, knows_metadata ? foreseen(*subject) : subject->facts);
  if (!files) return refused(std::move(files).error());
  step.inputs = inputs_of(*files, subject->facts);
  for (const node::NodeFile& file : *files) {
    step.files.push_back({.path = file.path, .mode = file.mode, .temporary = false, .shared = file.edited});
    const NodeFacts& now = subject->facts;
    if (file.edited && (!now.has(file.path) || now.text(file.path) != file.content))
      step.undone = file.path + " lacks its part of it";
  }
  if (d.files != nullptr)
    for (FileEffect& file : d.files(*subject)) step.files.push_back(std::move(file));
  step.run = [subject, concerns = d.concerns, body = d.body](Context& context) {
    return run_declared(context, subject, concerns, body);
  };
  if (d.take_back != nullptr && !subject->files_only)
    step.take_back = [subject, take_back = d.take_back](Context& context) { return take_back(context, subject); };
  return step;
}

Result<NodeFacts> facts_now(const Context& context, const Subject& subject) {
  NodeFacts facts = subject.facts;
  if (facts.imds || !contains(context.step.needs, kMetadata)) return facts;
  const auto given = context.fact(kMetadata);
  if (!given) return given.error();
  if (given->empty()) return facts;  // not queried, because the machine must not be changed
  auto imds = node::parse_imds(*given);
  if (!imds) return std::move(imds).error();
  facts.imds = *std::move(imds);
  return facts;
}

namespace {

Result<bool> is_there(host::Files& files, const node::NodeFile& file) {
  const auto info = files.info_if_there(file.path);
  if (!info) return info.error();
  if (!*info || (*info)->kind != host::FileKind::kRegular || (*info)->mode != file.mode ||
      (*info)->size != file.content.size() || ((file.mode & 077) == 0 && !(*info)->own))
    return false;
  const auto link = files.link_if_there(file.path);
  if (!link) return link.error();
  if (*link) return false;
  const auto text = files.read_if_there(file.path);
  if (!text) return text.error();
  return *text == file.content;
}

}  // namespace

Result<bool> write_files(host::Files& files, const node::NodeFiles& wanted, const NodeFacts& facts) {
  bool any = false;
  for (const node::NodeFile& file : wanted) {
    if (file.edited) continue;
    const auto same = is_there(files, file);
    if (!same) return same.error();
    if (*same) continue;
    any = true;
    auto written = facts.was_read(file.path) ? files.write_durable(file.path, file.content, file.mode)
                                             : files.write(file.path, file.content, file.mode);
    if (!written) return std::move(written).error();
  }
  return any;
}

}  // namespace sunup::plan
