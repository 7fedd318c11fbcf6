#include "guest/provisioning_data.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "azure/names.h"
#include "azure/xml.h"
#include "base/text.h"
#include "guest/azure_vm.h"
#include "host/running.h"

namespace sunup::guest {
namespace {

using namespace std::chrono_literals;
using host::Task;

constexpr char kService[] = "http://169.254.169.254/metadata/instance?api-version=";
// The second is for regions whose service does not support the first yet.
constexpr const char* kVersions[] = {"2021-08-01&extended=true", "2019-06-01"};

Task<Result<host::HttpReply>> ask_service(host::Host& host, const char* version) {
  host::HttpRequest request;
  request.url = std::string(kService) + version;
  request.headers.emplace_back("Metadata", "true");
  request.limit = 5s;
  request.max_body = azure::kLargestInstanceDocument;
  co_return co_await host.network.request(std::move(request));
}

// One attempt. A connection error has an errno; an error in the reply has none.
Task<Result<azure::Instance>> ask_once(host::Host& host) {
  for (const char* version : kVersions) {
    auto reply = co_await ask_service(host, version);
    if (!reply) co_return std::move(reply).error().in("metadata service");
    if (reply->status == 400) continue;
    if (reply->status != 200) {
      Error unavailable("metadata service: it answers with status " + std::to_string(reply->status));
      unavailable.os_errno = EAGAIN;
      co_return unavailable;
    }
    auto instance = azure::read_instance(reply->body);
    // A document of the older version has no list of tags, so it must not replace the one that provisioning asks for.
    if (instance && version != kVersions[0]) instance->document.clear();
    co_return instance;
  }
  co_return Error("metadata service: it knows none of our versions");
}

bool usable(const std::vector<std::string>& keys) {
  return !keys.empty() &&
         std::ranges::all_of(keys, [](const std::string& key) { return azure::public_key_line(key).ok(); });
}

// The provisioning disc: a small UDF (or ISO 9660) file system that Azure attaches until the first reboot. It contains
// ovf-env.xml, which includes the custom data.
constexpr char kDisc[] = "/dev/sr0";
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

// The text of ovf-env.xml: from the seed if there is one, otherwise from the disc. Empty if there is neither. The disc
// is unmounted when this returns.
Task<Result<Text>> read_disc(host::Host& host) {
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

using Disc = std::optional<azure::OvfEnvironment>;

Task<Result<Disc>> look_at_disc(host::Host& host) {
  const auto text = co_await read_disc(host);
  if (!text) co_return text.error();
  if (!*text) co_return Disc();
  auto read = azure::read_ovf_env(**text);
  if (!read) co_return std::move(read).error();
  co_return Disc(*std::move(read));
}

Task<Result<Disc>> disc_that_must_come(host::Host& host, host::Duration limit) {
  const auto there = co_await host::within(host.loop, limit, host.watch.path_appears(kDisc), "the provisioning disc");
  if (!there) co_return there.error().in("this VM has custom data, but no provisioning disc to read it from");
  co_return co_await look_at_disc(host);
}

}  // namespace

// The service has no event for its availability, so this retries, with growing pauses.
Task<Result<azure::Instance>> ask_metadata_service(host::Host& host, host::Duration limit, Note note) {
  const host::TimePoint end = host.loop.now() + limit;
  host::Duration pause = 100ms;
  while (true) {
    auto instance = co_await ask_once(host);
    if (instance || host.loop.now() + pause >= end) co_return instance;
    if (pause == host::Duration(100ms)) note(instance.error().what + "; trying again");
    co_await host.loop.after(pause);
    pause = std::min(2 * pause, host::Duration(2s));
  }
}

Result<ProvisioningData> combined(const azure::OvfEnvironment* disc, const azure::Instance* instance,
                                  const std::string& firmware_id) {
  ProvisioningData data;
  data.vm_id = firmware_id;
  data.has_disc = disc != nullptr;
  if (disc != nullptr) data.environment = *disc;
  data.from = disc == nullptr ? "metadata service" : instance == nullptr ? "disc" : "disc and metadata service";
  azure::OvfEnvironment& all = data.environment;
  if (instance != nullptr) {
    if (!firmware_id.empty() && !instance->vm_id.empty() && instance->vm_id != firmware_id)
      return Error("the metadata service answers for VM " + instance->vm_id.substr(0, 64) + ", but this is VM " +
                   firmware_id);
    if (data.vm_id.empty() && azure::vm_id_of(instance->vm_id, true) == instance->vm_id) data.vm_id = instance->vm_id;
    const std::string& name = instance->computer_name;
    if (disc != nullptr && !name.empty() && !equal_ignoring_case(name, disc->host_name)) {
      if (auto good = azure::check_host_name(name); !good) return std::move(good).error().in("metadata service");
      return Error("the provisioning disc is for " + disc->host_name + ", but the metadata service calls this VM " +
                   name);
    }
    if (disc == nullptr && name.empty()) {
      Error unnamed("the metadata service does not know the name of this VM");
      unnamed.os_errno = ENODATA;
      return unnamed;
    }
    if (disc == nullptr) all.host_name = name;
    if (!instance->admin_user.empty()) all.user_name = instance->admin_user;
    if (instance->password_login_disabled) all.password_login_disabled = instance->password_login_disabled;
    if (usable(instance->public_keys)) {
      all.public_keys = instance->public_keys;
      all.keys_by_fingerprint = false;
    }
    data.user_data = instance->user_data;
    data.instance_document = instance->document;
    if (all.custom_data.empty()) all.custom_data = instance->user_data;
    if (all.preprovisioned.empty()) all.preprovisioned = instance->preprovisioned;
  }
  if (auto good = azure::check_host_name(all.host_name); !good) return std::move(good).error();
  if (all.user_name.empty()) return data;
  if (auto good = azure::check_user_name(all.user_name); !good) return std::move(good).error();
  return data;
}

Task<Result<ProvisioningData>> find_provisioning_data(host::Host& host, Patience patience, Note note) {
  const auto firmware_id = vm_id(host.files);
  if (!firmware_id) co_return firmware_id.error();
  auto disc = co_await look_at_disc(host);
  if (!disc) co_return std::move(disc).error();
  auto address = host.watch.any_address();
  const auto connected = co_await host::within(host.loop, patience.address, std::move(address), "a network address");
  if (!connected) co_return connected.error();
  // The kernel may have found the drive after the first look.
  if (!*disc) disc = co_await look_at_disc(host);
  if (!disc) co_return std::move(disc).error();
  const host::Duration limit = *disc ? patience.metadata_with_disc : patience.metadata;
  const auto instance = co_await ask_metadata_service(host, limit, note);
  if (!*disc && !(instance && instance->has_custom_data)) disc = co_await look_at_disc(host);
  if (!disc) co_return std::move(disc).error();
  // A service that cannot be reached counts as not offered by this platform. A service that sends an invalid reply does
  // not.
  if (!instance && (!*disc || instance.error().os_errno == 0)) co_return instance.error();
  if (!instance) note("continuing with the disc alone: " + instance.error().what);
  if (!*disc && instance->has_custom_data.value_or(false) && patience.disc > host::Duration::zero()) {
    disc = co_await disc_that_must_come(host, patience.disc);
    if (!disc) co_return std::move(disc).error();
  }
  co_return combined(*disc ? &**disc : nullptr, instance ? &*instance : nullptr, *firmware_id);
}

}  // namespace sunup::guest
