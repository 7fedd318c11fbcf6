#include "render/nbc_secrets.h"

#include <algorithm>

#include "base/shell_word.h"
#include "base/text.h"
#include "contract/secrets.h"
#include "render/cse_variables.h"

namespace sunup::render {
namespace {

// A variable of older commands; the environment of a config does not contain it.
constexpr std::string_view kRetiredSecretVariable = "SERVICE_PRINCIPAL_CLIENT_SECRET";

bool is_name_char(char c) {
  return is_alphanumeric(c) || c == '_';
}

ShellWord fragment(std::string_view text, ShellSyntax syntax = {}) {
  syntax.rules = ShellRules::kFragment;
  return shell_word(text, syntax);
}

// The quotes around a position, as far as its own line shows. Every line is assumed to begin outside of quotes, because
// an apostrophe in a comment or a document would invert the state of everything after it.
class LineQuotes {
 public:
  Quote here() const { return quote_; }

  void pass(char c) {
    const bool plain = !escaped_;
    escaped_ = false;
    if (c == '\n' || (plain && c == static_cast<char>(quote_)))
      quote_ = Quote::kNone;
    else if (plain && c == '\\')
      escaped_ = quote_ != Quote::kSingle;
    else if (plain && quote_ == Quote::kNone && (c == '\'' || c == '"'))
      quote_ = Quote{c};
  }

 private:
  Quote quote_ = Quote::kNone;
  bool escaped_ = false;
};

// The value as it is written in the file, because a shell quotes it in this form in an error message.
std::string_view without_outer_quotes(std::string_view word) {
  if (word.starts_with("$'") || word.starts_with("$\"")) word.remove_prefix(1);
  const bool quoted = word.size() > 1 && (word[0] == '\'' || word[0] == '"') && word.back() == word[0];
  return quoted ? word.substr(1, word.size() - 2) : word;
}

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::vector<Secret> secrets() {
    LineQuotes quotes;
    for (size_t at = 0; at < text_.size(); quotes.pass(text_[at++]))
      if (const size_t value = secret_assignment(at); value != 0) add_values(value, quotes.here());
    std::ranges::sort(found_, {}, &Secret::reveal);
    const auto again = std::ranges::unique(found_, {}, &Secret::reveal);
    found_.erase(again.begin(), again.end());
    return std::move(found_);
  }

 private:
  // The position of the value if an assignment to a secret variable begins here; otherwise 0.
  size_t secret_assignment(size_t at) const {
    if (!is_name_char(text_[at]) || (at > 0 && is_name_char(text_[at - 1]))) return 0;
    size_t end = at;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    const size_t equals = text_.substr(end).starts_with('+') ? end + 1 : end;
    if (!text_.substr(equals).starts_with('=')) return 0;
    return is_secret_variable(text_.substr(at, end - at)) ? equals + 1 : 0;
  }

  // Adds the value as it reads outside of quotes and inside of either kind, where another shell will evaluate it (bash
  // -c "A=b"). The quotes found in the line are most likely right. Only for these may a value extend over several
  // lines; for a wrong guess it would be unrelated text up to the next quote.
  void add_values(size_t at, Quote likely) {
    const std::string_view rest = text_.substr(at);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    for (const Quote inside : {Quote::kNone, Quote::kSingle, Quote::kDouble}) {
      const bool guess = inside != likely;
      if (guess && line.starts_with(static_cast<char>(inside))) continue;  // the value would be empty
      const std::string_view scope = guess ? line : rest;
      if (inside == Quote::kNone)
        add_word(scope, guess);
      else
        add_word(fragment(scope, {.inside = inside}).value, guess);
    }
  }

  void add_word(std::string_view text, bool guess) {
    const ShellWord word = fragment(text);
    if (guess && !word.closed) return;  // as in grep 'NAME=' FILE: the quote ends here
    add(word.value, guess);
    // An unquoted '&', as in a URL's signature, ends the value for a shell, but was probably meant as part of the
    // value.
    const ShellWord loose = fragment(text, {.ends = " \t\n;"});
    add(loose.value, guess);
    add(without_outer_quotes(text.substr(0, loose.length)), guess);
  }

  void add(std::string_view value, bool guess) {
    if (value.size() >= (guess ? kShortestHidden : 1)) add_with_urls(value);
  }

  void add_with_urls(std::string_view value) {
    found_.emplace_back(std::string(value));
    for (size_t mark = value.find("://"); mark != std::string_view::npos; mark = value.find("://", mark + 1)) {
      const size_t before = value.find_last_of(" \t\n;\"'=", mark);
      const size_t start = before == std::string_view::npos ? 0 : before + 1;
      found_.emplace_back(std::string(value.substr(start, value.find_first_of(" \t\n;\"'", mark) - start)));
    }
  }

  std::string_view text_;
  std::vector<Secret> found_;
};

}  // namespace

bool is_secret_variable(std::string_view name) {
  if (name == kRetiredSecretVariable) return true;
  const auto variables = cse_variables();
  const auto found = std::ranges::lower_bound(variables, name, {}, &CseVariable::name);
  return found != variables.end() && found->name == name && may_hold_secret(*found);
}

std::vector<Secret> nbc_secrets(std::string_view text) {
  return Scan(text).secrets();
}

}  // namespace sunup::render
