// The records that earlier runs left on a node, with any content: the run, its result, the marks of the VM and the data
// that bootstrap keeps. They are read or count as absent, the verbs agree on whether the node is provisioned, and what
// is written is read back. The parts of the input, separated by NUL, are the files.

#include "announce/announce.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "controller/instance_state.h"
#include "controller/result_files.h"
#include "controller/single_flight.h"
#include "controller/test_machine.h"
#include "require.h"

namespace {

using namespace sunup;
using namespace sunup::controller;

constexpr char kVm[] = "0a1b2c3d-0000-1111-2222-333344445555";

host::Task<bool> judge(Node& node) {
  const auto result = recorded_result(node);
  const auto success = recorded_success(node);
  require(result.ok() && success.ok(), "a file of any content can be read");
  require(!*success || *result, "a success is a result");
  const auto done = provisioned(node);
  const auto ended = has_ended(node);
  require(done.ok() && ended.ok(), "a record of any content can be read");
  require(!*done || *success, "a node without a success is not provisioned");
  (void)is_captured_after_preparation(node);
  (void)provision_under_way(node);

  InstanceState state(node, kVm);
  const auto kept = state.kept();
  require(kept.ok() || !kept.error().what.empty(), "a refusal has a reason");
  const auto pool = state.pool();
  require(pool.ok(), "a mark of any content can be read");
  const auto written = state.written();
  require(written.ok(), "a list of any content can be read");
  for (const std::string& path : *written)
    require(path.starts_with('/') && path.find('\n') == std::string::npos, "a path is absolute and one line");

  SingleFlight flight(node);
  const auto turn = co_await flight.take_turn();
  require(turn.ok(), "nobody else runs");
  flight.begin();
  flight.ended({.exit_code = 7, .result = {.exit_code = "7", .error = "planted"}});
  const auto now = provisioned(node);
  require(now.ok() && !*now, "a run that has failed has not provisioned the node");
  co_return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto webhook = announce::webhook_of(rest);
  require(webhook.ok() ? webhook->empty() || webhook->starts_with("https://") : !webhook.error().what.empty(),
          "a webhook is an https URL");
  TestMachine machine;
  const std::string marks = std::string("/var/lib/sunup/instances/") + kVm;
  machine.put("/proc/sys/kernel/random/boot_id", "b1\n");
  for (const std::string& path : {std::string(paths::kRun), std::string(paths::kResult), std::string(paths::kComplete),
                                  marks + "/pool", marks + "/files", marks + "/ovf-env.xml"})
    if (const std::string_view text = take_until(rest, '\0'); !text.empty()) machine.put(path, std::string(text));
  std::optional<bool> judged;
  (void)machine.run(judge, &judged);
  require(judged.has_value(), "every look at the node comes to an end");
  return 0;
}
