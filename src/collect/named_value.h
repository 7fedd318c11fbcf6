// A credential that is only known by its name: client_secret=..., "accessToken": "...", password = '...', --token ...
//
// A colon is also what prose has: of "getting the token: connection refused" nothing is taken, of "password: hunter2"
// the value is.
#pragma once

#include <string_view>

#include "collect/found.h"

namespace sunup::collect {

// `text` begins where a name may begin: the character before it is none of a name.
Found named_value(std::string_view text);

// Letters, digits, '-' and '_'.
bool is_name_char(char c);

// Whether what has this name is a credential: secret fields of the node config, secret variables of the CSE
// environment, and what everybody calls one (clientSecret, DB_PASSWORD, access-token, AccountKey).
bool names_a_secret(std::string_view name);

}  // namespace sunup::collect
