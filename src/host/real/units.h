// Units of the real machine, over D-Bus. The connection is made with the first call.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/real/bus.h"
#include "host/units.h"

namespace sunup::host::real {

class Units : public host::Units {
 public:
  explicit Units(Loop& loop) : loop_(loop) {}

  Task<Result<void>> reload() override;
  Task<Result<void>> enable(std::vector<std::string> units) override;
  Task<Result<void>> disable(std::vector<std::string> units) override;
  Task<Result<void>> mask(std::vector<std::string> units) override;
  Task<Result<void>> unmask(std::vector<std::string> units) override;
  Task<Result<void>> start(std::string unit, JobWait wait) override;
  Task<Result<void>> start_beside(std::string unit, std::string other) override;
  Task<Result<void>> restart(std::string unit, JobWait wait) override;
  Task<Result<void>> stop(std::string unit, JobWait wait) override;
  Task<Result<bool>> is_loaded(std::string unit) override;
  Task<Result<UnitState>> state(std::string unit) override;
  Task<Result<UnitState>> next_change(std::string unit, UnitState known) override;
  Task<Result<uint64_t>> main_started(std::string service) override;
  Task<Result<BootTimes>> boot_times() override;
  Task<Result<bool>> machine_stops() override;

 private:
  // A job that a task waits for, or that ended before the task knew its name.
  struct JobEnd {
    // "done", "failed", "timeout", "canceled", "dependency", ...; "disconnected" is added by this program.
    std::string result;
    std::vector<Slot<bool>> waiting;
    int users = 0;  // tasks that have not read the result yet
  };
  class JobUser;

  Result<void> connect();
  // Waits if the manager was available before and is not now.
  Task<Result<Bus::Message>> call_manager(std::string member, Bus::Append append);
  Task<Result<Bus::Message>> call_object(std::string path, std::string interface, std::string member,
                                         Bus::Append append);
  Task<Result<void>> change_files(std::string member, std::vector<std::string> units, std::vector<int> flags);
  Task<Result<std::string>> ask_for_job(std::string member, std::string unit, std::string mode, JobWait wait);
  Task<Result<void>> job(std::string member, std::string unit, JobWait wait, std::string mode = "replace");
  Task<Result<bool>> waits_only_for(std::string unit, std::string other);
  Task<Result<uint64_t>> number(std::string path, std::string interface, std::string property);
  Task<Result<std::string>> path_of(std::string unit);
  Task<Result<UnitState>> read_state(std::string path, std::string unit);
  void job_removed(sd_bus_message* message);
  void broken();

  Loop& loop_;
  std::shared_ptr<Bus> bus_;
  const SdBus* sd_ = nullptr;  // reads the messages; set by the first connection
  bool has_answered_ = false;
  std::unique_ptr<Bus::Match> jobs_match_;
  std::map<std::string, std::shared_ptr<JobEnd>> jobs_;  // by object path
  int asking_ = 0;                                       // pending calls that return the path of a job
  std::vector<Slot<bool>> watching_;                     // tasks to wake when the connection is lost
};

}  // namespace sunup::host::real
