// Parses references, manifests, lists of tags and authentication challenges of a registry. Pure functions on text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::fetch {

// "registry.example.com:5000/a/b:v1" or ".../a/b@sha256:..."
struct Reference {
  std::string host;
  std::string repository;
  std::string tag;  // or a digest, "sha256:..."

  // "https://host/v2/repository"; plain http only for this machine.
  std::string url() const;
  std::string text() const;
};
Result<Reference> parse_reference(std::string_view text);

struct Platform {
  std::string architecture = {};  // "amd64"
  std::string os_version = {};    // "ubuntu 22.04"; empty: any
};

struct Layer {
  std::string sha256;  // hexadecimal
  uint64_t size = 0;
  std::string title;  // the file name; may be empty
};

struct Manifest {
  std::vector<Layer> layers;  // empty: this is an index,
  std::string next;           // and this is the digest of the platform's manifest
};
Result<Manifest> parse_manifest(std::string_view json, const Platform& platform);

Result<std::vector<std::string>> parse_tags(std::string_view json);

// The header WWW-Authenticate of a 401: `Bearer realm="https://...",service="...",scope="..."`.
struct Challenge {
  std::string realm;
  std::string service;
  std::string scope;
};
Result<Challenge> parse_challenge(std::string_view header);
std::string token_url(const Challenge& challenge);
Result<std::string> parse_token(std::string_view json);

// The header Link of a list with further pages: `</v2/x/tags/list?last=b&n=100>; rel="next"`. Empty if there are none.
std::string next_page(std::string_view link);

}  // namespace sunup::fetch
