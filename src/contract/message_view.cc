#include "contract/message_view.h"

#include <algorithm>

namespace sunup::contract {
namespace {

FieldValue value_in_entry(std::string_view entry, int number, const Field& field) {
  WireReader in(entry);
  WireField found;
  while (in.next(found))
    if (found.number == number) return {field, found.bits, found.bytes};
  return {field, 0, {}};
}

}  // namespace

// Known fields are written in the order of their numbers, the items of a field one after the other. Unknown fields that
// protobuf kept come after all known ones.
bool MessageView::find(int number, WireField& found) const {
  WireReader before = number < passed_ ? WireReader(wire_) : at_;
  WireReader in = before;
  WireField field;
  bool more = false;
  while ((more = in.next(field)) && field.number < number) before = in;
  at_ = before;
  passed_ = number;
  found = field;
  return more && field.number == number;
}

bool MessageView::has(const Field& field) const {
  WireField found;
  return find(field.number, found);
}

FieldValue MessageView::get(const Field& field) const {
  WireField found;
  return find(field.number, found) ? FieldValue(field, found.bits, found.bytes) : FieldValue(field, 0, {});
}

std::vector<FieldValue> MessageView::values(const Field& field) const {
  std::vector<FieldValue> all;
  WireField found;
  if (!find(field.number, found)) return all;
  for (WireReader in = at_; in.next(found) && found.number == field.number;)
    all.push_back(field.is_map() ? value_in_entry(found.bytes, kMapValue, field)
                                 : FieldValue(field, found.bits, found.bytes));
  return all;
}

std::vector<std::pair<std::string_view, FieldValue>> MessageView::map(const Field& field) const {
  std::vector<std::pair<std::string_view, FieldValue>> entries;
  WireField entry;
  if (!find(field.number, entry)) return entries;
  for (WireReader in = at_; in.next(entry) && entry.number == field.number;)
    entries.emplace_back(value_in_entry(entry.bytes, kMapKey, field).text(),
                         value_in_entry(entry.bytes, kMapValue, field));
  std::ranges::sort(entries, {}, [](const auto& item) { return item.first; });
  return entries;
}

}  // namespace sunup::contract
