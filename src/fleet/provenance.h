// Values that remember who set them. Every setting of a node can come from several places; the highest place that
// offers one wins, and what it beat is kept, so that "my setting is there but not applied" has an answer.
//
//   Value<int> max_pods(Source::kComputed, "by network plugin", 250);
//   max_pods.offer(Source::kNodeClass, "spec.maxPods", 50);   // now 50, and it knows that it beat 250
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunup::fleet {

// From the lowest to the highest. What the user says about this kind of node beats what is said for the whole
// cluster, which beats what was found out, which beats what was worked out or built in.
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

// `where` names the field, flag or rule; it must outlive the value, which literals and tables do.
struct Origin {
  Source source = Source::kHardcoded;
  std::string_view where = {};
};

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

  // Becomes the value unless a higher source has set one; the later of two equals wins.
  void offer(Source source, std::string_view where, T value) {
    if (!set_) {
      *this = Value(source, where, std::move(value));
    } else if (source >= origin_.source) {
      beaten_.push_back({std::exchange(value_, std::move(value)), std::exchange(origin_, {source, where})});
    } else {
      beaten_.push_back({std::move(value), {source, where}});
    }
  }

  // Becomes the value whoever set it before: for what is not the user's to choose here.
  void fix(Source source, std::string_view where, T value) {
    if (set_) beaten_.push_back({std::move(value_), origin_});
    value_ = std::move(value);
    origin_ = {source, where};
    set_ = true;
  }

  // Keeps a rival that never had a chance here: of a value that was made out of one that others had beaten.
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

// Named texts, each with its own history: kubelet flags, node labels, tags.
class ValueMap {
 public:
  using Items = std::map<std::string, Value<std::string>, std::less<>>;

  void offer(std::string_view key, Source source, std::string_view where, std::string value) {
    at(key).offer(source, where, std::move(value));
  }
  void fix(std::string_view key, Source source, std::string_view where, std::string value) {
    at(key).fix(source, where, std::move(value));
  }
  Value<std::string>& at(std::string_view key) {
    auto it = items_.lower_bound(key);
    if (it == items_.end() || it->first != key) it = items_.emplace_hint(it, key, Value<std::string>());
    return it->second;
  }
  void erase(std::string_view key) {
    if (const auto it = items_.find(key); it != items_.end()) items_.erase(it);
  }
  // The value with its history, or null.
  const Value<std::string>* value(std::string_view key) const {
    const auto it = items_.find(key);
    return it == items_.end() ? nullptr : &it->second;
  }
  // The value, or null.
  const std::string* find(std::string_view key) const {
    const auto it = items_.find(key);
    return it == items_.end() ? nullptr : &it->second.get();
  }
  const Items& items() const { return items_; }
  Items& items() { return items_; }

  // "k=v" of each, sorted by key, with `separator` between.
  std::string joined(char separator) const {
    std::string text;
    for (const auto& [key, value] : items_) {
      if (!text.empty()) text += separator;
      text.append(key).append("=").append(*value);
    }
    return text;
  }

 private:
  Items items_;
};

}  // namespace sunup::fleet
