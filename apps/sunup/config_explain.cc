// sunup config explain: the meaning of a field, and where it is used on the node.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "contract/explain.h"
#include "contract/schema.h"
#include "load_config.h"
#include "render/explain_field.h"
#include "verbs.h"

namespace sunup {
namespace {

using contract::FieldDoc;

struct Options {
  std::string field;
  std::string format = "text";
  std::string command;
};

std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string_view who(std::string_view set_by) {
  if (set_by == "cluster") return "the cluster (AKS control plane), the same for all its nodes";
  if (set_by == "node pool") return "the node pool";
  if (set_by == "release") return "the release: follows from the Kubernetes or image version";
  if (set_by == "cloud") return "the cloud's operator";
  if (set_by == "operator") return "an operator, for experiments";
  return set_by;
}

// For most fields unset and zero are equivalent; the exceptions are documented.
std::string presence(const contract::Field& field) {
  return field.optional ? ", unset differs from zero" : "";
}

void print_wrapped(const std::string& text) {
  constexpr size_t kWidth = 100;
  std::string line = " ";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (line.size() + 1 + end - at > kWidth) {
      fmt::print("{}\n", line);
      line = " ";
    }
    line += " " + text.substr(at, end - at);
    at = end + 1;
  }
  fmt::print("{}\n", line);
}

// The variables of a command that the value of a field comes from.
std::string origin_in(const render::NbcConfig& command, const FieldDoc& doc) {
  const std::string_view variable = command.origin(doc.path);
  if (!variable.empty()) return fmt::format("from the command's {}", variable);
  std::vector<std::string> inside;
  for (const auto& [path, name] : command.origins)
    if (path.starts_with(doc.path + ".") && std::ranges::find(inside, name) == inside.end()) inside.push_back(name);
  return inside.empty() ? "the command does not set it" : "from the command's " + joined(inside, ", ");
}

void print_field(const FieldDoc& doc, const render::NbcConfig* command) {
  const contract::Field& field = *doc.field;
  const auto row = [](const char* title, std::string_view text) {
    if (!text.empty()) fmt::print("  {:<9} {}\n", title, text);
  };
  fmt::print("{}\n", doc.path);
  print_wrapped(doc.meaning);
  fmt::print("\n");
  row("type", doc.type + presence(field));
  row("in JSON",
      std::string(field.name) + (field.json_name == field.name ? "" : " or " + std::string(field.json_name)));
  row("default", doc.default_value);
  row("example", doc.example);
  row("set by", who(doc.set_by));
  const std::vector<std::string> variables = contract::variables_of(doc);
  row(variables.size() > 1 ? "variables" : "variable", variables.empty() ? "none" : joined(variables, ", "));
  if (command) row("here", origin_in(*command, doc));
  row("file", joined(doc.files, ", "));
  if (doc.field->secret) row("secret", "yes: never logged or shown; files that contain it have mode 0600");
  if (!field.enumeration) return;
  const char* title = "values";
  for (const contract::EnumValue& value : field.enumeration->values) {
    row(title,
        fmt::format("{} ({}): {}", value.name, value.number, contract::enum_value_meaning(*field.enumeration, value)));
    title = "";
  }
}

void print_line(const FieldDoc& doc, int indent, const std::string& name) {
  fmt::print("{:{}}{}  ({})  {}\n", "", indent, name, doc.type, first_sentence(doc.meaning));
}

void print_parts(const FieldDoc& message) {
  const std::string prefix = message.path + (message.field->is_map() ? ".*." : ".");
  fmt::print("  fields\n");
  for (const FieldDoc& doc : contract::field_docs())
    if (doc.path.starts_with(prefix) && doc.depth == message.depth + 1) print_line(doc, 4, std::string(doc.name()));
}

int run(const Options& options) {
  std::optional<render::NbcConfig> command;
  if (!options.command.empty()) {
    const auto loaded = read_config_or_command(options.command, command.emplace());
    if (!loaded) {
      fmt::print(stderr, "sunup: {}\n", loaded.error().what);
      return loaded.error().os_errno != 0 ? 2 : 1;
    }
  }
  const render::NbcConfig* const given = command ? &*command : nullptr;
  const auto explained = render::explain_field(options.field);
  if (!explained) {
    fmt::print(stderr, "sunup: {}\n", explained.error().what);
    return 1;
  }
  const std::vector<const FieldDoc*>& fields = explained->fields;
  if (options.format == "json") {
    nlohmann::ordered_json all = explained->json();
    if (given)
      for (size_t i = 0; i < fields.size(); ++i) all[i]["here"] = origin_in(*given, *fields[i]);
    fmt::print("{}\n", all.dump(2));
  } else if (fields.empty()) {
    fmt::print("{}\n  not set by any field: its value is '{}' on every node\n", explained->variable, explained->value);
  } else if (options.field.empty()) {
    for (const FieldDoc* doc : fields) print_line(*doc, 2 * doc->depth, std::string(doc->name()));
  } else if (fields.size() > 1) {
    for (const FieldDoc* doc : fields) print_line(*doc, 0, doc->path);
  } else {
    print_field(*fields[0], given);
    if (fields[0]->field->message) print_parts(*fields[0]);
  }
  return 0;
}

}  // namespace

void add_config_explain(CLI::App& config, int& exit_code) {
  auto* verb = add_verb(config, "explain", "explain a field: its meaning, and where it is used on the node");
  const auto options = std::make_shared<Options>();
  verb->add_option(
      "FIELD", options->field,
      "a path, a name, a CSE variable, a file of the node, or (after --) a kubelet flag; default: all fields");
  verb->add_option("--format", options->format, "text or json")->check(one_of({"text", "json"}));
  verb->add_option("--command", options->command, "a command (see from-nbc): which of its variables sets the field");
  verb->footer("Example: sunup config explain kubelet_config.kubelet_flags");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

void add_config_schema(CLI::App& config, int&) {
  auto* verb = add_verb(config, "schema", "print the contract as a JSON Schema (2020-12)");
  verb->footer("Example: sunup config schema >aksnodeconfig.schema.json");
  verb->callback([] { fmt::print("{}", contract::json_schema()); });
}

}  // namespace sunup
