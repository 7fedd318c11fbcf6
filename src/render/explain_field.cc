#include "render/explain_field.h"

#include "base/text.h"
#include "contract/explain.h"
#include "render/cse_env.h"

namespace sunup::render {

using contract::FieldDoc;

namespace {

nlohmann::ordered_json values_of(const FieldDoc& doc) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  if (const contract::EnumType* type = doc.field->enumeration)
    for (const contract::EnumValue& value : type->values)
      values.push_back(
          {{"name", value.name}, {"number", value.number}, {"meaning", contract::enum_value_meaning(*type, value)}});
  return values;
}

}  // namespace

nlohmann::ordered_json field_json(const FieldDoc& doc) {
  return {{"path", doc.path},
          {"json_name", doc.field->json_name},
          {"type", doc.type},
          {"optional", doc.field->optional},
          {"meaning", doc.meaning},
          {"default", doc.default_value},
          {"example", doc.example},
          {"set_by", doc.set_by},
          {"variables", contract::variables_of(doc)},
          {"files", doc.files},
          {"secret", doc.field->secret},
          {"values", values_of(doc)}};
}

nlohmann::ordered_json Explained::json() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const FieldDoc* doc : fields) all.push_back(field_json(*doc));
  if (fields.empty()) all.push_back({{"variable", variable}, {"value", value}});
  return all;
}

Result<Explained> explain_field(std::string_view question) {
  Explained out;
  if (question.empty()) {
    for (const FieldDoc& doc : contract::field_docs()) out.fields.push_back(&doc);
    return out;
  }
  contract::Answer answer = contract::find_field(question);
  if (!answer.fields.empty()) {
    out.fields = std::move(answer.fields);
    return out;
  }
  const Environment environment = cse_environment({}, {});
  if (const auto found = environment.find(std::string(question)); found != environment.end()) {
    out.variable = found->first;
    out.value = found->second;
    return out;
  }
  std::string what = "the contract has no field '" + std::string(question) + "'";
  if (!answer.suggestions.empty()) what += "; did you mean " + joined(answer.suggestions, " or ") + "?";
  return Error(std::move(what));
}

}  // namespace sunup::render
