// What the file of a program says about itself. Reads a few KiB of it and does not start it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace sunup::plan {

// At most `most` bytes of the file from an offset; fewer at its end, none if it cannot be read.
using ReadPart = std::function<std::string(uint64_t from, size_t most)>;

// "amd64" or "arm64"; empty for anything else.
std::string architecture_of(const ReadPart& read);

// The module that a Go program was built from: "github.com/containerd/containerd/v2". Empty if the program does not say
// so: it is not one of Go, its build information was removed, or it was built without modules.
std::string go_module_of(const ReadPart& read);

}  // namespace sunup::plan
