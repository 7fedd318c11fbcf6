// sunup config from-nbc: converts a ready-made bootstrap command to a config.
#include <cstdio>
#include <memory>
#include <string>

#include "base/input.h"
#include "contract/write.h"
#include "load_config.h"
#include "render/nbc_config.h"
#include "verbs.h"

namespace sunup {
namespace {

int run(const std::string& file) {
  const std::string name = input_name(file);
  const auto text = sunup::read_input(file, render::kMaxNbcBytes);
  if (!text) {
    const bool unreadable = text.error().os_errno != 0;
    std::fprintf(stderr, "sunup: %s\n",
                 unreadable ? text.error().what.c_str() : (name + ": the file is too large for a command").c_str());
    return unreadable ? 2 : 1;
  }
  const auto read = render::read_nbc_config(*text);
  if (!read) {
    std::fprintf(stderr, "sunup: %s: %s\n", name.c_str(), read.error().what.c_str());
    if (!read.error().hint.empty()) std::fprintf(stderr, "    hint: %s\n", read.error().hint.c_str());
    return 1;
  }
  for (const std::string& remark : read->remarks) std::fprintf(stderr, "%s: note: %s\n", name.c_str(), remark.c_str());
  for (const contract::Finding& finding : read->loaded.findings)
    std::fprintf(stderr, "%s: note: %s: %s\n", name.c_str(), finding.path.c_str(), finding.message.c_str());
  if (read->loaded.config.gpu_config().enable_nvidia())
    std::fprintf(stderr, "%s: note: vm_size is not in a command; the node takes it from the metadata service\n",
                 name.c_str());
  std::fputs(contract::to_json(read->loaded.config).c_str(), stdout);
  return 0;
}

}  // namespace

void add_config_from_nbc(CLI::App& config, int& exit_code) {
  auto* verb = add_verb(config, "from-nbc", "print the config that a command (--nbc-cmd) stands for");
  const auto file = std::make_shared<std::string>();
  verb->add_option("FILE", *file, "the command; - is standard input")->required();
  verb->footer(
      "The command is read, not run. What the config cannot express, and what is ambiguous, is reported on stderr. "
      "The\n"
      "output contains the command's secrets.\n"
      "Exit code: 0, or 1 if the command is not understood (with the column and the reason), 2 if it cannot be read.\n"
      "Example: sunup config from-nbc /opt/azure/containers/aks-node-controller-nbc-cmd.sh");
  verb->callback([file, &exit_code] { exit_code = run(*file); });
}

}  // namespace sunup
