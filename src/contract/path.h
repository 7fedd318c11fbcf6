// JSON paths as findings show them: $.kubelet_config.kubelet_flags["--max-pods"], $.custom_ca_certs[0]. Always one
// line, whatever the names in the text are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sunup::contract {

// A field: ".name", or ["..."] if the name is not a valid field name.
void append_name(std::string_view name, std::string& path);
// A map key: always ["..."].
void append_key(std::string_view key, std::string& path);
void append_index(size_t index, std::string& path);

}  // namespace sunup::contract
