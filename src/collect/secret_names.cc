#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "collect/named_value.h"
#include "contract/fields.h"
#include "render/nbc_secrets.h"

namespace sunup::collect {
namespace {

// accessToken, access_token and access-token are the same name.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '-' && c != '_') out += to_lower(c);
  return out;
}

void add_fields(const contract::MessageFields& fields, std::set<std::string, std::less<>>& names) {
  for (const contract::Field& field : fields.all()) {
    if (field.secret) names.insert(plain(field.name));
    if (field.message != nullptr) add_fields(*field.message, names);
  }
}

const std::set<std::string, std::less<>>& contract_names() {
  static const auto* names = [] {
    auto* made = new std::set<std::string, std::less<>>;
    add_fields(contract::configuration_fields(), *made);
    return made;
  }();
  return *names;
}

constexpr std::string_view kEndings[] = {"secret",   "password", "passwd",     "passphrase",  "pwd",
                                         "token",    "key",      "credential", "credentials", "connectionstring",
                                         "sastoken", "keydata"};
// These end like the name of a secret but are not secret: the shell's directories, and public keys and key names.
constexpr std::string_view kHarmless[] = {"pwd", "oldpwd", "publickey", "hostkey", "cachekey", "tokenkey"};

}  // namespace

bool names_a_secret(std::string_view name) {
  if (render::is_secret_variable(name)) return true;
  const std::string word = plain(name);
  if (contract_names().contains(word)) return true;
  const auto ends = [&word](std::string_view ending) { return word.ends_with(ending); };
  if (std::ranges::none_of(kEndings, ends)) return word == "auth";
  return std::ranges::find(kHarmless, word) == std::end(kHarmless) && !word.ends_with("publickey");
}

}  // namespace sunup::collect
