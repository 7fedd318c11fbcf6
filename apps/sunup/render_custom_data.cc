#include <memory>

#include "base/base64.h"
#include "custom_data_options.h"
#include "verbs.h"

namespace sunup {
namespace {

int print_custom_data(const CustomDataFlags& flags, const std::string& encoding) {
  int exit_code = 0;
  const auto node = load_for_node(flags, exit_code);
  if (!node) return exit_code;
  const Result<std::string> data = render::custom_data(node->config, node->options);
  return print_or_complain(data && encoding == "base64" ? base64_encode(*data) + "\n" : data);
}

}  // namespace

void add_render_custom_data(CLI::App& render, int& exit_code) {
  struct Options {
    CustomDataFlags flags;
    std::string encoding = "base64";
  };
  auto options = std::make_shared<Options>();
  auto* verb =
      add_verb(render, "custom-data",
               "render the custom data of a VM, which passes the config to the node and starts the controller");
  verb->footer(
      "The same config gives the same bytes. Exit code 1 if the result exceeds the limit of Azure (65,535 "
      "bytes).\nExample: sunup render custom-data --config node.json --os ubuntu2404 --encoding none > custom-data");
  options->flags.add_to(*verb);
  verb->add_option("--encoding", options->encoding, "base64 (required by the Azure API) or none")
      ->check(one_of({"base64", "none"}))
      ->capture_default_str();
  verb->callback([options, &exit_code] { exit_code = print_custom_data(options->flags, options->encoding); });
}

}  // namespace sunup
