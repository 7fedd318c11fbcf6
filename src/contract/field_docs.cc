#include "contract/field_docs.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>

#include <map>

#include "base/text.h"
#include "contract/formats.h"

// The descriptor set, embedded into the program by the assembler.
__asm__(
    ".section .rodata.sunup_contract_descriptors,\"a\",@progbits\n"
    ".global sunup_contract_descriptors\n"
    ".global sunup_contract_descriptors_end\n"
    "sunup_contract_descriptors:\n"
    ".incbin \"" SUNUP_DESCRIPTORS
    "\"\n"
    "sunup_contract_descriptors_end:\n"
    ".byte 0\n"
    ".previous\n");
// These names are set by the assembler: NOLINTBEGIN(readability-identifier-naming)
extern "C" const char sunup_contract_descriptors[];
extern "C" const char sunup_contract_descriptors_end[];
// NOLINTEND(readability-identifier-naming)

namespace sunup::contract {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::SourceLocation;

constexpr char kPackage[] = "aksnodeconfig.v1.";

// The compiled-in descriptors have no comments; these do.
const DescriptorPool& commented_pool() {
  static const auto* const kPool = [] {
    auto* database = new google::protobuf::SimpleDescriptorDatabase;
    google::protobuf::FileDescriptorSet set;
    const auto size = static_cast<size_t>(sunup_contract_descriptors_end - sunup_contract_descriptors);
    set.ParseFromArray(sunup_contract_descriptors, static_cast<int>(size));
    for (const auto& file : set.file()) database->Add(file);
    return new DescriptorPool(database);
  }();
  return *kPool;
}

const google::protobuf::Descriptor* pool_type(const MessageFields& message) {
  return commented_pool().FindMessageTypeByName(kPackage + std::string(message.name()));
}

template <class Descriptor>
std::string comment_of(const Descriptor* descriptor) {
  SourceLocation location;
  return descriptor && descriptor->GetSourceLocation(&location) ? location.leading_comments : "";
}

struct Comment {
  std::string text;
  std::map<std::string, std::string, std::less<>> facts;
};

// Splits a comment into running text and "Word: facts" lines. A line with deeper indent continues the previous one.
Comment parse(const std::string& comment) {
  Comment out;
  std::string* open = &out.text;
  for (std::string_view line : split(comment, '\n')) {
    if (line.starts_with(' ')) line.remove_prefix(1);
    bool fact = false;
    for (const std::string_view word : {"Default", "Example", "Set by", "Env", "File"}) {
      if (!line.starts_with(word) || line.substr(word.size(), 2) != ": ") continue;
      open = &out.facts[std::string(word)];
      line.remove_prefix(word.size() + 2);
      fact = true;
      break;
    }
    const bool goes_on = line.starts_with(' ');
    if (!fact && !goes_on) open = &out.text;
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line.empty()) continue;
    if (!open->empty()) *open += ' ';
    *open += line;
  }
  return out;
}

std::vector<std::string> list(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty() || text == "none") return out;
  for (std::string_view item : split(text, ',')) {
    while (item.starts_with(' ')) item.remove_prefix(1);
    out.emplace_back(item);
  }
  return out;
}

std::string type_of(const Field& field) {
  const std::string value = field.enumeration ? "enum " + std::string(field.enumeration->name)
                            : field.message   ? "message " + std::string(field.message->name())
                                              : std::string(type_name(field.kind));
  return (field.is_map() ? "map of string to " : field.is_list() ? "list of " : "") + value;
}

void add_message(const MessageFields& message, const std::string& prefix, int depth, std::vector<FieldDoc>& out) {
  const auto* commented = pool_type(message);
  const Comment around = parse(comment_of(commented));
  for (const Field& field : message.all()) {
    const auto* with_comment = commented ? commented->FindFieldByNumber(field.number) : nullptr;
    const Comment own = parse(comment_of(with_comment));
    // Facts that are missing in the comment of a field are taken from its message, or, if the field is a message
    // itself, from the comment of that message.
    const auto* type = field.message && commented ? pool_type(*field.message) : nullptr;
    const Comment fallback = type ? parse(comment_of(type)) : around;
    const auto fact = [&](const char* word) {
      for (const Comment* comment : {&own, &fallback})
        if (const auto it = comment->facts.find(word); it != comment->facts.end()) return it->second;
      return std::string();
    };
    FieldDoc& doc = out.emplace_back();
    doc.path = prefix + std::string(field.name);
    doc.field = &field;
    doc.type = type_of(field);
    doc.meaning = own.text;
    doc.default_value = fact("Default");
    doc.example = fact("Example");
    doc.set_by = fact("Set by");
    doc.variables = list(fact("Env"));
    doc.files = list(fact("File"));
    doc.depth = depth;
    const std::string below = doc.path + (field.is_map() ? ".*." : ".");
    if (field.message) add_message(*field.message, below, depth + 1, out);
  }
}

}  // namespace

const std::vector<FieldDoc>& field_docs() {
  static const auto kDocs = [] {
    std::vector<FieldDoc> docs;
    add_message(configuration_fields(), "", 0, docs);
    return docs;
  }();
  return kDocs;
}

const FieldDoc* doc_of_path(std::string_view path) {
  if (path.starts_with('$')) path.remove_prefix(1);
  const MessageFields* message = &configuration_fields();
  const Field* field = nullptr;
  std::string found;
  while (!path.empty()) {
    if (path.starts_with('.')) path.remove_prefix(1);
    if (path.starts_with('[')) {  // an item or key of the field found last
      if (!field || !(field->is_list() || field->is_map())) return nullptr;
      bool quoted = false;
      size_t i = 1;
      for (; i < path.size() && (quoted || path[i] != ']'); ++i) {
        if (path[i] == '\\')
          ++i;
        else if (path[i] == '"')
          quoted = !quoted;
      }
      path.remove_prefix(std::min(i + 1, path.size()));
      if (field->is_map() && field->message) found += ".*";
      continue;
    }
    const size_t end = path.find_first_of(".[");
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end, path.size()));
    if (field && field->is_map() && !found.ends_with(".*")) {  // a key without brackets
      if (!field->message) break;
      found += ".*";
      continue;
    }
    field = message ? message->find(name) : nullptr;
    if (!field) return nullptr;
    found += (found.empty() ? "" : ".") + std::string(field->name);
    message = field->message;
  }
  if (found.ends_with(".*")) found.resize(found.size() - 2);
  for (const FieldDoc& doc : field_docs())
    if (doc.path == found) return &doc;
  return nullptr;
}

std::string enum_value_meaning(const EnumType& type, const EnumValue& value) {
  const auto* commented = commented_pool().FindEnumTypeByName(kPackage + std::string(type.name));
  std::string text = parse(comment_of(commented ? commented->FindValueByNumber(value.number) : nullptr)).text;
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace sunup::contract
