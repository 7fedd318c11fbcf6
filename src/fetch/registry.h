// A client for container registries, as far as programs of a node need it: resolves an artifact to its files and
// downloads one of them. A token is requested according to the registry's challenge, anonymously unless there is a
// credential. All content with a digest is verified.
//
//   Registry registry(outside, *parse_reference("mcr.microsoft.com/oss/x/kubelet-sysext:v1.34.1"));
//   Result<std::vector<Layer>> files = co_await registry.files(Platform{"amd64", ""});
//   Result<void> got = co_await registry.get(files->front(), "/opt/kubelet/downloads/kubelet.raw");
#pragma once

#include <string>
#include <vector>

#include "base/secret.h"
#include "fetch/artifact.h"
#include "fetch/outside.h"

namespace sunup::fetch {

class Registry {
 public:
  // `refresh_token`: the result of a login; empty: anonymous.
  Registry(Outside outside, Reference what, Secret refresh_token = Secret())
      : outside_(std::move(outside)), what_(std::move(what)), refresh_token_(std::move(refresh_token)) {}

  host::Task<Result<std::vector<std::string>>> tags();
  void choose_tag(std::string tag) { what_.tag = std::move(tag); }
  const Reference& reference() const { return what_; }

  // The artifact's files for a platform.
  host::Task<Result<std::vector<Layer>>> files(Platform platform);
  host::Task<Result<void>> get(Layer file, std::string to, bool durable);

 private:
  host::Task<Result<host::HttpReply>> ask_registry(std::string url, std::string accept);
  host::Task<Result<std::string>> manifest(std::string tag_or_digest);
  host::Task<Result<void>> get_token(std::string challenge);

  Outside outside_;
  Reference what_;
  Secret refresh_token_;
  Secret access_token_;
};

// The refresh token for a registry in a login file ({"auths": {"<host>": {"identitytoken": ...}}}, or "auth" with the
// name and the token in base64). Empty if there is none.
Secret refresh_token(std::string_view login_file, std::string_view host);

}  // namespace sunup::fetch
