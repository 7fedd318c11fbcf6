#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "load_config.h"
#include "render/node/files.h"
#include "verbs.h"

namespace sunup {
namespace {

namespace node = render::node;

struct Options {
  std::string config, out, os, facts, containerd_version;
  bool strict = false;
};

int refuse(const Error& error) {
  std::fprintf(stderr, "sunup: %s%s\n", error.what.c_str(),
               error.hint.empty() ? "" : (" (" + error.hint + ")").c_str());
  return 1;
}

Result<void> write_file(const std::filesystem::path& path, const node::NodeFile& file) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  if (failed) return Error::from_errno(failed.value(), "making " + path.parent_path().string());
  // The old file is removed and a new one created, so that the mode applies from the first byte on.
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file.mode);
  if (fd < 0) return Error::from_errno(errno, "creating " + path.string());
  size_t done = 0;
  bool fine = ::fchmod(fd, file.mode) == 0;
  while (fine && done < file.content.size()) {
    const ssize_t n = ::write(fd, file.content.data() + done, file.content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    fine = n >= 0;
    if (fine) done += static_cast<size_t>(n);
  }
  const int error = errno;
  if (::close(fd) != 0 && fine) return Error::from_errno(errno, "writing " + path.string());
  if (!fine) return Error::from_errno(error, "writing " + path.string());
  return {};
}

Result<void> write_link(const std::filesystem::path& path, const std::string& target) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  ::unlink(path.c_str());
  if (::symlink(target.c_str(), path.c_str()) != 0) return Error::from_errno(errno, "linking " + path.string());
  return {};
}

// Creates the directory itself if necessary, but not its parents, so that a typing error does not create a tree.
Result<void> prepare(const std::filesystem::path& root) {
  std::error_code ignored;
  if (std::filesystem::weakly_canonical(root, ignored) == "/")
    return Error(root.string() + " would overwrite the files of this machine");
  if (std::filesystem::is_directory(root, ignored)) {
    if (!std::filesystem::is_empty(root, ignored))
      std::fprintf(stderr, "sunup: --out %s is not empty: existing files that this config does not create are kept\n",
                   root.c_str());
    return {};
  }
  if (std::filesystem::exists(root, ignored)) return Error::from_errno(ENOTDIR, root.string());
  if (::mkdir(root.c_str(), 0777) != 0) return Error::from_errno(errno, root.string());
  return {};
}

Result<node::NodeFacts> facts_for(const Options& options, int& exit_code) {
  node::NodeFacts facts =
      node::golden_image(options.os.empty() ? render::Distro::kUbuntu2204 : *render::distro_by_name(options.os));
  if (!options.facts.empty()) {
    if (!options.os.empty()) {
      exit_code = 2;
      std::fprintf(stderr, "sunup: --facts contains the operating system, so --os cannot be given too\n");
      return Error();
    }
    const auto text = read_input(options.facts, exit_code);
    if (!text) return Error();
    auto read = node::facts_from_json(*text);
    if (!read) return std::move(read).error().in(options.facts);
    facts = *std::move(read);
  }
  if (!options.containerd_version.empty()) {
    facts.containerd_version = options.containerd_version;
    remark_on_containerd_version(options.containerd_version);
  }
  return facts;
}

int run(const Options& options) {
  int exit_code = 0;
  const auto loaded = load_config(options.config, options.strict ? Checked::kStrict : Checked::kTold, exit_code);
  if (!loaded) return exit_code;
  const contract::Configuration& config = loaded->config;
  const auto facts = facts_for(options, exit_code);
  if (!facts && exit_code == 0) refuse(facts.error());
  if (!facts) return 2;
  const auto files = node::node_files(config, *facts);
  if (!files) return refuse(files.error());

  const std::filesystem::path root(options.out);
  if (auto ready = prepare(root); !ready) {
    std::fprintf(stderr, "sunup: --out %s\n", ready.error().what.c_str());
    return 2;
  }
  for (const node::NodeFile& file : *files) {
    if (auto written = write_file(root / file.path.substr(1), file); !written) return refuse(written.error());
    std::printf("%04o %s\n", file.mode, file.path.c_str());
  }
  for (const node::NodeLink& link : node::node_links(config, *facts)) {
    if (auto written = write_link(root / link.path.substr(1), link.target); !written) return refuse(written.error());
    std::printf("link %s -> %s\n", link.path.c_str(), link.target.c_str());
  }
  for (const std::string& path : node::node_removals(config, *facts)) std::printf("gone %s\n", path.c_str());
  return 0;
}

}  // namespace

void add_render_files(CLI::App& render, int& exit_code) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const auto name : render::distro_names()) names.emplace_back(name);
  auto* files = add_verb(render, "files", "write the files that native provisioning creates from a config");
  files->add_option("--config", options->config, "the node config (JSON); - is standard input")->required();
  files->add_option("--out", options->out, "the directory to write them to, with their modes")->required();
  files->add_option("--os", options->os, "the distribution of the node; default: ubuntu2204")->check(one_of(names));
  files->add_option("--containerd-version", options->containerd_version,
                    "the containerd version of the image; default: 1.x");
  files->add_option("--facts", options->facts,
                    "facts about the node (JSON, see docs/golden-cases.md), instead of --os");
  files->add_flag("--strict", options->strict, kStrictHelp);
  files->footer(
      "Example:\n  sunup render files --config node.json --os azurelinux3 --out /tmp/node\nPrints a line for each file "
      "(mode, path), for each link, and for each removed path (\"gone\"). The files contain the\nsecrets of the "
      "config, as on the node. Facts about the machine (its addresses) are left out unless --facts supplies them.");
  files->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sunup
