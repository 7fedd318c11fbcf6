// Any bytes are a response of a watch or are refused, in pieces of any size; any bytes are a kubeconfig or are refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plan/node_watch.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::plan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto what : {NodeState::kRegistered, NodeState::kReady, NodeState::kRunsPod}) {
    NodeWatch whole(what);
    const bool taken = whole.add(text).ok();
    NodeWatch pieces(what);
    bool taken_in_pieces = true;
    for (size_t at = 0; at < size && taken_in_pieces; at += 7) taken_in_pieces = pieces.add(text.substr(at, 7)).ok();
    require(taken == taken_in_pieces && whole.reached() == pieces.reached(), "pieces make no difference");
  }
  if (const auto access = parse_kubeconfig(text))
    require(!access->server.empty() && !access->certificate.empty(), "what is accepted is complete");
  return 0;
}
