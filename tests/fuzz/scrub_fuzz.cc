// The text of a log, with any content, is scrubbed for the support bundle: a credential that is planted in it is never
// in the output, and the time grows with the length.
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "collect/log_text.h"
#include "redaction/scrub.h"
#include "require.h"

namespace {

using namespace std::string_literals;

constexpr std::string_view kSecret = "s3Zq9xW7vT2pL8kJ4mN6";
constexpr std::string_view kToken = "zq9xw7.0123456789zq9xw7";

// Every line is one way in which a log names a secret. Lines of base64 are apart from other lines of base64.
const std::string kPlanted[] = {
    "password="s.append(kSecret) + "\n",
    "DB_PASSWORD = '"s.append(kSecret) + "'\n",
    "{\"clientSecret\": \""s.append(kSecret) + "\"}\n",
    "{\"MESSAGE\":\"got {\\\"client_secret\\\":\\\""s.append(kSecret) + "\\\",\\\"x\\\":1}\"}\n",
    "kubeadm join --token "s.append(kSecret) + " --v 5\n",
    "Authorization: Bearer "s.append(kSecret) + "\n",
    "curl -u user:"s.append(kSecret) + " https://x\n",
    "https://user:"s.append(kSecret) + "@host/path\n",
    "https://a.blob/x?sv=1&sig="s.append(kSecret) + "&se=2\n",
    "Set-Cookie: session="s.append(kSecret) + "; Path=/\n",
    "-----BEGIN RSA PRIVATE KEY-----\n"s.append(kSecret) + "\n-----END RSA PRIVATE KEY-----\n",
    "token is "s.append(kToken) + " today\n",
};

std::string scrub(std::string_view text) {
  return sunup::redaction::scrub(text, [](std::string_view) { return false; });
}

double seconds_of(std::string_view text) {
  const std::clock_t before = std::clock();
  (void)scrub(text);
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  using namespace sunup::collect;
  if (size == 0) return 0;
  const size_t choice = data[0];
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  (void)reduced_log(text);
  (void)reduced_record(text);
  require(readable_journal(readable_journal(text)) == readable_journal(text), "a journal that is text stays as it is");

  const std::string& planted = kPlanted[choice % std::size(kPlanted)];
  const bool encoded = choice >= 128;
  const std::string line = encoded ? base64_encode("some words before it\n" + planted) : planted;
  const std::string_view secret = encoded                                ? std::string_view(line)
                                  : planted.find(kToken) != planted.npos ? kToken
                                                                         : kSecret;
  // The input may contain the secret by itself, without anything that makes it one.
  if (text.find(secret) == text.npos) {
    const size_t middle = text.size() / 2;
    const std::string shown = scrub(text.substr(0, middle) + "\n\n" + line + "\n\n" + text.substr(middle));
    require(shown.find(secret) == shown.npos, "a planted secret is not in the output");
  }
  // Not for every input, because it takes long.
  if (std::hash<std::string>()(text) % 64 == 0 && !text.empty()) {
    std::string repeated;
    while (repeated.size() < (size_t{1} << 17)) repeated += text;
    require(seconds_of(repeated) < 8, "128 KiB take seconds at most");
  }
  return 0;
}
