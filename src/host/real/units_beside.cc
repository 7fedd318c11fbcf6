// A start that does not wait for the start of one other unit.
#include <set>

#include "host/real/bus_read.h"
#include "host/real/units.h"

namespace sunup::host::real {
namespace {

// The relations of a unit that affect its start.
struct Relations {
  std::vector<std::string> waits_for;  // ordered before it
  std::vector<std::string> conflicts;  // stopped when it starts
  std::vector<std::string> needs;      // started with it; it does not start without them
  std::vector<std::string> wants;      // started with it

  std::vector<std::string>* list(std::string_view property) {
    if (property == "After") return &waits_for;
    if (property == "Conflicts" || property == "ConflictedBy") return &conflicts;
    if (property == "Requires" || property == "Requisite" || property == "BindsTo") return &needs;
    return property == "Wants" ? &wants : nullptr;
  }
};

}  // namespace

// Whether start() of the unit would only wait for the job of `other`, and start no unit but this one and `other`.
Task<Result<bool>> Units::waits_only_for(std::string unit, std::string other) {
  Result<std::string> path = co_await path_of(unit);
  if (!path) co_return std::move(path).error();
  Bus::Append all = [](const SdBus& sd, sd_bus_message* message) {
    return sd.sd_bus_message_append(message, "s", kUnitInterface);
  };
  Result<Bus::Message> answer = co_await call_object(*path, kProperties, "GetAll", std::move(all));
  if (!answer) co_return std::move(answer).error();
  Relations relations;
  int status = read_properties(*sd_, answer->get(), [&](std::string_view property) {
    std::vector<std::string>* list = relations.list(property);
    return list != nullptr ? read_strings(*sd_, answer->get(), list) : sd_->sd_bus_message_skip(answer->get(), "v");
  });
  if (status < 0) co_return protocol_error("the relations of " + unit, status);

  const std::set<std::string> needs(relations.needs.begin(), relations.needs.end());
  const std::set<std::string> wants(relations.wants.begin(), relations.wants.end());
  const std::set<std::string> conflicts(relations.conflicts.begin(), relations.conflicts.end());
  std::set<std::string> names = {unit, other};
  for (const auto* list : {&relations.waits_for, &relations.conflicts, &relations.needs, &relations.wants})
    names.insert(list->begin(), list->end());
  Bus::Append append = [names](const SdBus& sd, sd_bus_message* message) {
    std::vector<char*> list;
    for (const std::string& name : names) list.push_back(const_cast<char*>(name.c_str()));
    list.push_back(nullptr);
    return sd.sd_bus_message_append_strv(message, list.data());
  };
  Result<Bus::Message> units = co_await call_manager("ListUnitsByNames", std::move(append));
  if (!units) co_return std::move(units).error();
  bool only = true;
  const char* name = nullptr;
  const char* load = nullptr;
  const char* active = nullptr;
  const char* ignored = nullptr;
  const char* job_type = nullptr;
  uint32_t job = 0;
  status = sd_->sd_bus_message_enter_container(units->get(), 'a', "(ssssssouso)");
  while (status >= 0 &&
         (status = sd_->sd_bus_message_read(units->get(), "(ssssssouso)", &name, &ignored, &load, &active, &ignored,
                                            &ignored, &ignored, &job, &job_type, &ignored)) > 0) {
    const std::string_view state = active;
    const bool is_up = state == "active";
    if (name == other)
      only &= job == 0 ? is_up : std::string_view(job_type) == "start" || std::string_view(job_type) == "restart";
    else if (conflicts.contains(name))
      only &= job == 0 && (state == "inactive" || state == "failed");
    else
      only &= job == 0 && (is_up || !needs.contains(name)) &&
              (is_up || !wants.contains(name) || std::string_view(load) != "loaded");
  }
  if (status < 0) co_return protocol_error("a question for units", status);
  co_return only;
}

// "ignore-dependencies" drops every order and requirement. When the order behind `other` is the only one that would
// have an effect, no other one is lost. The unit's relations themselves stay, for its stop and for the machine's
// shutdown.
Task<Result<void>> Units::start_beside(std::string unit, std::string other) {
  const Result<bool> only = co_await waits_only_for(unit, other);
  co_return co_await job("StartUnit", unit, JobWait::kDone, only && *only ? "ignore-dependencies" : "replace");
}

}  // namespace sunup::host::real
