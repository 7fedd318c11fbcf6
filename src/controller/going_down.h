// A machine that is going down ends whatever runs on it. What a provision could not do then says nothing about the
// node: it must leave no result, because that would keep the next boot from going on.
#pragma once

#include "controller/node.h"

namespace sunup::controller {

host::Task<bool> going_down(Node& node);

}  // namespace sunup::controller
