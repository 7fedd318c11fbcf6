#include "verbs.h"

#include <utility>

namespace sunup {

CLI::App* add_verb(CLI::App& above, std::string name, std::string summary) {
  return above.add_subcommand(std::move(name), std::move(summary));
}

CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::IsMember(std::move(words));
}

}  // namespace sunup
