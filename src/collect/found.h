// A credential found where a text begins: how much of it is kept before the mark, and where it ends.
#pragma once

#include <cstddef>

namespace sunup::collect {

struct Found {
  size_t keep = 0;    // "password=" stays
  size_t length = 0;  // with what is kept; 0: nothing was found
};

}  // namespace sunup::collect
