#include "service/exit_code_steps.h"

#include "plan/catalogue.h"

namespace sunup::service {

std::vector<std::string_view> native_steps(const report::ExitCode& code) {
  std::vector<std::string_view> names;
  if (code.number == 0) return names;
  for (const plan::Declaration& step : plan::catalogue())
    if (step.exit_code == code.number) names.push_back(step.name);
  return names;
}

nlohmann::ordered_json exit_code_json(const report::ExitCode& code) {
  return {{"code", code.number},
          {"name", code.name},
          {"area", code.area},
          {"step", code.step},
          {"nativeSteps", native_steps(code)},
          {"meaning", code.meaning},
          {"remedy", code.remedy},
          {"failureClass", report::name_of(code.failure)},
          {"retryMayHelp", code.retry_may_help},
          {"standing", report::name_of(code.standing)}};
}

}  // namespace sunup::service
