// Parses Kubernetes objects and settings: YAML or JSON text with one or more documents, as JSON values with the line of
// each part.
//
//   for (const Document& doc : *read_documents(text)) if (doc.kind() == "NodePool") ...
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::fleet {

struct Document {
  nlohmann::json value;
  std::map<std::string, int> lines;  // "spec.template.spec.taints[0].key" -> line, counted from 1; empty for JSON lines
  std::string file;                  // the file name for messages; may be empty
  std::map<std::string, std::string> as_written = {};  // numbers whose text differs from their value: 1.30, 007
  // Paths of members that are null. They are not part of the value, because null means "not set" in the API.
  struct Null {
    std::string parent;
    std::string key;
  };
  std::map<std::string, Null> nulls = {};

  std::string kind() const;         // "" if there is none
  std::string api_version() const;  // "" if there is none
  std::string name() const;         // metadata.name
  // The line of the nearest known part of the path; 0 if no line is known.
  int line(const std::string& path) const;
  // "pool.yaml:12" for the nearest known part of the path, "pool.yaml" if no line is known.
  std::string where(const std::string& path) const;
};

// Every document of a YAML stream (JSON is YAML); a List object gives its items. Scalars are typed as in YAML 1.2:
// quoted text is always a string, `yes` and `off` are strings, numbers and true/false have their type.
Result<std::vector<Document>> read_documents(std::string_view text, std::string file = "");
// From a file, or from standard input ("-").
Result<std::vector<Document>> read_document_file(const std::string& path);

// One JSON object, without line numbers, for a line of a batch.
Result<Document> read_json_document(std::string_view line);

}  // namespace sunup::fleet
