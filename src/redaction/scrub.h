// Redacts text that leaves the node, where nobody can be asked what is secret: the values of the secrets in every form
// in which several programs may have written them, and everything that looks like a credential.
//
//   Sieve sieve(is_secret_of_config);
//   sieve.hide("hunter2-and-more");
//   sieve.clean("hunter2-and-more password=xyz");   // "[redacted] password=[redacted]"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "redaction/redactor.h"

namespace sunup::redaction {

// Whether a variable or a member of that name contains a credential, in addition to the common names (clientSecret,
// DB_PASSWORD, access-token, AccountKey).
using IsSecretName = bool (*)(std::string_view name);
// accessToken, access_token and access-token are the same name: "accesstoken".
std::string plain_name(std::string_view name);

// The text without bootstrap tokens, web tokens, authorization headers, signatures of storage URLs, passwords in URLs,
// private keys, values with the name of a credential, and all of that in base64.
std::string scrub(std::string_view text, IsSecretName further);

class Sieve {
 public:
  explicit Sieve(IsSecretName further) : further_(further) {}

  // Unlike a Redactor, which is used where time matters, it also hides a value that is quoted for JSON twice, in HTML,
  // in hex, and in base64 of base64.
  void hide(std::string_view value);
  std::string clean(std::string_view text) const { return scrub(redactor_.redact(text), further_); }
  // Also hides values that are too short to be searched for in text, if they are complete strings of the JSON text.
  std::string clean_json(std::string text) const;

 private:
  IsSecretName further_;
  Redactor redactor_;
  std::vector<Secret> short_;
};

}  // namespace sunup::redaction
