// Any bytes of a registry are a manifest, a list of tags, a challenge, a token, a login file, or are refused; values
// from them are safe to use in a request.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fetch/artifact.h"
#include "fetch/registry.h"
#include "require.h"

namespace {

bool fits_a_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::fetch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto reference = parse_reference(text)) {
    require(fits_a_line(reference->url()) && reference->url().find(' ') == std::string::npos, "a URL is one word");
    require(reference->url().find("/../") == std::string::npos, "a repository stays below its registry");
    const auto again = parse_reference(reference->text());
    require(again && again->url() == reference->url() && again->tag == reference->tag, "a reference is read back");
  }
  for (const Platform& platform : {Platform{"amd64", ""}, Platform{"arm64", "ubuntu 22.04"}}) {
    const auto manifest = parse_manifest(text, platform);
    if (!manifest) continue;
    require(manifest->layers.empty() != manifest->next.empty(), "a manifest has layers or leads to one that has");
    require(manifest->next.empty() || manifest->next.size() == 71, "what follows has a digest");
    for (const Layer& layer : manifest->layers)
      require(layer.sha256.size() == 64 && fits_a_line(layer.sha256), "every layer has a digest");
  }
  if (const auto tags = parse_tags(text))
    for (const std::string& tag : *tags)
      require(tag.find_first_of("/ \r\n?#%") == std::string::npos, "a tag can be part of a URL");
  if (const auto challenge = parse_challenge(text)) {
    require(!challenge->realm.empty(), "a challenge says where to go");
    (void)token_url(*challenge);
  }
  if (const auto token = parse_token(text)) require(fits_a_line(*token), "a token fits into a header");
  (void)next_page(text);
  (void)refresh_token(text, "registry.example.com");
  return 0;
}
