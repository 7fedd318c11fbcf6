// The result of a function that can fail as expected: a value, or an Error that states what went wrong, what to do
// about it, and the exit code that the ecosystem uses. Exceptions do not leave a room.
//
//   Result<Config> loaded = load(path);
//   if (!loaded) return loaded.error().in("config " + path);
//   use(*loaded);
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace sunup {

struct Error {
  std::string what;  // one plain sentence without a full stop; never contains a secret
  std::string hint;  // what the reader can do about it; may be empty
  int code = 0;      // exit code of the provisioning contract (docs/exit-codes.md); 0: the caller decides
  int os_errno = 0;  // the errno that caused it, if any
  std::string step;  // the step of the plan that it is about; empty: none

  Error() = default;
  explicit Error(std::string text) : what(std::move(text)) {}

  // "reading /etc/x: No such file or directory"
  static Error from_errno(int err, std::string_view doing);

  // Adds context: `in("config a.json")` gives "config a.json: <what>".
  Error in(std::string_view context) && {
    what.insert(0, ": ").insert(0, context);
    return std::move(*this);
  }
  Error in(std::string_view context) const& { return Error(*this).in(context); }
  // "step NAME: <what>".
  Error in_step(std::string_view name) && {
    step = name;
    return std::move(*this).in("step " + step);
  }
  Error with_hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
  Error with_code(int exit_code) && {
    code = exit_code;
    return std::move(*this);
  }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const {
    assert(ok());
    return std::get<0>(state_);
  }
  const Error& error() const& {
    assert(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::get<1>(std::move(state_));
  }
  T value_or(T other) const { return ok() ? value() : std::move(other); }  // NOLINT(performance-*): it is moved

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace sunup
