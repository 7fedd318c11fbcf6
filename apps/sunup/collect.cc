#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/input.h"
#include "base/quoted.h"
#include "collect/bundle.h"
#include "host/real/machine.h"
#include "standard_output.h"
#include "timeline.h"
#include "timeline/gather.h"
#include "verbs.h"

namespace sunup {
namespace {

std::string default_name(std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, "sunup-%Y%m%dT%H%M%SZ.tar.zst", &parts);
  return text;
}

int run(const std::string& from, const std::string& config, std::string out) {
  auto machine = host::real::Machine::open();
  if (!machine) return complain("collect", machine.error());
  host::Host& host = (*machine)->host();
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (out.empty()) out = default_name(now);

  collect::Material material;
  if (from.empty()) {
    auto gathering = timeline::gather_from_machine(host.files, host.processes, host.boot_id, false);
    material.sources = (*machine)->loop().run(std::move(gathering));
    collect::add_logs(material, host.files, "");
  } else {
    const auto info = host.files.info(absolute(from));
    if (!info) return complain("collect", info.error());
    if (info->kind != host::FileKind::kDirectory) return complain("collect", Error(from + " is not a directory"));
    auto below = host::real::Files::below((*machine)->loop(), absolute(from));
    material.sources = (*machine)->loop().run(timeline::gather_from_directory(below, host.processes, absolute(from)));
    collect::add_logs(material, below, absolute(from));
  }
  if (!config.empty()) {
    auto text = sunup::read_input(config);
    if (!text) return complain("collect", text.error());
    material.config = {.text = std::move(*text), .trouble = {}};
  }
  const collect::Bundle bundle = collect::make_bundle(std::move(material));
  const auto packed = collect::pack(bundle, now);
  if (!packed) return complain("collect", packed.error());
  if (auto written = put(out, *packed, 0600); !written) return complain("collect", written.error());
  if (!bundle.sieves.empty()) fmt::print(stderr, "sunup collect: {}\n", bundle.sieves);
  for (const std::string& one : bundle.left_out) fmt::print(stderr, "sunup collect: left out: {}\n", one_line(one));
  if (out != "-") fmt::print("{}\n", out);
  return 0;
}

}  // namespace

void add_collect(CLI::App& app, int& exit_code) {
  struct Options {
    std::string from, config, out;
  };
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(app, "collect", "create the support bundle: logs, timeline and config of a node, redacted");
  verb->footer(
      "Collects from this machine or, with --from, from a copy of a node's disk or logs; links in the copy are "
      "resolved below "
      "it. Prints the name of the bundle.\n"
      "Example: sunup collect --out node.tar.zst && tar -xf node.tar.zst -C node && sunup timeline node");
  verb->add_option("--from", options->from, "a copied disk or log directory instead of this machine");
  verb->add_option("--config", options->config, "the node config, if it is not in its usual place");
  verb->add_option("--out", options->out,
                   "the name of the bundle (default: sunup-TIME.tar.zst in this directory); - is stdout");
  verb->callback([options, &exit_code] { exit_code = run(options->from, options->config, options->out); });
}

}  // namespace sunup
