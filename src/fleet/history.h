// A value made of another one goes on with its history: what the first beat, the second has beaten too.
#pragma once

#include <string>

#include "fleet/provenance.h"

namespace sunup::fleet {

// Offers to `into` all that `from` was offered, but for what is built in: `into` has defaults of its own.
inline void offer_history(Value<std::string>& into, const Value<std::string>& from) {
  for (const auto& rival : from.beaten())
    if (rival.origin.source != Source::kHardcoded) into.offer(rival.origin.source, rival.origin.where, rival.value);
  if (from.set()) into.offer(from.origin().source, from.origin().where, *from);
}

}  // namespace sunup::fleet
