// sunup help [VERB...]: prints the same as `sunup VERB --help`.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "verbs.h"

namespace sunup {

void add_help(CLI::App& app, int& exit_code) {
  auto* verb = add_verb(app, "help", "print the help of a verb");
  verb->footer("Example: sunup help config check");
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("VERB", *words, "the verb and its subcommand; default: all verbs");
  verb->callback([&app, words, &exit_code] {
    const CLI::App* at = &app;
    std::string name = app.get_name();
    for (const std::string& word : *words) {
      const auto below = at->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
      if (below.empty()) {
        std::fprintf(stderr, "sunup: unknown verb '%s' (%s --help lists all verbs)\n", word.c_str(), name.c_str());
        exit_code = 2;
        return;
      }
      at = below.front();
      name += " " + word;
    }
    // App::help() would show the help of the parsed verb, which is `help` itself.
    std::fputs(at->get_formatter()->make_help(at, name, CLI::AppFormatMode::Normal).c_str(), stdout);
  });
}

}  // namespace sunup
