// The journal of the engine is read with any content: as it is, and with a valid checksum added to every line, so that
// the fields behind it are reached, too. A step that is recorded after that is found again.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/text.h"
#include "engine/journal.h"
#include "host/sim/machine.h"
#include "require.h"

namespace {

using namespace sunup;
using namespace sunup::engine;

constexpr char kPath[] = "/var/lib/sunup/journal";

std::string sealed(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::string line(take_until(lines, '\n'));
    char sum[10];
    std::snprintf(sum, sizeof sum, "%08lx\t",
                  crc32(0, reinterpret_cast<const Bytef*>(line.data()), static_cast<uInt>(line.size())));
    out += sum + line + "\n";
  }
  return out;
}

Step step(const char* name) {
  Step made;
  made.name = name;
  made.inputs = "in";
  made.lasts = Lasts::kThisBoot;
  return made;
}

void judge(const std::string& text) {
  host::sim::World world{1};
  host::sim::Machine machine{world};
  host::Files& files = machine.host().files;
  require(files.write(kPath, text, 0600).ok(), "the simulated disk takes a journal");
  {
    Journal journal(files, kPath, "b1", "g");
    for (const std::string& trouble : journal.troubles())
      require(trouble.find('\n') == std::string::npos, "a trouble is one line");
    std::string why;
    (void)journal.find(step("a"), &why);
    require(!why.empty(), "a decision has a reason");
    require(journal.finished(step("planted"), {{"fact", "a\tb\n%="}}).ok(), "a step can be recorded");
  }
  Journal again(files, kPath, "b1", "g");
  std::string why;
  const Journal::Done* done = again.find(step("planted"), &why);
  require(done != nullptr && done->facts.at("fact") == "a\tb\n%=", "a recorded step is found again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  judge(std::string(text));
  judge(sealed(text));
  return 0;
}
