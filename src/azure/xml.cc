#include "azure/xml.h"

#include <expat.h>
#include <sys/random.h>

#include <cstdlib>
#include <memory>

#include "base/text.h"

// expat seeds its hash tables with this function. glibc has it since 2.36, but Ubuntu 22.04 has glibc 2.35. The linker
// uses this definition instead of glibc's.
extern "C" void arc4random_buf(void* buffer, size_t size) noexcept {
  auto* at = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::getrandom(at, size, 0);
    if (got <= 0) continue;  // interrupted by a signal
    at += got;
    size -= static_cast<size_t>(got);
  }
}

namespace sunup::azure {
namespace {

struct Reading {
  XML_Parser parser = nullptr;
  std::vector<XmlElement> open;  // from the root to the element that is being read
  XmlElement root;
  size_t elements = 0;
  const char* refused = nullptr;

  void refuse(const char* why) {
    if (refused == nullptr) refused = why;
    XML_StopParser(parser, XML_FALSE);
  }
};

Reading& of(void* data) {
  return *static_cast<Reading*>(data);
}

void on_start(void* data, const XML_Char* name, const XML_Char**) {
  Reading& reading = of(data);
  if (++reading.elements > kMostXmlElements) return reading.refuse("too many elements");
  if (reading.open.size() >= kDeepestXml) return reading.refuse("elements are nested too deeply");
  const std::string_view whole = name;
  const size_t colon = whole.rfind(':');
  reading.open.push_back({std::string(colon == std::string_view::npos ? whole : whole.substr(colon + 1)), {}, {}});
}

void on_end(void* data, const XML_Char*) {
  Reading& reading = of(data);
  if (reading.open.empty()) return;  // the parser was stopped within the start of this element
  XmlElement element = std::move(reading.open.back());
  reading.open.pop_back();
  element.text = std::string(trimmed(element.text));
  if (reading.open.empty())
    reading.root = std::move(element);
  else
    reading.open.back().children.push_back(std::move(element));
}

void on_text(void* data, const XML_Char* text, int length) {
  Reading& reading = of(data);
  if (!reading.open.empty()) reading.open.back().text.append(text, static_cast<size_t>(length));
}

void on_document_type(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  of(data).refuse("a document type is not allowed");
}

}  // namespace

const XmlElement* XmlElement::child(std::string_view child_name) const {
  for (const XmlElement& one : children)
    if (one.name == child_name) return &one;
  return nullptr;
}

Result<std::string> XmlElement::text_of(std::string_view child_name) const {
  const XmlElement* found = nullptr;
  for (const XmlElement& one : children) {
    if (one.name != child_name) continue;
    if (found != nullptr) return Error("two elements " + std::string(child_name) + " in " + name);
    found = &one;
  }
  return found == nullptr ? std::string() : found->text;
}

Result<XmlElement> read_xml(std::string_view document) {
  if (document.size() > kLargestXml) return Error("XML of more than 4 MiB");
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                                             &XML_ParserFree);
  if (!parser) return Error("XML: out of memory");
  Reading reading;
  reading.parser = parser.get();
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_document_type);
  if (XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE) == XML_STATUS_OK)
    return std::move(reading.root);
  const std::string line = std::to_string(XML_GetCurrentLineNumber(parser.get()));
  const char* why = reading.refused != nullptr ? reading.refused : XML_ErrorString(XML_GetErrorCode(parser.get()));
  return Error("not valid XML, line " + line + ": " + why);
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
      out += c;  // XML cannot represent other control characters
    }
  }
  return out;
}

}  // namespace sunup::azure
