#include "report/exit_codes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/exit_code_table.h"

namespace sunup::report {
namespace {

constexpr std::string_view kPrefix = "ERR_";

std::string_view without_prefix(std::string_view name) {
  if (equal_ignoring_case(name.substr(0, kPrefix.size()), kPrefix)) name.remove_prefix(kPrefix.size());
  return name;
}

std::string in_table_cell(std::string_view text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') code = !code;
    if (c == '|' || (c == '<' && !code)) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::span<const ExitCode> exit_codes() {
  return table::kExitCodes;
}

const ExitCode* find_exit_code(int number) {
  const auto found = std::ranges::lower_bound(table::kExitCodes, number, {}, &ExitCode::number);
  return found != std::end(table::kExitCodes) && found->number == number ? found : nullptr;
}

const ExitCode* find_exit_code(std::string_view name) {
  if (without_prefix(name).empty()) return nullptr;
  const auto* found = std::ranges::find_if(table::kExitCodes, [&](const ExitCode& code) {
    return !code.name.empty() && equal_ignoring_case(without_prefix(code.name), without_prefix(name));
  });
  return found != std::end(table::kExitCodes) ? found : nullptr;
}

std::string_view name_of(FailureClass failure) {
  switch (failure) {
    case FailureClass::kNone:
      return "";
    case FailureClass::kQuota:
      return "quota";
    case FailureClass::kNetwork:
      return "network";
    case FailureClass::kImage:
      return "image";
    case FailureClass::kConfig:
      return "config";
    case FailureClass::kTransient:
      return "transient";
  }
  return "";
}

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::kLive:
      return "live";
    case Standing::kImageBuild:
      return "image-build";
    case Standing::kReserved:
      return "reserved";
  }
  return "";
}

std::string explain(const ExitCode& code) {
  std::string text = fmt::format("{}{}{}  ({})\n", code.number, code.name.empty() ? "" : "  ", code.name, code.area);
  text += fmt::format("  meaning  {}\n  do       {}\n", code.meaning, code.remedy);
  if (!code.step.empty()) text += fmt::format("  step     {}\n", code.step);
  if (code.number != 0) text += fmt::format("  retry    {}\n", code.retry_may_help ? "may help" : "will not help");
  if (code.standing == Standing::kReserved)
    text += "  note     no current step exits with this code; an old image may\n";
  if (code.standing == Standing::kImageBuild) text += "  note     comes from building an image, not from a node\n";
  return text;
}

std::string exit_codes_markdown() {
  std::string text =
      "# Exit codes\n"
      "\n"
      "The exit codes of provisioning (`ExitCode` in provision.json), their meaning and what to do. The numbers and "
      "names are those of the\n"
      "AKS ecosystem. `sunup exit-code N` prints one of them; `sunup status parse` uses them in its verdict.\n"
      "\n"
      "*Retry*: whether the same request may succeed if it is sent again. *Class*: what an autoscaler can act on "
      "(`network`, `image`,\n"
      "`config`, `transient`; `quota` is for failures before there is a node). *Standing*: `live` codes come from "
      "nodes, `image-build`\n"
      "codes come only from building images, and no current program uses `reserved` codes.\n"
      "\n"
      "This file is generated from `src/report/exit_code_table.h`: `sunup exit-code --format markdown > "
      "docs/exit-codes.md`.\n"
      "\n"
      "| Code | Name | Area | Meaning | What to do | Retry | Class | Standing |\n"
      "| ---: | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const ExitCode& code : exit_codes()) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", code.number,
                        code.name.empty() ? "" : fmt::format("`{}`", code.name), code.area, in_table_cell(code.meaning),
                        in_table_cell(code.remedy), code.retry_may_help ? "yes" : "no", name_of(code.failure),
                        name_of(code.standing));
  }
  return text;
}

}  // namespace sunup::report
