#include "azure/forms.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/base64.h"
#include "base/text.h"
#include "render/gzip.h"

namespace sunup::azure {
namespace {

constexpr std::string_view kContainers = "/opt/azure/containers/";

// `cat <<'EOF' | base64 -d | gzip -d >/path`: the destination of the body and how it is decoded.
struct HereDocument {
  std::string end;       // the line that ends it
  bool literal = false;  // quoted: the shell performs no expansion in it
  bool base64 = false;
  bool gzip = false;
  std::string path;
};

std::string unquoted(std::string_view word) {
  if (word.size() >= 2 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front())
    word = word.substr(1, word.size() - 2);
  return std::string(word);
}

class Script {
 public:
  explicit Script(std::string_view text) : rest_(text) {}

  Result<CustomData> read() {
    while (!rest_.empty() && data_.not_understood.empty())
      if (auto line = read_line(); !line) return std::move(line).error();
    return std::move(data_);
  }

 private:
  // One command line, joined with the lines that a backslash continues.
  std::string take_command() {
    std::string line(take_until(rest_, '\n'));
    while (line.ends_with('\\') && !rest_.empty()) {
      line.pop_back();
      line += take_until(rest_, '\n');
    }
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }

  Result<void> read_line() {
    const std::string line = take_command();
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) return {};
    if (text == "put() {" || text == "put_text() {") {  // of Sunup's boothook: writes base64 or text to a file
      put_is_known_ = true;
      while (!rest_.empty() && take_until(rest_, '\n') != "}") {
      }
      return {};
    }
    if (text.find("<<") != std::string_view::npos) return read_here_document(expanded(text));
    read_commands(expanded(text));
    return {};
  }

  // Expands variables that the script has set to plain words.
  std::string expanded(std::string_view text) const {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '$') {
        out += text[i];
        continue;
      }
      size_t from = i + 1;
      const bool braces = from < text.size() && text[from] == '{';
      if (braces) ++from;
      size_t to = from;
      while (to < text.size() && (is_alphanumeric(text[to]) || text[to] == '_')) ++to;
      const auto known = variables_.find(text.substr(from, to - from));
      if (known == variables_.end() || (braces && (to >= text.size() || text[to] != '}'))) {
        out += '$';
        continue;
      }
      out += known->second;
      i = braces ? to : to - 1;
    }
    return out;
  }

  void not_understood(std::string_view what) {
    if (data_.not_understood.empty()) data_.not_understood = "the boothook " + std::string(what.substr(0, 120));
  }

  std::optional<HereDocument> parse_here_document(const std::string& line) const {
    HereDocument document;
    const size_t at = line.find("<<");
    size_t from = at + 2;
    while (from < line.size() && line[from] == ' ') ++from;
    size_t to = from;
    while (to < line.size() && line[to] != ' ' && line[to] != '|' && line[to] != '>') ++to;
    const std::string word = line.substr(from, to - from);
    document.end = unquoted(word);
    document.literal = document.end != word;
    if (!is_identifier(document.end)) return std::nullopt;
    std::string command = line.substr(0, at) + " " + line.substr(to);
    const size_t into = command.rfind('>');
    if (into != std::string::npos) {
      document.path = unquoted(trimmed(std::string_view(command).substr(into + 1)));
      command.resize(into);
    }
    for (const std::string_view stage : split(command, '|')) {
      const std::string name = joined(words(stage), " ");
      if (name == "cat") continue;
      if (name == "base64 -d" || name == "base64 --decode") {
        if (document.base64 || document.gzip) return std::nullopt;
        document.base64 = true;
      } else if (name == "gzip -d" || name == "gzip -dc" || name == "gunzip" || name == "gunzip -c" || name == "zcat") {
        document.gzip = true;
      } else if (put_is_known_ && name.starts_with("put_text ") && into == std::string::npos) {
        document.path = unquoted(std::string_view(name).substr(9));
      } else if (put_is_known_ && name.starts_with("put ") && into == std::string::npos) {
        document.base64 = true;
        document.path = unquoted(std::string_view(name).substr(4));
      } else {
        return std::nullopt;
      }
    }
    if (!document.path.starts_with('/') || document.path.find_first_of("$`* \t\"'") != std::string::npos)
      return std::nullopt;
    return document;
  }

  Result<void> read_here_document(const std::string& line) {
    const auto document = parse_here_document(line);
    if (!document) {
      not_understood("writes a file in an unknown way: " + line);
      return {};
    }
    std::string body;
    bool ended = false;
    while (!ended && !rest_.empty()) {
      // If a script is truncated within the last line, the here-document has no end, unless that line is the complete
      // delimiter.
      const std::string_view text = take_until(rest_, '\n');
      ended = text == document->end;
      if (!ended) body += std::string(text) + "\n";
    }
    if (!ended) return Error("the here-document for " + document->path + " has no end: the boothook is cut");
    if (!document->literal && body.find_first_of("$`\\") != std::string::npos) {
      not_understood("lets the shell replace parts of " + document->path);
      return {};
    }
    auto content = decoded(*document, std::move(body));
    if (!content) return std::move(content).error().in(document->path);
    data_.files.push_back({document->path, *std::move(content), 0600});
    return {};
  }

  static Result<std::string> decoded(const HereDocument& document, std::string body) {
    if (document.base64) {
      auto bytes = base64_decode(body);
      if (!bytes) return Error("its base64 is cut or damaged");
      body = *std::move(bytes);
    }
    if (document.gzip) return render::gunzip(body, kLargestUnpacked);
    return body;
  }

  // Handles each command of `a; b && c` separately. A quoted text belongs to a log line, so a separator in it has no
  // effect.
  void read_commands(const std::string& line) {
    std::string command;
    for (size_t i = 0; i <= line.size(); ++i) {
      const bool separates =
          i == line.size() || line[i] == ';' || (line[i] == '&' && (i == 0 || line[i - 1] != '>')) || line[i] == '|';
      // A log line is not split, because its text may contain anything.
      if (i < line.size() && (!separates || trimmed(command).starts_with("logger "))) {
        command += line[i];
        continue;
      }
      read_command(trimmed(command));
      command.clear();
    }
  }

  void read_command(std::string_view command) {
    auto parts = words(command);
    while (!parts.empty() && (parts[0] == "if" || parts[0] == "then" || parts[0] == "else" || parts[0] == "elif" ||
                              parts[0] == "fi" || parts[0] == "!" || parts[0] == "{" || parts[0] == "}"))
      parts.erase(parts.begin());
    if (parts.empty()) return;
    const std::string_view name = parts[0];
    if (const size_t equals = name.find('=');
        equals != std::string_view::npos && is_identifier(name.substr(0, equals))) {
      const std::string value = unquoted(name.substr(equals + 1));
      if (parts.size() == 1 && value.find_first_of("$`") == std::string::npos)
        variables_[std::string(name.substr(0, equals))] = value;
      else
        not_understood("sets a variable in an unknown way");
      return;
    }
    for (const char* harmless : {"set", "logger", "mkdir", "umask", "[", "test", "exit", "true", ":"})
      if (name == harmless) return;
    if (name == "chmod" && parts.size() == 3) return set_mode(parts[1], unquoted(parts[2]));
    const auto names_controller = [](std::string_view word) {
      return word.find("aks-node-controller") != std::string_view::npos ||
             word == std::string(kContainers) + "provision_preload.sh";
    };
    if ((name == "systemctl" || name == "nohup") && std::ranges::any_of(parts, names_controller)) return;
    not_understood("runs '" + std::string(name) + "'");
  }

  void set_mode(std::string_view mode, const std::string& path) {
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(mode.data(), mode.data() + mode.size(), bits, 8);
    for (NodeFile& file : data_.files) {
      if (file.path != path) continue;
      if (error != std::errc() || end != mode.data() + mode.size() || bits > 0777)
        return not_understood("sets an unknown mode");
      file.mode = static_cast<mode_t>(bits);
    }
  }

  std::string_view rest_;
  CustomData data_;
  std::map<std::string, std::string, std::less<>> variables_;
  bool put_is_known_ = false;
};

}  // namespace

Result<CustomData> read_boothook(std::string_view script) {
  return Script(script).read();
}

}  // namespace sunup::azure
