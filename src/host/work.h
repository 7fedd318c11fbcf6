// CPU-heavy work outside the loop: an RSA key, the digest of a large file.
//
//   auto generate = [bits] { return generate_key(bits); };
//   Result<Key> key = co_await offload(host.work, generate);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "host/task.h"

namespace sunup::host {

class Work {
 public:
  virtual ~Work() = default;
  // Runs the function on another thread, one at a time in the order of the calls. If the waiting task is cancelled, the
  // function may still run to its end, so it must own everything that it uses.
  virtual Task<void> run(std::function<void()> function) = 0;
};

// `function` is copied to the worker: capture by value.
template <class F, class T = std::invoke_result_t<F>>
Task<T> offload(Work& work, F function) {
  auto answer = std::make_shared<std::optional<T>>();
  std::function<void()> job = [function = std::move(function), answer]() mutable { answer->emplace(function()); };
  co_await work.run(std::move(job));
  co_return std::move(**answer);
}

}  // namespace sunup::host
