// The custom data of the first generation of script-free images: a shell script that assigns every bootstrapping
// variable and starts the image's own provisioning. Equal variables give equal bytes; every value is quoted for the
// shell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/launch/bootstrap_variables.h"

namespace sunup::fleet {

// One NAME=value line of the script.
struct Assignment {
  std::string name;
  std::string value;
};

// Variables at the end of the script that have no field.
struct Constant {
  std::string_view name;
  std::string_view value;
  bool quoted;
};
std::span<const Constant> constant_variables();

// All assignments in the order of the script. A name can appear twice.
std::vector<Assignment> assignments(const BootstrapVariables& variables);

std::string bootstrap_script(const BootstrapVariables& variables);

}  // namespace sunup::fleet
