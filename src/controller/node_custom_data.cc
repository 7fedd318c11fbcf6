#include "controller/node_custom_data.h"

#include "controller/custom_data_files.h"
#include "controller/paths.h"

namespace sunup::controller {

Result<void> apply_custom_data(Node& node) {
  const auto text = node.files.read_if_there(paths::kNodeCustomData);
  if (!text) return text.error();
  if (!*text) return {};
  auto files = parse_custom_data(**text);
  if (!files) return std::move(files).error().in(paths::kNodeCustomData);
  for (CustomDataFile& file : *files) {
    // What is there keeps its mode: it may have been tightened on purpose.
    const auto there = node.files.info_if_there(file.path);
    if (!there) return there.error();
    if (*there && (*there)->kind != host::FileKind::kRegular) return Error(file.path + " is there, and is not a file");
    file.mode = *there ? (*there)->mode : file.mode & ~node.umask;
  }
  for (const CustomDataFile& file : *files)
    if (auto written = node.files.write(file.path, file.content, file.mode); !written) return written;
  return {};
}

}  // namespace sunup::controller
