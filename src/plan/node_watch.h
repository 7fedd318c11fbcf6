// What the API server says about this node. It is asked by watch, with the credentials in kubelet's kubeconfig.
//
//   auto said = std::make_shared<std::string>();
//   Result<void> ready = co_await node_reaches(host, NodeState::kReady, said);
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "host/host.h"

namespace sunup::plan {

// The credentials of the node.
struct NodeAccess {
  std::string server;       // "https://name:443"
  std::string ca_file;      // PEM
  std::string certificate;  // PEM files of the client certificate and its key, which may be the same file
  std::string key;
};

// The credentials of the current context of a kubeconfig. Only references to files, as kubelet writes them, are
// supported.
Result<NodeAccess> parse_kubeconfig(std::string_view yaml);

// "aks-1" of the subject "CN=system:node:aks-1,O=system:nodes"; empty if it is not the certificate of a node.
std::string node_name_in(std::string_view subject);

// kRegistered: the cluster has an object of the node, which may not be Ready. kRunsPod: a pod on the node is running.
enum class NodeState { kRegistered, kReady, kRunsPod };

// Returns when the node has reached the state. It is started again when it fails, so it returns an error only if this
// machine cannot watch its own files. `said` always has the last answer, for people.
host::Task<Result<void>> node_reaches(host::Host& host, NodeState what, std::shared_ptr<std::string> said);

// Reads the events of a watch as they arrive: one JSON object per line.
class NodeWatch {
 public:
  // The object of the node counts only if kubelet has reported it in the boot with this id: the API server keeps the
  // last report of the boot before, and that of a deleted machine with the same name. Empty: any boot.
  explicit NodeWatch(NodeState what, std::string boot_id = {}) : what_(what), boot_id_(std::move(boot_id)) {}

  // An error if this is not the reply to a watch request, or if a line is larger than any object.
  Result<void> add(std::string_view piece);
  bool reached() const { return reached_; }
  // The state in the last object, for people: "the node is not Ready: container runtime network not ready".
  const std::string& state() const { return state_; }

 private:
  Result<void> read(std::string_view line);

  NodeState what_;
  std::string boot_id_;
  bool reached_ = false;
  std::string line_;
  std::string state_ = "the API server has not mentioned it";
};

}  // namespace sunup::plan
