// A start that does not wait for the start of one other unit.
#include "host/real/bus_read.h"
#include "host/real/start_beside.h"
#include "host/real/units.h"

namespace sunup::host::real {

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

  std::set<std::string> names = relations.names();
  names.insert({unit, other});
  Bus::Append append = [names](const SdBus& sd, sd_bus_message* message) {
    std::vector<char*> list;
    for (const std::string& name : names) list.push_back(const_cast<char*>(name.c_str()));
    list.push_back(nullptr);
    return sd.sd_bus_message_append_strv(message, list.data());
  };
  Result<Bus::Message> units = co_await call_manager("ListUnitsByNames", std::move(append));
  if (!units) co_return std::move(units).error();
  std::vector<ListedUnit> listed;
  const char* name = nullptr;
  const char* load = nullptr;
  const char* active = nullptr;
  const char* ignored = nullptr;
  const char* job_type = nullptr;
  uint32_t job = 0;
  status = sd_->sd_bus_message_enter_container(units->get(), 'a', "(ssssssouso)");
  while (status >= 0 &&
         (status = sd_->sd_bus_message_read(units->get(), "(ssssssouso)", &name, &ignored, &load, &active, &ignored,
                                            &ignored, &ignored, &job, &job_type, &ignored)) > 0)
    listed.push_back({.name = name, .load = load, .active = active, .job = job == 0 ? "" : job_type});
  if (status < 0) co_return protocol_error("a question for units", status);
  co_return real::waits_only_for(relations, listed, other);
}

// "ignore-dependencies" drops every ordering and requirement. If the ordering after `other` is the only one that would
// have an effect, nothing else is lost. The relations of the unit still apply when it stops and when the machine shuts
// down.
Task<Result<void>> Units::start_beside(std::string unit, std::string other) {
  const Result<bool> only = co_await waits_only_for(unit, other);
  co_return co_await job("StartUnit", unit, JobWait::kDone, only && *only ? "ignore-dependencies" : "replace");
}

}  // namespace sunup::host::real
