#include "controller/check_hotfix.h"
#include "controller/download_hotfix.h"
#include "verbs.h"

namespace sunup {
namespace {

int check(Program& program, const controller::CommandLine& line) {
  if (!line.words.empty()) program.node().log.warn("check-hotfix takes no arguments", {{"ignored", line.words[0]}});
  controller::check_hotfix(program.node());
  return 0;
}

int download(Program& program, const controller::CommandLine& line) {
  if (!line.words.empty()) return 1;
  return program.loop().run(controller::download_hotfix(program.node()));
}

}  // namespace

const Verb kCheckHotfix{
    {"check-hotfix", "determine which hotfix this node should have", "aks-node-controller check-hotfix", {}}, check};
const Verb kDownloadHotfix{{"download-hotfix",
                            "update the scripts and the program to the requested patch",
                            "aks-node-controller download-hotfix",
                            {}},
                           download};

}  // namespace sunup
