// Units of the simulated machine: they take time to start, may fail several times, and may flap. Enabled and masked
// units are links on the disk, as on a real machine, so they can be lost.
#pragma once

#include <map>
#include <vector>

#include "host/sim/core.h"
#include "host/units.h"

namespace sunup::host::sim {

class Units : public host::Units {
 public:
  explicit Units(Core& core) : core_(core) {}

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
  Task<Result<void>> link(std::string doing, std::vector<std::string> units, std::string where,
                          std::optional<std::string> target);
  Task<Result<void>> bring_up(std::string name, JobWait wait, bool again);
  void come_up(const std::string& name);
  void change(const std::string& name, Unit& unit, std::string active);
  UnitState look(const std::string& name);
  bool masked(const std::string& name) const;
  std::map<std::string, std::string> files_of(const std::string& name) const;
  const std::map<std::string, std::string>& read(const std::string& name, Unit& unit);

  Core& core_;
  std::map<std::string, std::vector<Slot<bool>>> changed_;
};

}  // namespace sunup::host::sim
