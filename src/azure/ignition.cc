#include "azure/forms.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/url.h"
#include "render/gzip.h"

namespace sunup::azure {
namespace {

using nlohmann::json;

constexpr size_t kMostFiles = 256;

// "data:;base64,...", "data:text/plain;charset=utf-8,plain%20text"
Result<std::string> content_of_url(std::string_view url) {
  const size_t comma = url.find(',');
  if (!url.starts_with("data:") || comma == std::string_view::npos) return Error("its content is not a data URL");
  const std::string bytes = percent_decoded(url.substr(comma + 1));
  if (!url.substr(0, comma).ends_with(";base64")) return bytes;
  auto decoded = base64_decode(bytes);
  if (!decoded) return Error("its base64 is cut or damaged");
  return *std::move(decoded);
}

bool is_root(const json& account) {
  for (const auto& [name, value] : account.items()) {
    if (value.is_null()) continue;
    if (name == "name" ? value != "root" : name != "id" || value != 0) return false;
  }
  return true;
}

// A member of the entry that requests anything else than writing the whole file for root; empty if there is none.
std::string other_wish(const json& entry) {
  for (const auto& [name, value] : entry.items()) {
    if (value.is_null() || name == "path" || name == "mode" || name == "contents") continue;
    if (name == "filesystem" && value == "root") continue;  // in version 2
    if ((name == "user" || name == "group") && is_root(value)) continue;
    if (name == "overwrite" && value.get<bool>()) continue;
    if (name == "append" && value.empty()) continue;
    return name;
  }
  for (const auto& [name, value] : entry.at("contents").items()) {
    if (name == "source" || name == "compression" || value.is_null() || value.empty()) continue;
    const auto hash = name == "verification" ? value.find("hash") : value.end();
    if (name == "verification" && (hash == value.end() || hash->is_null())) continue;
    return "contents." + name;
  }
  return "";
}

// The library throws if a member is missing or has another type.
Result<CustomData> read_file(const json& entry) {
  CustomData data;
  NodeFile file;
  file.path = entry.at("path").get<std::string>();
  if (const std::string other = other_wish(entry); !other.empty())
    data.not_understood = "the Ignition config has '" + other.substr(0, 40) + "' for " + file.path.substr(0, 200);
  file.mode = static_cast<mode_t>(entry.value("mode", 0644) & 0777);
  const json& contents = entry.at("contents");
  const auto source = contents.value("source", std::string());
  if (!source.empty() && !source.starts_with("data:")) {
    data.not_understood = "Ignition is to download " + file.path;
    return data;
  }
  auto content = content_of_url(source.empty() ? "data:," : source);
  if (!content) return std::move(content).error().in(file.path);
  const auto compression = contents.contains("compression") && contents["compression"].is_string()
                               ? contents["compression"].get<std::string>()
                               : "";
  if (compression == "gzip")
    content = render::gunzip(*content, kLargestUnpacked);
  else if (!compression.empty())
    return Error("an unknown compression").in(file.path);
  if (!content) return std::move(content).error().in(file.path);
  file.content = *std::move(content);
  data.files.push_back(std::move(file));
  return data;
}

bool only_starts_controller(const json& systemd) {
  for (const auto& [name, value] : systemd.items()) {
    if (name != "units") return false;
    for (const json& unit : value)
      if (unit.at("name").get<std::string>() != "aks-node-controller.service") return false;
  }
  return true;
}

Result<CustomData> read(const json& document) {
  CustomData data;
  const auto other = [&](std::string what) {
    if (data.not_understood.empty()) data.not_understood = "the Ignition config has " + std::move(what);
  };
  (void)document.at("ignition").at("version").get_ref<const std::string&>();
  for (const auto& [name, value] : document.items()) {
    if (value.empty()) continue;
    if (name == "ignition") {
      for (const auto& [part, content] : value.items())
        if (part != "version" && !content.empty()) other("ignition." + part.substr(0, 40));
    } else if (name == "systemd") {
      if (!only_starts_controller(value)) other("units besides aks-node-controller.service");
    } else if (name != "storage") {
      other(name.substr(0, 40));
    }
  }
  if (!document.contains("storage")) return data;
  for (const auto& [name, value] : document.at("storage").items()) {
    if (name != "files") {
      if (!value.empty()) other("storage." + name.substr(0, 40));
      continue;
    }
    if (value.size() > kMostFiles) return Error("more than 256 files in the Ignition config");
    for (const json& entry : value) {
      auto file = read_file(entry);
      if (!file) return file;
      data.add(*std::move(file));
    }
  }
  return data;
}

}  // namespace

Result<CustomData> read_ignition(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return Error("JSON that is cut or damaged");
  if (!document.is_object() || !document.contains("ignition")) return Error("JSON that is not an Ignition config");
  try {
    return read(document);
  } catch (const json::exception&) {
    return Error("an Ignition config with a member that is missing or of the wrong kind");
  }
}

}  // namespace sunup::azure
