// Servers of the simulated world: files that support range requests, and a registry. For tests only.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "host/network.h"

namespace sunup::fetch::test_server {

using host::HttpReply;
using host::HttpRequest;

inline std::string header(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return "";
}

// A file as a web server sends it: completely, or from the requested offset if it has not changed.
inline HttpReply file(const HttpRequest& request, const std::string& body, const std::string& etag) {
  HttpReply reply{.status = 200, .headers = {{"Content-Length", std::to_string(body.size())}}, .body = body};
  if (!etag.empty()) reply.headers.emplace_back("etag", etag);
  const std::string range = header(request, "Range");
  const std::string only_if = header(request, "If-Range");
  if (range.empty() || (!only_if.empty() && only_if != etag)) return reply;
  const size_t from = std::stoul(range.substr(6));
  if (from >= body.size()) return {.status = 416};
  reply.status = 206;
  reply.body = body.substr(from);
  reply.headers = {{"Content-Range", fmt::format("bytes {}-{}/{}", from, body.size() - 1, body.size())}};
  return reply;
}

inline std::function<HttpReply(const HttpRequest&)> serve(std::string body, std::string etag = "\"1\"") {
  return [body = std::move(body), etag = std::move(etag)](const HttpRequest& request) {
    return file(request, body, etag);
  };
}

// A registry that requires a token for every request, as public ones do, and stores its files on another host. World is
// host::sim::World.
template <class World>
class Registry {
 public:
  using Endpoint = typename decltype(World::endpoints)::mapped_type;

  Registry(World& world, std::string host) : world_(world), host_(std::move(host)) {
    world_.endpoints["https://" + host_ + "/token?service=" + host_ + "&scope=repository%3Aall%3Apull"] = {
        .body = R"({"token":"let-me-in"})"};
  }

  void add(const std::string& repository, const std::string& tag,
           const std::vector<std::pair<std::string, std::string>>& files) {
    std::string layers;
    for (const auto& [title, content] : files) {
      const std::string digest = sha256_hex(content);
      layers +=
          fmt::format(R"({}{{"digest":"sha256:{}","size":{},"annotations":{{"org.opencontainers.image.title":"{}"}}}})",
                      layers.empty() ? "" : ",", digest, content.size(), title);
      const std::string stored = "https://storage.example/" + digest + "?sig=secret-signature";
      guard("/v2/" + repository + "/blobs/sha256:" + digest,
            {.status = 307, .headers = {{"Location", stored}}, .body = ""});
      world_.endpoints[stored].answer = [content](const HttpRequest& request) {
        // The other host must not receive the token.
        if (!header(request, "Authorization").empty()) return HttpReply{.status = 400};
        return file(request, content, "");
      };
      last_stored_ = stored;
    }
    add_manifest(repository, tag, fmt::format(R"({{"schemaVersion":2,"layers":[{}]}})", layers));
  }
  void add_manifest(const std::string& repository, const std::string& tag, const std::string& manifest) {
    const std::string digest = "sha256:" + sha256_hex(manifest);
    for (const std::string& name : {tag, digest})
      guard("/v2/" + repository + "/manifests/" + name,
            {.status = 200, .headers = {{"Docker-Content-Digest", digest}}, .body = manifest});
  }
  void add_tags(const std::string& repository, const std::string& json) {
    guard("/v2/" + repository + "/tags/list", {.status = 200, .headers = {}, .body = json});
  }
  Endpoint& at(const std::string& path) { return world_.endpoints["https://" + host_ + path]; }
  Endpoint& last_stored() { return world_.endpoints[last_stored_]; }

 private:
  void guard(const std::string& path, HttpReply reply) {
    at(path).answer = [reply = std::move(reply), host = host_](const HttpRequest& request) {
      if (header(request, "Authorization") == "Bearer let-me-in") return reply;
      return HttpReply{.status = 401,
                       .headers = {{"WWW-Authenticate", "Bearer realm=\"https://" + host + "/token\",service=\"" +
                                                            host + "\",scope=\"repository:all:pull\""}},
                       .body = ""};
    };
  }

  World& world_;
  std::string host_;
  std::string last_stored_;
};

}  // namespace sunup::fetch::test_server
