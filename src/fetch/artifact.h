// What a registry says of an artifact: references, manifests, lists of tags, and how it wants to be asked. Pure text.
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

  // "https://host/v2/repository"; plain http only to this machine itself.
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
  std::string title;  // the file's name; empty: none was given
};

struct Manifest {
  std::vector<Layer> layers;  // empty: this is an index,
  std::string next;           // and the digest of the platform's manifest is this
};
Result<Manifest> parse_manifest(std::string_view json, const Platform& platform);

Result<std::vector<std::string>> parse_tags(std::string_view json);

// What the header WWW-Authenticate of a 401 asks for: `Bearer realm="https://...",service="...",scope="..."`.
struct Challenge {
  std::string realm;
  std::string service;
  std::string scope;
};
Result<Challenge> parse_challenge(std::string_view header);
std::string token_url(const Challenge& challenge);
Result<std::string> parse_token(std::string_view json);

// The header Link of a list that goes on: `</v2/x/tags/list?last=b&n=100>; rel="next"`. Empty: it does not.
std::string next_page(std::string_view link);

}  // namespace sunup::fetch
