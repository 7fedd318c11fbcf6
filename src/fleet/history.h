// A value made of another one goes on with its history: what the first beat, the second has beaten too.
#pragma once

#include <functional>
#include <string>

#include "fleet/provenance.h"

namespace sunup::fleet {

// Offers to `into` what `made_of` makes of all that `from` was offered, but for what is built in: `into` has defaults
// of its own.
template <class MadeOf = std::identity>
void offer_history(Value<std::string>& into, const Value<std::string>& from, MadeOf made_of = {}) {
  for (const auto& rival : from.beaten())
    if (rival.origin.source != Source::kHardcoded)
      into.offer(rival.origin.source, rival.origin.where, made_of(rival.value));
  if (from.set()) into.offer(from.origin().source, from.origin().where, made_of(*from));
}

// The same for a value that is worked out and so has a source of its own: it keeps what its maker beat.
template <class MadeOf = std::identity>
void remember_history(Value<std::string>& into, const Value<std::string>& from, MadeOf made_of = {}) {
  for (const auto& rival : from.beaten())
    if (rival.origin.source != Source::kHardcoded)
      into.remember(rival.origin.source, rival.origin.where, made_of(rival.value));
}

}  // namespace sunup::fleet
