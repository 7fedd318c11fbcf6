// The credentials that scrub() finds at the beginning of a text.
#pragma once

#include <cstddef>
#include <string_view>

#include "redaction/scrub.h"

namespace sunup::redaction {

// The longest text that is examined without being redacted: a longer one counts as a credential. So the time that a
// text takes grows with its length, whatever it contains.
inline constexpr size_t kLongestHarmless = 1024;

struct Found {
  size_t keep = 0;    // "password=" is kept
  size_t length = 0;  // including the kept part; 0: nothing was found
};

// A credential with its name: client_secret=..., "accessToken": "...", password = '...', --token ...
// A colon also occurs in prose: "getting the token: connection refused" contains no credential, "password: hunter2"
// does. `text` begins where a name may begin: the preceding character is not a name character.
Found named_value(std::string_view text, IsSecretName further);
// Letters, digits, '-' and '_'.
bool is_name_char(char c);

// A credential after a one-letter flag whose meaning depends on the program: `curl -u name:...`, `az login -p ...`, as
// a command line or as a list of quoted arguments. `text` begins with a '-'; `line` is the preceding text of the same
// line.
Found flag_value(std::string_view text, std::string_view line);

// A credential inside base64: a client key in a kubeconfig, a whole config in a log. `text` begins where a run of
// base64 may begin: the preceding character is not a base64 character. The result is the whole run, including wrapped
// lines, if the decoded text contains a credential near the start of the run, or if it was encoded more often than
// kDeepest. Every line of a run is the start of one.
Found encoded_credential(std::string_view text, IsSecretName further, int depth);
inline constexpr int kDeepest = 3;
// Whether it is in the standard alphabet, without the padding.
bool is_base64_char(char c);

// As scrub(); `depth`: how often base64 was decoded to get the text.
std::string scrub_decoded(std::string_view text, IsSecretName further, int depth);

}  // namespace sunup::redaction
