#include <memory>

#include "custom_data_options.h"
#include "render/vmss.h"
#include "verbs.h"

namespace sunup {
namespace {

int print_model(const CustomDataFlags& flags) {
  int exit_code = 0;
  const auto node = load_for_node(flags, exit_code);
  return node ? print_or_complain(render::vmss_model(node->config, node->options)) : exit_code;
}

}  // namespace

void add_render_vmss(CLI::App& render, int& exit_code) {
  auto flags = std::make_shared<CustomDataFlags>();
  auto* verb =
      add_verb(render, "vmss", "print the part of the model of a VM or scale set that makes it a node, as JSON");
  verb->footer(
      "Put osProfile and extensionProfile into virtualMachineProfile of the scale set.\n"
      "Example: sunup render vmss --config node.json --os azurelinux3");
  flags->add_to(*verb);
  verb->callback([flags, &exit_code] { exit_code = print_model(*flags); });
}

}  // namespace sunup
