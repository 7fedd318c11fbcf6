// One run for many triggers: whoever comes first does the work, all others wait for it and get the same answer.
//
//   auto provision = [&]() -> Task<std::string> { ... co_return verdict; };
//   Result<Flight> flight = co_await single_flight(host, "/run/sunup/provision.lock", provision);
//
// Works across processes. If the one at work dies before it has an answer, the next in line takes over (and resumes
// from the journal). A trigger that comes when everything is over is a new flight: whether there is still something to
// do is for the caller to know.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "host/host.h"

namespace sunup::engine {

struct Flight {
  bool ours = false;   // we did the work
  std::string answer;  // what it came to, for everybody
};

// We have come when this is called, not when the task runs: an answer since then is ours. `work` must outlive the task.
// The answer is kept beside the lock, in <lock>.answer.
host::Task<Result<Flight>> single_flight(host::Host& host, std::string lock,
                                         const std::function<host::Task<std::string>()>& work);

}  // namespace sunup::engine
