// Finds a credential by its name: client_secret=..., "accessToken": "...", password = '...', --token ...
//
// A colon also occurs in prose: "getting the token: connection refused" contains no credential, "password: hunter2"
// does.
#pragma once

#include <string_view>

#include "collect/found.h"

namespace sunup::collect {

// `text` begins where a name may begin: the preceding character is not a name character.
Found named_value(std::string_view text);

// Letters, digits, '-' and '_'.
bool is_name_char(char c);

// Whether the name is that of a credential: secret fields of the node config, secret variables of the CSE environment,
// and common names (clientSecret, DB_PASSWORD, access-token, AccountKey).
bool names_a_secret(std::string_view name);

}  // namespace sunup::collect
