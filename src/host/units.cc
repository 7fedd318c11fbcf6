#include "host/units.h"

#include <fmt/format.h>

namespace sunup::host {

Task<Result<UnitState>> Units::becomes_active(std::string unit) {
  Result<UnitState> state = co_await this->state(unit);
  while (state && !state->is_active()) {
    if (state->active == "failed")
      co_return Error(fmt::format("unit {} failed (result: {})", unit, state->result.empty() ? "?" : state->result));
    if (!state->exists()) co_return Error(fmt::format("unit {} does not exist", unit));
    UnitState known = std::move(*state);
    state = co_await next_change(unit, std::move(known));
  }
  co_return state;
}

Task<Result<void>> Units::start_beside(std::string unit, std::string) {
  return start(std::move(unit));
}

}  // namespace sunup::host
