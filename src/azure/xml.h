// A small XML document as a tree, for the documents of Azure's host (ovf-env.xml, the goal state). They have a few
// dozen elements, whose attributes are ignored. Namespace prefixes are dropped. A document type is refused, so the only
// entities are the five of XML. Size, depth and number of elements are limited.
//
//   Result<XmlElement> root = read_xml("<a><b> 1 </b></a>");
//   root->child("b")->text == "1"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::azure {

inline constexpr size_t kLargestXml = 4u << 20;
inline constexpr size_t kDeepestXml = 32;
inline constexpr size_t kMostXmlElements = 4096;

struct XmlElement {
  std::string name;  // without its prefix
  std::string text;  // without white space around it
  std::vector<XmlElement> children;

  // The first child of that name; nullptr if there is none.
  const XmlElement* child(std::string_view child_name) const;
  // Its text; empty if there is no such child. Two children of that name are an error, because the document is then
  // ambiguous.
  Result<std::string> text_of(std::string_view child_name) const;
};

// The root element. A byte order mark before it is accepted.
Result<XmlElement> read_xml(std::string_view document);

// Escapes text for use between two tags.
std::string xml_escaped(std::string_view text);

}  // namespace sunup::azure
