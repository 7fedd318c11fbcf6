#include "host/real/units.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "host/real/bus_read.h"

namespace sunup::host::real {
namespace {

using namespace std::chrono_literals;

// A manager that has answered once comes back: it re-executes itself when its package is updated. At shutdown it does
// not come back, and this process is ended while it waits.
constexpr Duration kComesBack = 30s;

constexpr const char* kManagerPath = "/org/freedesktop/systemd1";
constexpr const char* kManagerInterface = "org.freedesktop.systemd1.Manager";
constexpr const char* kServiceInterface = "org.freedesktop.systemd1.Service";
constexpr const char* kDisconnected = "disconnected";  // in addition to systemd's job results

bool cut_off(const Error& error) {
  return error.os_errno == ENOTCONN;
}

}  // namespace

// A task that requested a job, from the call until the result of the job is known or the task is cancelled.
class Units::JobUser {
 public:
  explicit JobUser(Units& units) : units_(units) { ++units_.asking_; }
  ~JobUser() {
    if (end_) --end_->users;
    --units_.asking_;
    // Unclaimed results are kept only while a request is pending.
    std::erase_if(units_.jobs_, [this](const auto& job) { return job.second->users == 0 && units_.asking_ == 0; });
  }
  JobUser(const JobUser&) = delete;
  std::shared_ptr<JobEnd> use(const std::string& path) {
    std::shared_ptr<JobEnd>& known = units_.jobs_[path];
    if (!known) known = std::make_shared<JobEnd>();
    end_ = known;
    ++end_->users;
    return end_;
  }

 private:
  Units& units_;
  std::shared_ptr<JobEnd> end_;
};

Result<void> Units::connect() {
  if (bus_ && !bus_->broken()) return {};
  jobs_match_.reset();
  bus_.reset();
  Result<std::shared_ptr<Bus>> bus = Bus::connect(loop_);
  if (!bus) return std::move(bus).error();
  bus_ = std::move(*bus);
  sd_ = &bus_->sd();
  bus_->when_broken([this] { broken(); });
  auto match =
      bus_->match("", kManagerInterface, "JobRemoved", [this](sd_bus_message* message) { job_removed(message); });
  if (!match) return std::move(match).error();
  jobs_match_ = std::move(*match);
  // Without this call the manager sends no signals. It only has to be queued before any other call.
  return bus_->send(kManagerPath, kManagerInterface, "Subscribe");
}

void Units::broken() {
  // Forget the jobs, because the next connection may report a job of the same name.
  for (const auto& [path, job] : std::exchange(jobs_, {})) {
    if (job->result.empty()) job->result = kDisconnected;
    for (const Slot<bool>& waiter : std::exchange(job->waiting, {})) waiter.set(true);
  }
  for (const Slot<bool>& watcher : std::exchange(watching_, {})) watcher.set(true);
}

void Units::job_removed(sd_bus_message* message) {
  uint32_t id;
  const char* path;
  const char* unit;
  const char* result;
  if (sd_->sd_bus_message_read(message, "uoss", &id, &path, &unit, &result) < 0) return;
  // An unknown job may belong to a call whose reply has not been read yet.
  if (asking_ == 0 && !jobs_.contains(path)) return;
  std::shared_ptr<JobEnd>& job = jobs_[path];
  if (!job) job = std::make_shared<JobEnd>();
  job->result = result;
  for (const Slot<bool>& waiter : std::exchange(job->waiting, {})) waiter.set(true);
}

Task<Result<Bus::Message>> Units::call_manager(std::string member, Bus::Append append) {
  const TimePoint until = loop_.now() + kComesBack;
  for (Duration pause = 10ms;; pause = std::min<Duration>(pause * 2, 1s)) {
    Result<Bus::Message> answer = co_await call_object(kManagerPath, kManagerInterface, member, append);
    if (answer) has_answered_ = true;
    if (answer || !cut_off(answer.error()) || !has_answered_ || loop_.now() >= until) co_return answer;
    co_await loop_.after(pause);
  }
}

Task<Result<Bus::Message>> Units::call_object(std::string path, std::string interface, std::string member,
                                              Bus::Append append) {
  if (auto connected = connect(); !connected) co_return std::move(connected).error();
  co_return co_await bus_->call(std::move(path), std::move(interface), std::move(member), std::move(append));
}

Task<Result<void>> Units::reload() {
  Result<Bus::Message> answer = co_await call_manager("Reload", nullptr);
  if (!answer) co_return std::move(answer).error();
  co_return Result<void>();
}

Task<Result<void>> Units::change_files(std::string member, std::vector<std::string> units, std::vector<int> flags) {
  Bus::Append append = [units, flags](const SdBus& sd, sd_bus_message* message) {
    std::vector<char*> names;
    for (const std::string& unit : units) names.push_back(const_cast<char*>(unit.c_str()));
    names.push_back(nullptr);
    int status = sd.sd_bus_message_append_strv(message, names.data());
    for (const int flag : flags)
      if (status >= 0) status = sd.sd_bus_message_append(message, "b", flag);
    return status;
  };
  Result<Bus::Message> answer = co_await call_manager(std::move(member), std::move(append));
  if (!answer) co_return std::move(answer).error();
  co_return Result<void>();
}

// The flags: for this boot only; replace existing links.
Task<Result<void>> Units::enable(std::vector<std::string> units) {
  std::vector<int> flags = {0, 1};
  co_return co_await change_files("EnableUnitFiles", std::move(units), std::move(flags));
}
Task<Result<void>> Units::disable(std::vector<std::string> units) {
  std::vector<int> flags = {0};
  co_return co_await change_files("DisableUnitFiles", std::move(units), std::move(flags));
}
Task<Result<void>> Units::mask(std::vector<std::string> units) {
  std::vector<int> flags = {0, 1};
  co_return co_await change_files("MaskUnitFiles", std::move(units), std::move(flags));
}
Task<Result<void>> Units::unmask(std::vector<std::string> units) {
  std::vector<int> flags = {0};
  co_return co_await change_files("UnmaskUnitFiles", std::move(units), std::move(flags));
}

// The result of the job; empty if it is queued and the caller does not wait for it.
Task<Result<std::string>> Units::ask_for_job(std::string member, std::string unit, std::string mode, JobWait wait) {
  JobUser user(*this);
  Bus::Append append = [unit, mode](const SdBus& sd, sd_bus_message* message) {
    return sd.sd_bus_message_append(message, "ss", unit.c_str(), mode.c_str());
  };
  Result<Bus::Message> answer = co_await call_manager(std::move(member), std::move(append));
  if (!answer) co_return std::move(answer).error().in("unit " + unit);
  const char* path = nullptr;
  if (const int status = sd_->sd_bus_message_read(answer->get(), "o", &path); status < 0)
    co_return protocol_error("a job for " + unit, status);
  if (wait == JobWait::kQueued) co_return std::string();
  const std::shared_ptr<JobEnd> end = user.use(path);
  if (end->result.empty()) {
    Slot<bool> ended(loop_);
    end->waiting.push_back(ended);
    co_await ended;
  }
  co_return end->result;
}

Task<Result<void>> Units::job(std::string member, std::string unit, JobWait wait, std::string mode) {
  Result<std::string> end = co_await ask_for_job(member, unit, mode, wait);
  // The signal with the result went to a lost connection. Request the job again: the manager merges the two requests or
  // has already finished.
  while (end && *end == kDisconnected) end = co_await ask_for_job(member, unit, mode, wait);
  if (!end) co_return std::move(end).error();
  const std::string result = std::move(*end);
  if (result.empty() || result == "done" || result == "skipped") co_return Result<void>();

  std::string text = fmt::format("unit {}: its job ended as '{}'", unit, result);
  if (Result<UnitState> now = co_await state(unit))
    text += fmt::format(", the unit is {}/{}{}", now->active, now->sub,
                        now->result.empty() ? "" : fmt::format(" (result: {})", now->result));
  Error failed(std::move(text));
  failed.os_errno = result == "timeout" ? ETIMEDOUT : EIO;
  co_return std::move(failed).with_hint(fmt::format("journalctl -u {} tells why", unit));
}

Task<Result<void>> Units::start(std::string unit, JobWait wait) {
  co_return co_await job("StartUnit", std::move(unit), wait);
}
Task<Result<void>> Units::restart(std::string unit, JobWait wait) {
  co_return co_await job("RestartUnit", std::move(unit), wait);
}
Task<Result<void>> Units::stop(std::string unit, JobWait wait) {
  co_return co_await job("StopUnit", std::move(unit), wait);
}

Task<Result<bool>> Units::is_loaded(std::string unit) {
  Bus::Append append = [unit](const SdBus& sd, sd_bus_message* message) {
    return sd.sd_bus_message_append(message, "s", unit.c_str());
  };
  Result<Bus::Message> answer = co_await call_manager("GetUnit", std::move(append));
  if (answer) co_return true;
  if (answer.error().os_errno == ENOENT) co_return false;
  co_return std::move(answer).error().in("unit " + unit);
}

Task<Result<std::string>> Units::path_of(std::string unit) {
  Bus::Append append = [unit](const SdBus& sd, sd_bus_message* message) {
    return sd.sd_bus_message_append(message, "s", unit.c_str());
  };
  Result<Bus::Message> answer = co_await call_manager("LoadUnit", std::move(append));
  if (!answer) co_return std::move(answer).error().in("unit " + unit);
  const char* path = nullptr;
  if (const int status = sd_->sd_bus_message_read(answer->get(), "o", &path); status < 0)
    co_return protocol_error("the path of " + unit, status);
  co_return std::string(path);
}

Task<Result<UnitState>> Units::read_state(std::string path, std::string unit) {
  Bus::Append all = [](const SdBus& sd, sd_bus_message* message) {
    return sd.sd_bus_message_append(message, "s", kUnitInterface);
  };
  Result<Bus::Message> answer = co_await call_object(path, kProperties, "GetAll", std::move(all));
  if (!answer) co_return std::move(answer).error().in("unit " + unit);
  const SdBus& sd = *sd_;
  sd_bus_message* message = answer->get();
  UnitState state;
  const int status = read_properties(sd, message, [&](std::string_view name) {
    std::string* text = name == "LoadState"      ? &state.load
                        : name == "ActiveState"  ? &state.active
                        : name == "SubState"     ? &state.sub
                        : name == "FragmentPath" ? &state.fragment
                                                 : nullptr;
    if (text != nullptr) {
      const char* value = nullptr;
      const int read = sd.sd_bus_message_read(message, "v", "s", &value);
      if (read >= 0) *text = value;
      return read;
    }
    if (name == "ActiveEnterTimestampMonotonic")
      return sd.sd_bus_message_read(message, "v", "t", &state.active_since_us);
    if (name == "DropInPaths") return read_strings(sd, message, &state.drop_ins);
    if (name != "NeedDaemonReload") return sd.sd_bus_message_skip(message, "v");
    int outdated = 0;
    const int read = sd.sd_bus_message_read(message, "v", "b", &outdated);
    state.outdated = outdated != 0;
    return read;
  });
  if (status < 0) co_return protocol_error("the state of " + unit, status);

  if (unit.ends_with(".service")) {
    Bus::Append one = [](const SdBus& lib, sd_bus_message* m) {
      return lib.sd_bus_message_append(m, "ss", kServiceInterface, "Result");
    };
    Result<Bus::Message> result = co_await call_object(path, kProperties, "Get", std::move(one));
    const char* value = nullptr;
    if (result && sd.sd_bus_message_read(result->get(), "v", "s", &value) >= 0) state.result = value;
  }
  co_return state;
}

Task<Result<UnitState>> Units::state(std::string unit) {
  while (true) {
    Result<std::string> path = co_await path_of(unit);
    if (!path) co_return std::move(path).error();
    Result<UnitState> now = co_await read_state(*path, unit);
    if (now || !cut_off(now.error())) co_return now;
  }
}

Task<Result<UnitState>> Units::next_change(std::string unit, UnitState known) {
  while (true) {
    Result<std::string> path = co_await path_of(unit);
    if (!path) co_return std::move(path).error();
    // Subscribe before reading the state, or a change in between is missed.
    if (auto connected = connect(); !connected) continue;
    Slot<bool> changed(loop_);
    auto match =
        bus_->match(*path, kProperties, "PropertiesChanged", [changed](sd_bus_message*) { changed.set(true); });
    if (!match && cut_off(match.error())) continue;
    if (!match) co_return std::move(match).error();
    Result<UnitState> now = co_await read_state(*path, unit);
    if (!now && cut_off(now.error())) continue;
    if (!now || *now != known) co_return now;
    std::erase_if(watching_, [](const Slot<bool>& slot) { return slot.is_set(); });
    watching_.push_back(changed);  // after a lost connection the state is read again over a new one
    co_await changed;
  }
}

Task<Result<uint64_t>> Units::number(std::string path, std::string interface, std::string property) {
  Bus::Append append = [interface, property](const SdBus& sd, sd_bus_message* message) {
    return sd.sd_bus_message_append(message, "ss", interface.c_str(), property.c_str());
  };
  Result<Bus::Message> answer = co_await call_object(std::move(path), kProperties, "Get", std::move(append));
  if (!answer) co_return std::move(answer).error();
  uint64_t value = 0;
  if (const int status = sd_->sd_bus_message_read(answer->get(), "v", "t", &value); status < 0)
    co_return protocol_error(property, status);
  co_return value;
}

Task<Result<uint64_t>> Units::main_started(std::string service) {
  Result<std::string> path = co_await path_of(service);
  if (!path) co_return std::move(path).error();
  co_return co_await number(*path, kServiceInterface, "ExecMainStartTimestamp");
}

Task<Result<bool>> Units::machine_stops() {
  Bus::Append append = [](const SdBus& sd, sd_bus_message* message) {
    return sd.sd_bus_message_append(message, "ss", kManagerInterface, "SystemState");
  };
  Result<Bus::Message> answer = co_await call_object(kManagerPath, kProperties, "Get", std::move(append));
  if (!answer) co_return std::move(answer).error();
  const char* state = nullptr;
  if (const int status = sd_->sd_bus_message_read(answer->get(), "v", "s", &state); status < 0)
    co_return protocol_error("SystemState", status);
  co_return std::strcmp(state, "stopping") == 0;
}

Task<Result<BootTimes>> Units::boot_times() {
  BootTimes times;
  const std::pair<const char*, uint64_t*> properties[] = {{"KernelTimestamp", &times.kernel_us},
                                                          {"FirmwareTimestampMonotonic", &times.firmware_us},
                                                          {"LoaderTimestampMonotonic", &times.loader_us},
                                                          {"InitRDTimestampMonotonic", &times.initrd_us},
                                                          {"UserspaceTimestampMonotonic", &times.userspace_us},
                                                          {"FinishTimestampMonotonic", &times.finish_us}};
  for (const auto& [name, into] : properties) {
    Result<uint64_t> value = co_await number(kManagerPath, kManagerInterface, name);
    if (!value) co_return std::move(value).error();
    *into = *value;
  }
  co_return times;
}

}  // namespace sunup::host::real
