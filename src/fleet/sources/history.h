// Transfers the history of a value to a value that is derived from it.
#pragma once

#include <functional>
#include <string>

#include "fleet/sources/provenance.h"

namespace sunup::fleet {

// Offers to `into` the result of `made_of` for every offer of `from`, except built-in values, because `into` has its
// own defaults.
template <class MadeOf = std::identity>
void offer_history(Value<std::string>& into, const Value<std::string>& from, MadeOf made_of = {}) {
  for (const auto& rival : from.beaten())
    if (rival.origin.source != Source::kHardcoded)
      into.offer(rival.origin.source, rival.origin.where, made_of(rival.value));
  if (from.set()) into.offer(from.origin().source, from.origin().where, made_of(*from));
}

// The same for a computed value, which has its own source: it keeps what the original value overrode.
template <class MadeOf = std::identity>
void remember_history(Value<std::string>& into, const Value<std::string>& from, MadeOf made_of = {}) {
  for (const auto& rival : from.beaten())
    if (rival.origin.source != Source::kHardcoded)
      into.remember(rival.origin.source, rival.origin.where, made_of(rival.value));
}

}  // namespace sunup::fleet
