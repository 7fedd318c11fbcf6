// Checks whether the image is of the kind that the config was made for.
#include "base/exit_code.h"
#include "base/node_paths.h"
#include "plan/subjects.h"

namespace sunup::plan {
namespace {

constexpr auto& kMarker = paths::kImageMarker;

// The default of the field is true.
bool expects_node_image(const Subject& s) {
  return !s.config.has_is_vhd() || s.config.is_vhd();
}

bool lacks_marker(const Subject& s) {
  return !s.facts.has(kMarker);
}

// Without this check, missing software that only a node image has would be noticed much later, one program after the
// other. A tree below --root may be about to become an image, so there it is only noted.
Task<Result<void>> look_at_image(Context& c, SubjectPtr s) {
  if (s->files_only)
    co_return c.leave_out(std::string("refuse a tree that is not a node image: there is no ") + kMarker);
  if (expects_node_image(*s))
    co_return Error(std::string("this is not a node image: there is no ") + kMarker)
        .with_hint("use an AKS node image; to complete another image during provisioning, set is_vhd to false")
        .with_code(exit_code::kVhdFileNotFound);
  c.note("not a node image, according to the config: missing programs are downloaded, packages are not installed");
  co_return Result<void>();
}

}  // namespace

Declarations image_check_steps() {
  return {
      {.name = "image.check",
       .purpose = "refuses an image that is not a node image, unless the config allows it",
       .original = "B17",
       .when = "the image does not have the marker of a node image",
       .wanted = lacks_marker,
       .phase = node::Phase::kBasePrep,
       .lasts = Lasts::kOnDisk,
       .exit_code = exit_code::kVhdFileNotFound,
       .body = look_at_image},
  };
}

}  // namespace sunup::plan
