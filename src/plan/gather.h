// What there is to know about this node before anything runs, read from its files: nothing is started for it, because
// every process counts on the way to kubelet.
#pragma once

#include "aksnodeconfig/v1/configuration.pb.h"
#include "host/files.h"
#include "render/node/facts.h"

namespace sunup::plan {

// The error names the file that is there and could not be read: nothing has been touched then.
Result<render::node::NodeFacts> gather_facts(host::Files& files, const aksnodeconfig::v1::Configuration& config);

// Is the text of this file one of the facts?
bool decides_something(std::string_view path);

}  // namespace sunup::plan
