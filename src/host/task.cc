#include "host/task.h"

#include <system_error>

namespace sunup::host::task_detail {

Error error_of(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const std::system_error& e) {
    Error error(std::string("unexpected: ") + e.what());
    error.os_errno = e.code().value();
    return error;
  } catch (const std::exception& e) {
    return Error(std::string("unexpected: ") + e.what());
  } catch (...) {
    return Error("unexpected: an exception of unknown type");
  }
}

}  // namespace sunup::host::task_detail
