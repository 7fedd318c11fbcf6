#include "fetch/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_member.h"
#include "base/text.h"
#include "base/url.h"

namespace sunup::fetch {
namespace {

using nlohmann::json;

constexpr std::string_view kSha256 = "sha256:";
constexpr std::string_view kTitle = "org.opencontainers.image.title";

bool is_sha256(std::string_view hex) {
  return hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool only_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(),
                     [more](char c) { return is_alphanumeric(c) || more.find(c) != more.npos; });
}

json parse(std::string_view text) {
  return json::parse(text, nullptr, false);
}

const json* list_at(const json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? &*found : nullptr;
}

// "sha256:..."
bool is_digest(std::string_view text) {
  return text.starts_with(kSha256) && is_sha256(text.substr(kSha256.size()));
}

std::optional<Layer> layer_of(const json& entry) {
  const std::string digest = text_of(entry, "digest");
  const auto size = entry.is_object() ? entry.find("size") : entry.end();
  if (!is_digest(digest)) return std::nullopt;
  if (size == entry.end() || !size->is_number_unsigned()) return std::nullopt;
  Layer layer{digest.substr(kSha256.size()), size->get<uint64_t>(), ""};
  if (const auto notes = entry.find("annotations"); notes != entry.end()) layer.title = text_of(*notes, kTitle);
  return layer;
}

// The manifest for exactly this OS, otherwise one that names no OS.
Result<Manifest> choose(const json& manifests, const Platform& platform) {
  std::string exact;
  std::string any;
  for (const json& entry : manifests) {
    const std::string digest = text_of(entry, "digest");
    const auto about = entry.is_object() ? entry.find("platform") : entry.end();
    if (about == entry.end() || !is_digest(digest)) continue;
    const std::string os = text_of(*about, "os");
    if (text_of(*about, "architecture") != platform.architecture || (!os.empty() && os != "linux")) continue;
    const std::string version = text_of(*about, "os.version");
    if (exact.empty() && !platform.os_version.empty() && version == platform.os_version) exact = digest;
    if (any.empty() && version.empty()) any = digest;
  }
  if (exact.empty() && any.empty()) {
    Error error(fmt::format("the registry has no image for linux/{}{}{}", platform.architecture,
                            platform.os_version.empty() ? "" : ", ", platform.os_version));
    error.os_errno = ENODATA;
    return error;
  }
  return Manifest{{}, exact.empty() ? any : exact};
}

}  // namespace

std::string Reference::url() const {
  const bool local = host == "localhost" || host.starts_with("localhost:") || host.starts_with("127.");
  return fmt::format("{}://{}/v2/{}", local ? "http" : "https", host, repository);
}

std::string Reference::text() const {
  return fmt::format("{}/{}{}{}", host, repository, tag.find(':') == std::string::npos ? ":" : "@", tag);
}

Result<Reference> parse_reference(std::string_view text) {
  const Error wrong(fmt::format("{} does not name an artifact in a registry", text));
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return wrong;
  Reference reference{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1)), ""};
  size_t end = reference.repository.find('@');
  if (end == std::string::npos) end = reference.repository.rfind(':');
  if (end == std::string::npos) return wrong;
  reference.tag = reference.repository.substr(end + 1);
  reference.repository.resize(end);
  const bool digest = reference.tag.find(':') != std::string::npos;
  if (reference.host.empty() || reference.repository.empty() || reference.tag.empty()) return wrong;
  if (!only_of(reference.host, ".-:[]") || !only_of(reference.repository, "._-/") || !only_of(reference.tag, "._-:"))
    return wrong;
  if (reference.repository.find("..") != std::string::npos) return wrong;
  if (digest && !is_digest(reference.tag)) return wrong;
  return reference;
}

Result<Manifest> parse_manifest(std::string_view text, const Platform& platform) {
  const json document = parse(text);
  if (const json* manifests = list_at(document, "manifests")) return choose(*manifests, platform);
  const json* layers = list_at(document, "layers");
  if (layers == nullptr) layers = list_at(document, "blobs");
  if (layers == nullptr) return Error("the registry's response is not a manifest");
  Manifest manifest;
  for (const json& entry : *layers) {
    auto layer = layer_of(entry);
    if (!layer) return Error("the registry's manifest names a layer without a SHA-256 digest or a size");
    manifest.layers.push_back(*std::move(layer));
  }
  if (manifest.layers.empty()) return Error("the registry's manifest names no layers");
  return manifest;
}

Result<std::vector<std::string>> parse_tags(std::string_view text) {
  const json document = parse(text);
  if (!document.is_object()) return Error("the registry's response is not a list of tags");
  std::vector<std::string> tags;
  if (const json* list = list_at(document, "tags"))
    for (const json& tag : *list)
      if (tag.is_string() && only_of(tag.get_ref<const std::string&>(), "._-")) tags.push_back(tag.get<std::string>());
  return tags;
}

Result<Challenge> parse_challenge(std::string_view header) {
  Challenge challenge;
  constexpr std::string_view kBearer = "bearer ";
  if (!equal_ignoring_case(header.substr(0, kBearer.size()), kBearer))
    return Error("the registry requires an unsupported kind of login");
  header.remove_prefix(kBearer.size());
  while (!header.empty()) {
    const size_t equals = header.find('=');
    if (equals == std::string_view::npos || equals + 1 >= header.size()) break;
    std::string_view key = header.substr(0, equals);
    key.remove_prefix(std::min(key.find_first_not_of(", "), key.size()));
    header.remove_prefix(equals + 1);
    const bool quoted = header.front() == '"';
    if (quoted) header.remove_prefix(1);
    const std::string value(take_until(header, quoted ? '"' : ','));
    if (key == "realm") challenge.realm = value;
    if (key == "service") challenge.service = value;
    if (key == "scope") challenge.scope = value;
  }
  if (challenge.realm.empty()) return Error("the registry does not name its token service");
  return challenge;
}

std::string token_url(const Challenge& challenge) {
  return fmt::format("{}{}service={}&scope={}", challenge.realm,
                     challenge.realm.find('?') == std::string::npos ? "?" : "&", percent_encoded(challenge.service),
                     percent_encoded(challenge.scope));
}

Result<std::string> parse_token(std::string_view text) {
  const json document = parse(text);
  std::string token = text_of(document, "access_token");
  if (token.empty()) token = text_of(document, "token");
  if (token.empty()) return Error("the registry's response contains no token");
  // It becomes part of a header.
  if (std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c > '~'; }))
    return Error("the registry's token contains characters that no token has");
  return token;
}

std::string next_page(std::string_view link) {
  const size_t from = link.find('<');
  const size_t to = link.find('>');
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return "";
  if (link.substr(to).find("next") == std::string_view::npos) return "";
  return std::string(link.substr(from + 1, to - from - 1));
}

}  // namespace sunup::fetch
