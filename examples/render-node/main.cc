// From a node config to a VM request, and from the platform's answer to a verdict:
//
//   render-node node.json > model.json
//   az vm get-instance-view ... | render-node --status
#include <sunup/node_config.h>
#include <sunup/render.h>
#include <sunup/status.h>

#include <iostream>
#include <iterator>
#include <string>

namespace {

int render(const char* path) {
  const auto config = sunup::NodeConfig::load(path);
  if (!config) {
    std::cerr << config.error().what << "\n";
    return 1;
  }
  for (const sunup::Remark& remark : config->check()) {
    std::cerr << path << ":" << remark.line << ": " << remark.message << "\n";
  }
  const auto model = sunup::vmss_model(*config, "ubuntu2404");
  if (!model) {
    std::cerr << model.error().what << "\n";
    return 1;
  }
  std::cout << *model;
  return 0;
}

int status() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  int failed = 0;
  for (const sunup::NodeStatus& node : sunup::parse_status(text)) {
    std::cout << node.source
              << (node.succeeded() ? " is fine\n" : " failed: " + node.meaning + " " + node.remedy + "\n");
    failed += node.succeeded() ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: render-node CONFIG | --status\n";
    return 2;
  }
  return std::string(argv[1]) == "--status" ? status() : render(argv[1]);
}
