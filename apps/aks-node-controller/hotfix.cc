#include "controller/apply_hotfix.h"
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

// Additional words are ignored, so that a launcher that is newer than this program can continue.
int apply_embedded(Program& program, const controller::CommandLine&) {
  return controller::apply_embedded_hotfix(program.node()) ? 0 : 1;
}

int apply_custom_data(Program& program, const controller::CommandLine&) {
  return controller::apply_scripts_hotfix(program.node()) ? 0 : 1;
}

}  // namespace

const Verb kApplyEmbeddedHotfix{{"apply-embedded-hotfix",
                                 "apply the scripts hotfix that came with the package of this program",
                                 "aks-node-controller apply-embedded-hotfix",
                                 {}},
                                apply_embedded};
const Verb kApplyHotfix{{"apply-hotfix", "the same as apply-embedded-hotfix", "aks-node-controller apply-hotfix", {}},
                        apply_embedded};
const Verb kApplyNodeCustomData{{"apply-node-custom-data",
                                 "apply the scripts hotfix of the custom data, if the pointer file requests it",
                                 "aks-node-controller apply-node-custom-data",
                                 {}},
                                apply_custom_data};
const Verb kCheckHotfix{
    {"check-hotfix", "determine which hotfix this node should have", "aks-node-controller check-hotfix", {}}, check};
const Verb kDownloadHotfix{{"download-hotfix",
                            "update the scripts and the program to the requested patch",
                            "aks-node-controller download-hotfix",
                            {}},
                           download};

}  // namespace sunup
