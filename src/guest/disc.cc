#include "guest/disc.h"

#include <cerrno>

#include "azure/xml.h"
#include "guest/azure_vm.h"

namespace sunup::guest {
namespace {

using Text = std::optional<std::string>;

constexpr char kMountPoint[] = "/run/aks-node-controller/disc";

// Unmounts in the destructor, also after a read error.
class Mounted {
 public:
  explicit Mounted(host::Kernel& kernel) : kernel_(kernel) {}
  ~Mounted() { (void)kernel_.unmount(kMountPoint); }
  Mounted(const Mounted&) = delete;

 private:
  host::Kernel& kernel_;
};

Result<bool> mounts(host::Kernel& kernel) {
  Result<void> mounted;
  for (const char* type : {"udf", "iso9660"}) {
    mounted = kernel.mount({kDisc, kMountPoint, type, "ro,nosuid,nodev,noexec"});
    if (mounted) return true;
    if (mounted.error().os_errno == ENOMEDIUM || mounted.error().os_errno == ENXIO) return false;  // an empty drive
  }
  return mounted.error();
}

}  // namespace

host::Task<Result<Text>> read_disc(host::Host& host) {
  auto seed = host.files.read_if_there(kSeed, azure::kLargestXml);
  if (!seed || *seed) co_return seed;
  const auto drive = host.files.exists(kDisc);
  if (!drive) co_return drive.error();
  if (!*drive) co_return Text();
  // A run that was killed may have left it mounted.
  (void)host.kernel.unmount(kMountPoint);
  if (auto made = host.files.make_directories(kMountPoint, 0700); !made) co_return std::move(made).error();
  auto mounted = mounts(host.kernel);
  if (!mounted) {
    // The kernel loads the module by itself if modprobe is at its usual path.
    (void)co_await host.kernel.load_modules({"udf"});
    mounted = mounts(host.kernel);
  }
  if (!mounted) co_return mounted.error().in("provisioning disc");
  if (!*mounted) co_return Text();
  const Mounted disc(host.kernel);
  auto text = host.files.read_if_there(std::string(kMountPoint) + "/ovf-env.xml", azure::kLargestXml);
  if (!text) co_return std::move(text).error().in("provisioning disc");
  co_return text;
}

}  // namespace sunup::guest
