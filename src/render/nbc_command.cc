#include "render/nbc_command.h"

#include <algorithm>
#include <optional>

#include "base/shell_word.h"
#include "base/text.h"
#include "base/utf8.h"
#include "render/cse_variables.h"

namespace sunup::render {
namespace {

using Kind = ShellPiece::Kind;

// The fixed texts. A blank matches one or more blanks or tabs; LF matches these and line breaks. After a `;` none is
// required.
constexpr std::string_view kStart =
    "PROVISION_OUTPUT=\"/var/log/azure/cluster-provision-cse-output.log\";\n"
    "echo $(date),$(hostname) > ${PROVISION_OUTPUT};\n";
constexpr std::string_view kCloudInitWait =
    "CLOUD_INIT_STATUS_SCRIPT=\"/opt/azure/containers/cloud-init-status-check.sh\";\n"
    "cloudInitExitCode=0;\n"
    "if [ -f \"${CLOUD_INIT_STATUS_SCRIPT}\" ];\nthen\n"
    "/bin/bash -c \"source ${CLOUD_INIT_STATUS_SCRIPT}; handleCloudInitStatus \\\"${PROVISION_OUTPUT}\\\"; "
    "returnStatus=\\$?; echo \\\"Cloud init status check exit code: \\$returnStatus\\\" >> ${PROVISION_OUTPUT}; "
    "exit \\$returnStatus\" >> ${PROVISION_OUTPUT} 2>&1;\n"
    "else\ncloud-init status --wait > /dev/null 2>&1;\nfi;\n"
    "cloudInitExitCode=$?;\n"
    "if [ \"$cloudInitExitCode\" -eq 0 ];\nthen\n"
    "echo \"cloud-init succeeded\" >> ${PROVISION_OUTPUT};\n"
    "else\necho \"cloud-init failed with exit code ${cloudInitExitCode}\" >> ${PROVISION_OUTPUT};\n"
    "exit ${cloudInitExitCode};\nfi;\n";
constexpr std::string_view kHookStart =
    "INIT_AKS_CLOUD_FILEPATH=\"/opt/azure/containers/init-aks-cloud.sh\";\n"
    "if [ -f \"${INIT_AKS_CLOUD_FILEPATH}\" ];\nthen\n";
constexpr std::string_view kHookEnd =
    "\"${INIT_AKS_CLOUD_FILEPATH}\" >> /var/log/azure/cluster-provision.log 2>&1;\nfi;\n";
constexpr std::string_view kOldHook = "/opt/azure/containers/init-aks-custom-cloud.sh";  // it runs in any case
constexpr std::string_view kOldHookEnd =
    "/opt/azure/containers/init-aks-custom-cloud.sh >> /var/log/azure/cluster-provision.log 2>&1;\n";
constexpr std::string_view kEnd =
    "/usr/bin/nohup /bin/bash -c \"/bin/bash /opt/azure/containers/provision_start.sh\"\n";

constexpr std::string_view kOnlyInCommands[] = {"BLOCK_OUTBOUND_NETWORK", "HYPERKUBE_URL", "KUBELET_IMAGE",
                                                "MCR_REPOSITORY_BASE"};
constexpr std::string_view kRetired[] = {"CONTAINER_RUNTIME",
                                         "CUSTOM_SECURE_TLS_BOOTSTRAP_AAD_SERVER_APP_ID",
                                         "CUSTOM_SECURE_TLS_BOOTSTRAP_CLIENT_URL",
                                         "NEEDS_CONTAINERD",
                                         "NEEDS_DOCKER_LOGIN",
                                         "NVIDIA_MANAGEMENT_MODE",
                                         "SECURE_TLS_BOOTSTRAPPING_DEADLINE",
                                         "TELEPORTD_PLUGIN_DOWNLOAD_URL",
                                         "TELEPORT_ENABLED"};
// Statements of their own, or arguments of the hook; they are unknown in the list of variables.
constexpr std::string_view kElsewhere[] = {"INIT_AKS_CLOUD_FILEPATH", "PROVISION_OUTPUT", "REPO_DEPOT_ENDPOINT"};
// Variables that senders print as "<nil>" if they have no value.
constexpr std::string_view kNullable[] = {"CLOUDPROVIDER_BACKOFF", "CLOUDPROVIDER_RATELIMIT",
                                          "LOAD_BALANCER_DISABLE_OUTBOUND_SNAT"};
constexpr std::string_view kAssignedTwice[] = {"KUBE_BINARY_URL", "NETWORK_POLICY"};

template <class List>
bool listed(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

bool is_custom_ca(std::string_view name) {
  constexpr std::string_view kPrefix = "CUSTOM_CA_CERT_";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  return !name.empty() && name.size() <= 4 && std::ranges::all_of(name, is_digit) && (name == "0" || name[0] != '0');
}

bool is_known(std::string_view name) {
  if (is_custom_ca(name) || listed(kOnlyInCommands, name) || listed(kRetired, name)) return true;
  if (listed(kElsewhere, name)) return false;
  const auto known = cse_variables();
  return std::ranges::binary_search(known, name, {}, &CseVariable::name);
}

size_t name_length(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && (is_alphanumeric(text[length]) || text[length] == '_')) ++length;
  return length > 0 && !is_digit(text[0]) ? length : 0;
}

bool is_blank_or_end(std::string_view rest) {
  return rest.empty() || std::string_view(" \t\n").find(rest[0]) != std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<NbcCommand> read() && {
    if (!is_command() || !is_text() || !fixed(kStart) ||
        (comes("CLOUD_INIT_STATUS_SCRIPT=") && !fixed(kCloudInitWait)) || !hook() || !variables() || !fixed(kEnd) ||
        !ends())
      return Error(nbc_place(text_, error_at_) + ": " + error_).with_hint(std::string(hint()));
    std::ranges::sort(out_.variables, {}, &NbcVariable::name);
    return std::move(out_);
  }

 private:
  bool fail(size_t at, std::string why) {
    error_at_ = at;
    error_ = std::move(why);
    return false;
  }

  // A text that is clearly something else is refused without comparing it with a command.
  bool is_command() {
    if (text_.size() > kMaxNbcBytes) return fail(kMaxNbcBytes, "the file is too large for a command");
    if (looks_like_nbc_command(text_)) return true;
    const size_t first = text_.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return fail(0, "this is no bootstrap command: the file is empty");
    if (text_[first] == '{') return fail(0, "this is no bootstrap command but JSON, as a config is");
    return fail(0, "this is no bootstrap command, which begins with PROVISION_OUTPUT=");
  }

  bool ends() { return at_ == text_.size() || fail(at_, "the command does not end after its script"); }

  // A hint for the error, if there is one.
  std::string_view hint() const {
    if (!looks_like_nbc_command(text_)) return "";
    if (text_.find("provision_start.sh\"") != std::string_view::npos) return "";
    return "a command ends with /opt/azure/containers/provision_start.sh\" and this file does not: it may be cut off";
  }

  bool is_text() {
    for (size_t at = 0; at < text_.size();) {
      const Rune rune = first_rune(text_.substr(at));
      if (!rune.valid()) return fail(at, "this byte is not UTF-8");
      if (rune.code == 0) return fail(at, "a NUL byte");
      // A shell joins the two lines, even within a word. No sender writes this.
      if (text_.substr(at).starts_with("\\\n")) return fail(at, "a backslash before a line break");
      at += rune.size;
    }
    return true;
  }

  std::string_view rest() const { return text_.substr(at_); }
  bool comes(std::string_view prefix) const { return rest().starts_with(prefix); }

  size_t skip(bool line_breaks) {
    const size_t before = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || (line_breaks && c == '\n'))
        ++at_;
      else
        break;
    }
    return at_ - before;
  }

  bool fixed(std::string_view pattern) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      const char c = pattern[i];
      if (c == ' ' || c == '\n') {
        const bool needed = c == ' ' || (i > 0 && pattern[i - 1] != ';' && i + 1 < pattern.size());
        if (skip(c == '\n') > 0 || !needed) continue;
      } else if (at_ < text_.size() && text_[at_] == c) {
        ++at_;
        continue;
      }
      // The error names the expected statement and never contains the text that was found instead.
      const size_t start = i == 0 ? 0 : pattern.rfind('\n', i - 1) + 1;
      const std::string_view statement = pattern.substr(start, pattern.find('\n', i) - start);
      return fail(at_, "this is not what a command has here: " + std::string(statement));
    }
    return true;
  }

  // REPO_DEPOT_ENDPOINT and LOCATION before the hook. The second one repeats a variable of the list.
  bool hook() {
    const bool today = comes("INIT_AKS_CLOUD_FILEPATH=");
    if (!today && !comes("REPO_DEPOT_ENDPOINT=") && !comes(kOldHook)) return true;
    if (today && !fixed(kHookStart)) return false;
    while (comes("REPO_DEPOT_ENDPOINT=") || comes("LOCATION=")) {
      auto variable = assignment();
      if (!variable) return false;
      if (variable->name == "LOCATION")
        hook_location_ = std::move(variable->value);
      else if (!out_.variables.empty())
        return fail(variable->at, "REPO_DEPOT_ENDPOINT is assigned twice");
      else
        out_.variables.push_back(*std::move(variable));
      skip(false);
    }
    return fixed(today ? kHookEnd : kOldHookEnd);
  }

  bool variables() {
    size_t first = at_;
    while (true) {
      skip(false);
      const size_t length = name_length(rest());
      if (length == 0 || rest().substr(length, 1) != "=") break;
      auto variable = assignment();
      if (!variable || !add(*std::move(variable))) return false;
    }
    if (at_ == first || text_.substr(first, at_ - first).find('=') == std::string_view::npos)
      return fail(at_, "there is no variable where the list of variables begins");
    if (comes("/usr/bin/nohup")) return contradiction();
    if (at_ >= text_.size()) return fail(at_, "the command ends without the script that it should run");
    const std::string behind = out_.variables.empty() ? "" : ", after " + last_;
    if (text_[at_] == '\n') return fail(at_, "a line break in the list of variables" + behind);
    return fail(at_, "this is neither a variable nor /usr/bin/nohup" + behind + ": another command, or a blank that " +
                         "is not quoted");
  }

  bool contradiction() {
    const NbcVariable* location = nullptr;
    for (const NbcVariable& variable : out_.variables)
      if (variable.name == "LOCATION") location = &variable;
    if (!hook_location_ || (location && location->value == *hook_location_)) return true;
    return fail(location ? location->at : at_, "LOCATION is not what the cloud's hook gets");
  }

  bool add(NbcVariable variable) {
    last_ = variable.name;
    if (!is_known(variable.name)) {
      // A name that is not spelled like a variable may be part of a value, so it is not printed.
      const bool name = std::ranges::none_of(variable.name, is_lower);
      return fail(variable.at, name ? "the variable " + variable.name + " is not known" : "an unknown variable");
    }
    const auto before = std::ranges::find(out_.variables, variable.name, &NbcVariable::name);
    if (before == out_.variables.end()) {
      out_.variables.push_back(std::move(variable));
      return true;
    }
    if (before->value != variable.value) {
      if (!listed(kAssignedTwice, variable.name))
        return fail(variable.at, variable.name + " is assigned twice, with different values");
      out_.remarks.push_back(variable.name + " is assigned twice, with different values: the last one counts");
    }
    *before = std::move(variable);
    return true;
  }

  // The text is at NAME=.
  std::optional<NbcVariable> assignment() {
    NbcVariable variable;
    variable.at = at_;
    variable.name = rest().substr(0, name_length(rest()));
    at_ += variable.name.size() + 1;
    if (!literal_redirection(variable) && !word(variable)) return std::nullopt;
    if (is_blank_or_end(rest())) return variable;
    const std::string found(1, text_[at_]);
    fail(at_, found == ";" ? "a `;` after " + variable.name + ": another statement"
                           : "an unquoted `" + found + "` in " + variable.name);
    return std::nullopt;
  }

  // A shell would interpret the value of these two as a redirection, so such a command cannot run. The meaning is
  // clear.
  bool literal_redirection(NbcVariable& variable) {
    if (listed(kNullable, variable.name) && comes("<nil>") && is_blank_or_end(rest().substr(5))) {
      at_ += 5;
      variable.nil = true;
      return true;
    }
    if (variable.name != "KUBERNETES_VERSION" || !comes(">=")) return false;
    const size_t end = std::min(text_.find_first_of(" \t\n", at_), text_.size());
    variable.value = text_.substr(at_, end - at_);
    if (variable.value.find_first_not_of("0123456789.xX", 2) != std::string::npos) return false;
    at_ = end;
    out_.remarks.emplace_back("KUBERNETES_VERSION is a redirection for a shell; it is taken as a text");
    return true;
  }

  bool word(NbcVariable& variable) {
    const ShellWord word = shell_word(rest());
    const auto refuse = [&](const ShellPiece& piece, std::string_view why) {
      return fail(at_ + piece.at, std::string(why) + " in " + variable.name);
    };
    for (const ShellPiece& piece : word.pieces) {
      if (piece.kind == Kind::kDollar) return refuse(piece, "an expansion (`$`)");
      if (piece.kind == Kind::kDollarQuote) return refuse(piece, "an expansion (`$'...'`)");
      if (piece.kind == Kind::kBackquote) return refuse(piece, "a command substitution (backquote)");
      if (piece.kind == Kind::kPlain &&
          ((piece.at == 0 && piece.text.starts_with('~')) || piece.text.find(":~") != std::string_view::npos))
        return refuse(piece, "an expansion (`~`)");
    }
    if (!word.closed) return refuse(word.pieces.back(), "quotes that are not closed");
    if (rest().substr(0, word.length).ends_with('\\') && at_ + word.length == text_.size())
      return fail(text_.size() - 1, "a backslash at the end");
    variable.value = word.value;
    if (listed(kNullable, variable.name) && variable.value == "<nil>") {
      variable.value.clear();
      variable.nil = true;
    }
    at_ += word.length;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  NbcCommand out_;
  std::optional<std::string> hook_location_;
  std::string last_;
  size_t error_at_ = 0;
  std::string error_;
};

}  // namespace

const NbcVariable* NbcCommand::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(variables, name, {}, &NbcVariable::name);
  return found != variables.end() && found->name == name ? &*found : nullptr;
}

std::string_view NbcCommand::value(std::string_view name) const {
  const NbcVariable* variable = find(name);
  return variable ? std::string_view(variable->value) : std::string_view();
}

Result<NbcCommand> read_nbc_command(std::string_view text) {
  return Reader(text).read();
}

bool looks_like_nbc_command(std::string_view text) {
  return text.starts_with("PROVISION_OUTPUT=");
}

std::string nbc_place(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::ranges::count(before, '\n');
  const std::string column = "column " + std::to_string(at - (line == 0 ? 0 : before.rfind('\n') + 1) + 1);
  return line == 0 ? column : "line " + std::to_string(line + 1) + ", " + column;
}

bool is_retired_nbc_variable(std::string_view name) {
  return listed(kRetired, name);
}

}  // namespace sunup::render
