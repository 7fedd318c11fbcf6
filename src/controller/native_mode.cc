#include "controller/native_mode.h"

namespace sunup::controller {

host::Task<Outcome> provision_natively(Node&, contract::Loaded, bool) {
  co_return controller_failure("native provisioning is not in this build; --mode scripts runs the image's own scripts");
}

}  // namespace sunup::controller
