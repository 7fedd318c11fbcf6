// Any bytes are a provision.json or are refused in one line. An accepted one can be written and read back. A secret in
// it does not survive redaction in any JSON spelling.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "redaction/redactor.h"
#include "report/kvp.h"
#include "report/provision_result.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  using namespace sunup::report;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = parse_result(text);
  if (!result) {
    require(result.error().what.starts_with("parse provision.json: "), "a refusal says what was read");
    require(result.error().what.find('\n') == std::string::npos, "a refusal is one line");
  } else {
    (void)exit_code_of(*result);
    const auto back = parse_result(brief_json(*result));
    require(
        back && back->exit_code == result->exit_code && back->error == result->error && back->output == result->output,
        "what is written is read back");
  }

  const std::string named = with_unfinished_steps(text, {"a.step"});
  const auto tree = JsonTree::parse(text);
  if (tree && tree->root().is_object() && size < kLongestResult / 8) {
    const auto with = JsonTree::parse(named);
    require(with.ok(), "a result with a step more is still JSON");
  }

  redaction::Redactor redactor;
  const std::string secret = "hunter2hunter2";
  redactor.hide(secret);
  for (const JsonEscapes escapes : {JsonEscapes::kMinimal, JsonEscapes::kText, JsonEscapes::kHtml}) {
    const std::string planted = "{\"Output\":" + json_string(std::string(text) + secret, escapes) + "}";
    require(redacted_json(redactor, planted).find(secret) == std::string::npos, "no secret is left");
  }
  require(redacted_json(redactor, std::string(text) + secret).find(secret) == std::string::npos,
          "no secret is left in what is no JSON");

  const std::string record = kvp_record(text.substr(0, size / 2), text.substr(size / 2));
  require(record.size() == kKvpKey + kKvpValue, "a record has its size");
  return 0;
}
