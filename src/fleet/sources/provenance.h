// Values with their source. Every setting of a node can come from several sources; the source with the highest priority
// wins, and the overridden values are kept, so `--explain` can show why a setting is not applied.
//
//   Value<int> max_pods(Source::kComputed, "by network plugin", 250);
//   max_pods.offer(Source::kNodeClass, "spec.maxPods", 50);   // now 50; 250 is recorded as overridden
#pragma once

#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunup::fleet {

// From the lowest to the highest priority. Settings of the user for this kind of node override those for the whole
// cluster, which override detected values, which override computed and built-in values.
enum class Source {
  kHardcoded,
  kComputed,
  kDetected,
  kEnvironment,
  kSettings,
  kNodePool,
  kNodeClass,
  kNodeClaim,
  kInstanceType,
};

constexpr std::string_view source_name(Source source) {
  constexpr std::string_view kNames[] = {"hardcoded", "computed",  "auto-detected", "environment",  "settings",
                                         "nodepool",  "nodeclass", "nodeclaim",     "instance-type"};
  return kNames[static_cast<size_t>(source)];
}

// `where` names the field, flag or rule; it must outlive the value, as literals and tables do.
struct Origin {
  Source source = Source::kHardcoded;
  std::string_view where = {};
};

// "nodeclass (spec.maxPods)", for messages.
inline std::string in_words(Origin origin) {
  return std::string(source_name(origin.source)).append(" (").append(origin.where).append(")");
}

template <class T>
class Value {
 public:
  struct Beaten {
    T value;
    Origin origin;
  };

  Value() = default;
  Value(Source source, std::string_view where, T value)
      : value_(std::move(value)), origin_{source, where}, set_(true) {}

  // Sets the value unless a source with a higher priority has set it; the later of two equal sources wins.
  void offer(Source source, std::string_view where, T value) {
    if (!set_) {
      *this = Value(source, where, std::move(value));
    } else if (source >= origin_.source) {
      beaten_.push_back({std::exchange(value_, std::move(value)), std::exchange(origin_, {source, where})});
    } else {
      beaten_.push_back({std::move(value), {source, where}});
    }
  }

  // Sets the value regardless of its source, for values that users cannot choose.
  void fix(Source source, std::string_view where, T value) {
    if (set_) beaten_.push_back({std::move(value_), origin_});
    value_ = std::move(value);
    origin_ = {source, where};
    set_ = true;
  }

  // Records an overridden value of the value from which this one is derived.
  void remember(Source source, std::string_view where, T value) {
    beaten_.push_back({std::move(value), {source, where}});
  }

  bool set() const { return set_; }
  const T& get() const { return value_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }
  Origin origin() const { return origin_; }
  const std::vector<Beaten>& beaten() const { return beaten_; }

 private:
  T value_{};
  Origin origin_;
  bool set_ = false;
  std::vector<Beaten> beaten_;
};

// Offers to `into` the result of `made_of` for every offer of `from`, except built-in values, because `into` has its
// own defaults.
template <class Into, class From, class MadeOf = std::identity>
void offer_history(Value<Into>& into, const Value<From>& from, MadeOf made_of = {}) {
  for (const auto& rival : from.beaten())
    if (rival.origin.source != Source::kHardcoded)
      into.offer(rival.origin.source, rival.origin.where, made_of(rival.value));
  if (from.set()) into.offer(from.origin().source, from.origin().where, made_of(*from));
}

// The same for a computed value, which has its own source: it keeps what the original value overrode.
template <class Into, class From, class MadeOf = std::identity>
void remember_history(Value<Into>& into, const Value<From>& from, MadeOf made_of = {}) {
  for (const auto& rival : from.beaten())
    if (rival.origin.source != Source::kHardcoded)
      into.remember(rival.origin.source, rival.origin.where, made_of(rival.value));
}

// Named texts with their history: kubelet flags, node labels, tags. Sorted by name.
//
// A map may extend another one, as the labels of a node extend those of its kind: it contains only the changes, and the
// base is not modified.
class ValueMap {
 public:
  ValueMap() = default;
  // The base must not have a base.
  explicit ValueMap(std::shared_ptr<const ValueMap> base) : base_(std::move(base)) { assert(!base_->base_); }

  void offer(std::string_view key, Source source, std::string_view where, std::string value) {
    at(key).offer(source, where, std::move(value));
  }
  void fix(std::string_view key, Source source, std::string_view where, std::string value) {
    at(key).fix(source, where, std::move(value));
  }
  Value<std::string>& at(std::string_view key) {
    auto it = own_.lower_bound(key);
    if (it == own_.end() || it->first != key) {
      const Value<std::string>* inherited = base_ ? base_->value(key) : nullptr;
      it = own_.emplace_hint(it, key, inherited != nullptr ? *inherited : Value<std::string>());
    }
    return it->second;
  }
  void erase(std::string_view key) {
    if (base_ && base_->value(key) != nullptr)
      at(key) = Value<std::string>();  // an unset value hides that of the base
    else if (const auto it = own_.find(key); it != own_.end())
      own_.erase(it);
  }
  // The value with its history, or null.
  const Value<std::string>* value(std::string_view key) const {
    if (const auto it = own_.find(key); it != own_.end()) return it->second.set() ? &it->second : nullptr;
    return base_ ? base_->value(key) : nullptr;
  }
  // The value, or null.
  const std::string* find(std::string_view key) const {
    const Value<std::string>* found = value(key);
    return found == nullptr ? nullptr : &found->get();
  }

  // Calls visit(key, value) for each.
  template <class Visit>
  void each(Visit&& visit) const {
    auto own = own_.begin();
    const auto visit_own = [&] {
      if (own->second.set()) visit(own->first, own->second);
      ++own;
    };
    if (base_) {
      for (const auto& [key, value] : base_->own_) {
        while (own != own_.end() && own->first < key) visit_own();
        if (own != own_.end() && own->first == key)
          visit_own();
        else
          visit(key, value);
      }
    }
    while (own != own_.end()) visit_own();
  }
  // The entries that differ from the base.
  template <class Visit>
  void each_own(Visit&& visit) const {
    for (const auto& [key, value] : own_)
      if (value.set()) visit(key, value);
  }
  // Whether the map itself contains an entry for this name.
  bool changes(std::string_view key) const { return own_.contains(key); }
  size_t size() const {
    size_t count = 0;
    each([&count](const std::string&, const Value<std::string>&) { ++count; });
    return count;
  }

  // "k=v" of each, with `separator` between.
  std::string joined(char separator) const {
    std::string text;
    each([&](const std::string& key, const Value<std::string>& value) {
      if (!text.empty()) text += separator;
      text.append(key).append(1, '=').append(*value);
    });
    return text;
  }

 private:
  std::shared_ptr<const ValueMap> base_;
  std::map<std::string, Value<std::string>, std::less<>> own_;
};

}  // namespace sunup::fleet
