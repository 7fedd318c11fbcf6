// Writes the table of the contract's fields (src/contract/fields.h) while the house is built.
//
//   field_table contract.descriptors contract_fields.inc
//
// It refuses types that the loader and the writer do not support, so that such a contract does not build.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "sunup/options.pb.h"

namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

[[noreturn]] void refuse(const std::string& what) {
  std::cerr << "field_table: " << what << "\n";
  std::exit(1);
}

std::string kind_of(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_STRING:
      return "kString";
    case FieldDescriptor::TYPE_BOOL:
      return "kBool";
    case FieldDescriptor::TYPE_INT32:
      return "kInt32";
    case FieldDescriptor::TYPE_DOUBLE:
      return "kDouble";
    case FieldDescriptor::TYPE_ENUM:
      return "kEnum";
    case FieldDescriptor::TYPE_MESSAGE:
      return "kMessage";
    default:
      refuse(field.full_name() + " has a type that the loader does not know: " + field.type_name());
  }
}

class Table {
 public:
  explicit Table(std::ostream& out) : out_(out) {}

  // A table is declared after the tables that it refers to.
  void message(const Descriptor& type) {
    if (!done_.insert(type.full_name()).second) return;
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& value = value_of(*type.field(i));
      if (value.message_type()) message(*value.message_type());
      if (value.enum_type()) enumeration(*value.enum_type());
    }
    if (type.real_oneof_decl_count() > 0) refuse(type.full_name() + " has a oneof");
    const std::string& name = type.name();
    std::map<std::pair<size_t, std::string>, int> names;  // by length first: src/contract/fields.h
    out_ << "constexpr Field k" << name << "Fields[] = {\n";
    for (int i = 0; i < type.field_count(); ++i) {
      field(*type.field(i));
      for (const std::string& spelling : {type.field(i)->name(), type.field(i)->json_name()})
        names[{spelling.size(), spelling}] = i;
    }
    out_ << "};\nconstexpr FieldName k" << name << "Names[] = {\n";
    for (const auto& [spelling, index] : names) out_ << "    {\"" << spelling.second << "\", " << index << "},\n";
    out_ << "};\nconstexpr std::array<std::string_view, " << type.reserved_name_count() << "> k" << name
         << "Reserved = {";
    for (int i = 0; i < type.reserved_name_count(); ++i) out_ << '"' << type.reserved_name(i) << "\", ";
    out_ << "};\nconstexpr MessageFields k" << name << "(\"" << name << "\", k" << name << "Fields, k" << name
         << "Names, k" << name << "Reserved);\n\n";
  }

 private:
  static const FieldDescriptor& value_of(const FieldDescriptor& field) {
    return field.is_map() ? *field.message_type()->map_value() : field;
  }

  void field(const FieldDescriptor& field) {
    const FieldDescriptor& value = value_of(field);
    if (field.is_map() && field.message_type()->map_key()->type() != FieldDescriptor::TYPE_STRING)
      refuse(field.full_name() + " is a map with keys that are not strings");
    if (field.is_map() && field.message_type()->map_value()->type() == FieldDescriptor::TYPE_ENUM)
      refuse(field.full_name() + " is a map of enum values");
    if (field.is_repeated() && !field.is_map() && field.type() != FieldDescriptor::TYPE_STRING &&
        field.type() != FieldDescriptor::TYPE_MESSAGE)
      refuse(field.full_name() + " is a list of neither strings nor messages");
    out_ << "    {.name = \"" << field.name() << "\", .json_name = \"" << field.json_name()
         << "\", .number = " << field.number() << ", .kind = FieldKind::" << kind_of(value) << ", .shape = FieldShape::"
         << (field.is_map()        ? "kMap"
             : field.is_repeated() ? "kList"
                                   : "kSingle")
         << ", .optional = " << (field.has_optional_keyword() ? "true" : "false")
         << ", .secret = " << (field.options().GetExtension(sunup::secret) ? "true" : "false")
         << ", .message = " << (value.message_type() ? "&k" + value.message_type()->name() : "nullptr")
         << ", .enumeration = " << (value.enum_type() ? "&k" + value.enum_type()->name() : "nullptr") << "},\n";
  }

  void enumeration(const EnumDescriptor& type) {
    if (!done_.insert(type.full_name()).second) return;
    out_ << "constexpr EnumValue k" << type.name() << "Values[] = {\n";
    for (int i = 0; i < type.value_count(); ++i)
      out_ << "    {\"" << type.value(i)->name() << "\", " << type.value(i)->number() << "},\n";
    out_ << "};\nconstexpr EnumType k" << type.name() << " = {\"" << type.name() << "\", k" << type.name()
         << "Values};\n\n";
  }

  std::ostream& out_;
  std::set<std::string> done_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) refuse("usage: field_table DESCRIPTOR_SET OUTPUT");
  google::protobuf::FileDescriptorSet set;
  std::ifstream in(argv[1], std::ios::binary);
  if (!set.ParseFromIstream(&in)) refuse(std::string(argv[1]) + " is not a descriptor set");
  google::protobuf::DescriptorPool pool;
  for (const auto& file : set.file())  // each after what it imports
    if (!pool.BuildFile(file)) refuse(file.name() + " does not build");
  const Descriptor* root = pool.FindMessageTypeByName("aksnodeconfig.v1.Configuration");
  if (!root) refuse("there is no aksnodeconfig.v1.Configuration");
  std::ofstream out(argv[2], std::ios::trunc);
  out << "// Made by proto/field_table.cc.\n\n";
  Table(out).message(*root);
  out.close();
  if (!out) refuse(std::string("cannot write ") + argv[2]);
}
