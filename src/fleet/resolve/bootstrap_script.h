// The custom data of the first generation of script-free images: a shell script that assigns every bootstrapping
// variable and starts the image's own provisioning. Same variables, same bytes; every value is quoted for the shell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/resolve/bootstrap_variables.h"

namespace sunup::fleet {

// One NAME=value line of the script.
struct Assignment {
  std::string name;
  std::string value;
  bool quoted = false;
  bool secret = false;
};

// What stands at the end of the list: names that images came to need and no field stands for.
struct Constant {
  std::string_view name;
  std::string_view value;
  bool quoted;
};
std::span<const Constant> constant_variables();

// All lines in the order nodes get them. A name can appear twice.
std::vector<Assignment> assignments(const BootstrapVariables& variables);

std::string bootstrap_script(const BootstrapVariables& variables);

// The script of all nodes of a kind, but for the two variables that differ between them: kubelet's flags and labels.
class ScriptFrame {
 public:
  explicit ScriptFrame(const BootstrapVariables& variables);

  // Of a node whose other variables are those of the frame; what stands between the two is the node's own.
  static std::string middle(const BootstrapVariables& variables);
  const std::string& before() const { return before_; }
  const std::string& after() const { return after_; }

 private:
  std::string before_;
  std::string after_;
};

// A list variable's items are separated by this within its text: it cannot occur in an item.
inline constexpr char kItemSeparator = '\x1e';

}  // namespace sunup::fleet
