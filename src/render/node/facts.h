// The facts about a node besides its config: the image it booted from, the kernel, the reply of the metadata service.
// On a node, plan/gather.h makes them; `sunup render files` reads them from a JSON file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/distro.h"
#include "render/gpu_components.h"
#include "render/nbc_config.h"
#include "render/node/imds.h"

namespace sunup::render::node {

struct DiskSpace {
  std::optional<std::string> temp_disk_mount;  // where the VM's temporary disk is mounted, if it is
  std::optional<uint64_t> temp_disk_free_kib;  // unknown: the OS disk is used
  std::optional<uint64_t> root_free_kib;
};

enum class Dangling { kCounts, kDoesNot };  // whether a link to nothing exists

// Answers questions about the files of an image. An answer is recorded: the same question gets the same answer, even if
// a step has changed the file meanwhile. All copies of a node's facts share one image.
class Image {
 public:
  virtual ~Image() = default;
  virtual bool has(const std::string& path, Dangling dangling) = 0;
  virtual const std::string* text(const std::string& path) = 0;  // null: there is no such file
  virtual std::optional<unsigned> mode(const std::string& path) = 0;
  virtual std::set<std::string> names_in(const std::string& folder) = 0;
  // Whether the text of this file has been asked for.
  virtual bool was_read(const std::string& path) const = 0;
  // The first question that could not be answered since the last call of take_error(); its answer was "no".
  virtual const std::optional<Error>& error() const = 0;
  virtual std::optional<Error> take_error() = 0;
};

// Where systemd looks for units of an image, in its order.
inline constexpr std::string_view kUnitFolders[] = {"/etc/systemd/system/", "/usr/local/lib/systemd/system/",
                                                    "/usr/lib/systemd/system/", "/lib/systemd/system/"};

struct NodeFacts {
  Distro distro = Distro::kUnknown;
  std::string os_version;      // VERSION_ID
  std::string kernel_release;  // uname -r
  std::string hostname;
  std::string arch = "amd64";
  std::string containerd_version;  // as `containerd --version` prints it, or bare; empty: unknown
  bool base_prep_done = false;     // the image was captured after the first phase
  std::optional<ImdsFacts> imds;   // empty: the service was not asked, or has not replied
  std::optional<DiskSpace> disks;  // empty: unknown
  GpuImages gpu_images;

  // The files of the image. The members below are known in advance and take precedence over `image`; without an image
  // they are all that is known.
  std::shared_ptr<Image> image;
  std::set<std::string> paths;               // files that exist
  std::map<std::string, std::string> texts;  // files with their content
  std::map<std::string, unsigned> modes;
  std::set<std::string> absent;  // files that do not exist, whatever the image has

  SentTexts sent;  // the texts that the sender of a command has rendered; empty: a config was sent

  std::map<std::string, std::string> in_place;  // kube tools in /opt/bin whose version is known -> "1.34.1"

  bool has(const std::string& path, Dangling dangling = Dangling::kCounts) const;
  // Takes the name of a unit, which may be in any directory of units.
  bool has_unit(std::string_view unit) const;
  const std::string* text_if_there(const std::string& path) const;
  std::string_view text(const std::string& path) const;  // empty, too: there is no such file
  // An edited file keeps its mode.
  unsigned mode(const std::string& path, unsigned usual = 0644) const;
  std::vector<std::string> names_in(const std::string& folder) const;  // sorted
  // What a step has read since from the file (empty: it does not exist) counts instead of the image.
  void set_file(const std::string& path, const std::optional<std::string>& text, unsigned mode);
  // A plan depends on the text of this file, so a power failure must not empty it.
  bool was_read(const std::string& path) const { return texts.contains(path) || (image && image->was_read(path)); }

  // The value of the command's variable; null: the command does not have it.
  const std::string* sent_text(std::string_view variable) const;

  bool tag(std::string_view name) const { return imds && imds->tag(name).value_or(false); }
  std::string primary_ipv4() const { return imds ? imds->primary_ipv4() : std::string(); }
};

// A current image that contains everything that provisioning may enable. Nothing is known about the machine.
NodeFacts golden_image(Distro distro);

// Facts as a JSON object. Members: os (a name of `distro_names`), os_version, kernel_release, hostname, arch,
// containerd_version, base_prep_done, imds (the reply of the metadata service), gpu_images (a component list), paths
// (list), texts (path -> text) and modes (path -> "0640"). A member that is missing is as in `golden_image` of that os.
Result<NodeFacts> facts_from_json(std::string_view text);

}  // namespace sunup::render::node
