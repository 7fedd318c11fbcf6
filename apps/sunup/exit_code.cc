#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "report/exit_codes.h"
#include "service/exit_code_steps.h"
#include "verbs.h"

namespace sunup {
namespace {

int list_all(const std::string& format) {
  if (format == "markdown") {
    std::fputs(report::exit_codes_markdown().c_str(), stdout);
  } else if (format == "json") {
    auto all = nlohmann::ordered_json::array();
    for (const report::ExitCode& code : report::exit_codes()) all.push_back(service::exit_code_json(code));
    fmt::print("{}\n", all.dump(2));
  } else {
    for (const report::ExitCode& code : report::exit_codes()) {
      fmt::print("{:>4}  {:<12}  {:<12}  {}\n", code.number, name_of(code.standing), code.area, code.meaning);
    }
  }
  return 0;
}

int show_one(const std::string& wanted, const std::string& format) {
  const std::optional<int> number = as_number<int>(wanted);
  const report::ExitCode* code = number ? report::find_exit_code(*number) : report::find_exit_code(wanted);
  if (code == nullptr) {
    fmt::print(stderr, "sunup: unknown exit code {} (`sunup exit-code` lists all codes)\n", wanted);
    return 1;
  }
  if (format == "json") {
    fmt::print("{}\n", service::exit_code_json(*code).dump(2));
  } else {
    std::fputs(report::explain(*code).c_str(), stdout);
    if (const auto steps = service::native_steps(*code); !steps.empty())
      fmt::print("  native   {}\n", fmt::join(steps, ", "));
  }
  return 0;
}

}  // namespace

void add_exit_code(CLI::App& app, int& exit_code) {
  struct Options {
    std::string code;
    std::string format = "text";
  };
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(app, "exit-code", "explain an exit code of provisioning and what to do about it");
  verb->footer(
      "Exit code: 0 explained, 1 unknown code, 2 wrong usage.\nExample: sunup exit-code 51\n         sunup exit-code "
      "ERR_OUTBOUND_CONN_FAIL --format json");
  verb->add_option("CODE", options->code, "number or ERR_ name; without it, all codes are listed");
  verb->add_option("--format", options->format, "text, json, or markdown (all codes only)")
      ->check(one_of({"text", "json", "markdown"}))
      ->capture_default_str();
  verb->allow_extras();  // the parser treats -1 as an unknown flag
  verb->callback([verb, options, &exit_code] {
    std::vector<std::string> rest = verb->remaining();
    std::erase(rest, "--");
    if (verb->count("CODE") > 0 && options->code.empty()) options->code = "''";  // an unset shell variable
    if (options->code.empty() && rest.size() == 1 && as_number<int>(rest[0])) {
      options->code = rest[0];
    } else if (!rest.empty()) {
      throw CLI::ExtrasError(rest);
    }
    if (!options->code.empty() && options->format == "markdown")
      throw CLI::ValidationError("--format markdown prints all codes and cannot be combined with CODE");
    exit_code = options->code.empty() ? list_all(options->format) : show_one(options->code, options->format);
  });
}

}  // namespace sunup
