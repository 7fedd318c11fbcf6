// Renders a node config into a VM request, and explains the status that the platform returns:
//
//   render-node node.json > model.json
//   render-node --files node.json
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
  const auto model = sunup::vmss_model(*config, {.os = "ubuntu2404", .gzip = sunup::CustomDataOptions::Gzip::kNever});
  if (!model) {
    std::cerr << model.error().what << "\n";
    return 1;
  }
  std::cout << *model;
  return 0;
}

// Lists the files that the node would get.
int files(const char* path) {
  const auto config = sunup::NodeConfig::load(path);
  if (!config) {
    std::cerr << config.error().what << "\n";
    return 1;
  }
  const auto files = sunup::node_files(*config, {.os = "ubuntu2404"});
  if (!files) {
    std::cerr << files.error().what << "\n";
    return 1;
  }
  for (const auto& file : files->files) std::cout << file.path << " (" << file.content.size() << " bytes)\n";
  return 0;
}

int status() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  int failed = 0;
  for (const sunup::NodeStatus& node : sunup::parse_status(text)) {
    std::cout << node.source
              << (node.succeeded()   ? " is fine\n"
                  : node.in_progress ? " is in progress\n"
                                     : " failed: " + node.meaning + " " + node.remedy + "\n");
    failed += node.succeeded() || node.in_progress ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--files") return files(argv[2]);
  if (argc != 2) {
    std::cerr << "usage: render-node CONFIG | --files CONFIG | --status\n";
    return 2;
  }
  return std::string(argv[1]) == "--status" ? status() : render(argv[1]);
}
