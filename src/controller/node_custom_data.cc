#include "controller/node_custom_data.h"

#include <map>

#include "azure/custom_data.h"

namespace sunup::controller {

namespace {

constexpr char kNew[] = ".hotfix-new";
constexpr char kOld[] = ".hotfix-old";

// The missing parent directories of the path, the deepest first.
Result<std::vector<std::string>> missing_directories(Node& node, const std::string& path) {
  std::vector<std::string> missing;
  for (size_t slash = path.rfind('/'); slash != 0 && slash != std::string::npos; slash = path.rfind('/', slash - 1)) {
    const std::string directory = path.substr(0, slash);
    const auto there = node.files.exists(directory);
    if (!there) return there.error();
    if (*there) break;
    missing.push_back(directory);
  }
  return missing;
}

// Replaces files so that a failure leaves all of them unchanged: first, new contents and copies of the old ones are
// written beside them, which fails if the disk is full; then there are only renames, which can be undone.
class Replacement {
 public:
  explicit Replacement(Node& node) : node_(node) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (!done_) take_back();
    for (const Part& part : parts_) {
      (void)node_.files.remove(part.path + kNew);
      (void)node_.files.remove(part.path + kOld);
    }
    if (!done_)
      for (const std::string& directory : made_) (void)node_.files.remove(directory);
  }

  Result<void> prepare(const azure::NodeFile& file) {
    const auto there = node_.files.info_if_there(file.path);
    if (!there) return there.error();
    if (*there && (*there)->kind != host::FileKind::kRegular) return Error(file.path + " is there, and is not a file");
    auto missing = missing_directories(node_, file.path);
    if (!missing) return std::move(missing).error();
    made_.insert(made_.end(), missing->begin(), missing->end());
    parts_.push_back({file.path, there->has_value(), false});
    // An existing file keeps its mode, which may have been restricted on purpose.
    const mode_t mode = *there ? (*there)->mode : file.mode & ~node_.umask;
    if (auto written = node_.files.write(file.path + kNew, file.content, mode); !written) return written;
    return *there ? node_.files.copy(file.path, file.path + kOld, (*there)->mode) : Result<void>();
  }

  Result<void> commit() {
    for (Part& part : parts_) {
      if (auto renamed = node_.files.rename(part.path + kNew, part.path); !renamed) return renamed;
      part.is_new = true;
    }
    done_ = true;
    return {};
  }

 private:
  struct Part {
    std::string path;
    bool was_there;
    bool is_new;
  };

  void take_back() {
    for (const Part& part : parts_) {
      if (!part.is_new) continue;
      const auto back =
          part.was_there ? node_.files.rename(part.path + kOld, part.path) : node_.files.remove(part.path);
      if (!back)
        node_.log.error("a file of the failed scripts hotfix stays",
                        {{"path", part.path}, {"error", back.error().what}});
    }
  }

  Node& node_;
  std::vector<Part> parts_;
  std::vector<std::string> made_;
  bool done_ = false;
};

}  // namespace

Result<void> apply_custom_data(Node& node, const char* path, const std::set<std::string>& except) {
  const auto text = node.files.read_if_there(path);
  if (!text) return text.error();
  if (!*text) return {};
  const auto files = azure::read_hotfix_files(**text);
  if (!files) return files.error().in(path);
  std::map<std::string, const azure::NodeFile*> last;  // of several entries for one path the last is used
  for (const azure::NodeFile& file : *files)
    if (!except.contains(file.path)) last[file.path] = &file;
  Replacement replacement(node);
  for (const auto& [name, file] : last)
    if (auto prepared = replacement.prepare(*file); !prepared) return prepared;
  return replacement.commit();
}

}  // namespace sunup::controller
