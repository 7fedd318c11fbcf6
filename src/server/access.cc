#include "server/access.h"

#include <algorithm>
#include <cctype>

#include "base/digest.h"
#include "base/json_member.h"

namespace sunup::server {
namespace {

using nlohmann::json;
using std::chrono::seconds;

// Long enough that the cluster is not asked for every request of a fleet that starts, and short enough that a revoked
// token stops working soon. If the cluster did not reply, it is asked again.
constexpr seconds kValid{10};
constexpr seconds kFailureValid{1};

std::string digest(std::string_view text) {
  return Digest(Digest::Kind::kSha256).add(text).bytes();
}

// The token of "Bearer TOKEN"; empty for any other value.
std::string_view bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return {};
  const bool bearer = std::equal(kScheme.begin(), kScheme.end(), authorization.begin(), [](char want, char got) {
    return want == std::tolower(static_cast<unsigned char>(got));
  });
  if (!bearer) return {};
  authorization.remove_prefix(kScheme.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return authorization;
}

}  // namespace

bool is_bootstrap_user(std::string_view user) {
  return user.starts_with("system:bootstrap:");
}

bool is_node(std::string_view user, std::string_view node) {
  constexpr std::string_view kNode = "system:node:";
  if (is_bootstrap_user(user)) return true;
  return user.starts_with(kNode) && user.substr(kNode.size()) == node;
}

Result<std::optional<Identity>> reviewed_identity(const json& review) {
  using Known = std::optional<Identity>;
  const json& status = member_of(review, "status");
  if (member_of(status, "authenticated") != true) return Known();
  const json& user = member_of(status, "user");
  Identity identity{.user = text_of(user, "username"), .groups = {}, .uid = text_of(user, "uid")};
  if (identity.user.empty()) return Error("the TokenReview names no user");
  if (const json& groups = member_of(user, "groups"); !groups.is_null()) {
    if (!groups.is_array()) return Error("the groups of the TokenReview are not a list");
    for (const json& group : groups) {
      if (!group.is_string()) return Error("a group of the TokenReview is not text");
      identity.groups.push_back(group.get<std::string>());
    }
  }
  if (const json& extra = member_of(user, "extra"); extra.is_object()) identity.extra = extra;
  return Known(std::move(identity));
}

Access::Access(const ApiServer& cluster, bool certificates, const AccessPools& pools, Metrics& metrics)
    : cluster_(cluster), certificates_(certificates), pools_(pools), metrics_(metrics) {}

asio::awaitable<Access::TokenVerdict> Access::review_token(WorkPool& pool_if_known, std::string_view token,
                                                           WorkPool::Clock::time_point latest) {
  const auto question = [&cluster = cluster_, token = std::string(token)] {
    using Kept = AnswerCache<TokenVerdict>::Kept;
    const auto answer = cluster.send(
        "POST", "/apis/authentication.k8s.io/v1/tokenreviews", "application/json",
        {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenReview"}, {"spec", {{"token", token}}}});
    if (!answer || answer->status / 100 != 2) return Kept{{.failed = true}, kFailureValid, std::nullopt};
    auto identity = reviewed_identity(answer->body);
    if (!identity) return Kept{{.failed = true}, kFailureValid, std::nullopt};
    const bool known = identity->has_value();
    return Kept{{.identity = *std::move(identity)}, kValid, known};
  };
  const std::string key = digest(token);
  WorkPool& pool = tokens_.was_positive(key) ? pool_if_known : pools_.strangers;
  co_return co_await tokens_.ask(pool, key, question, TokenVerdict{.failed = true}, latest);
}

asio::awaitable<Access::AccessVerdict> Access::review_access(WorkPool& pool, const Identity& identity,
                                                             const Question& asked) {
  std::string verb(asked.method == "HEAD" ? "GET" : asked.method);
  std::ranges::transform(verb, verb.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  json spec = {{"user", identity.user},
               {"groups", identity.groups},
               {"nonResourceAttributes", {{"path", asked.path}, {"verb", verb}}}};
  if (!identity.uid.empty()) spec["uid"] = identity.uid;
  if (!identity.extra.empty()) spec["extra"] = identity.extra;
  const auto question = [&cluster = cluster_, spec] {
    using Kept = AnswerCache<AccessVerdict>::Kept;
    const auto answer =
        cluster.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "application/json",
                     {{"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SubjectAccessReview"}, {"spec", spec}});
    if (!answer || answer->status / 100 != 2) return Kept{AccessVerdict::kFailed, kFailureValid};
    const bool allowed = member_of(member_of(answer->body, "status"), "allowed") == true;
    return Kept{allowed ? AccessVerdict::kAllowed : AccessVerdict::kDenied, kValid, allowed};
  };
  co_return co_await accesses_.ask(pool, digest(spec.dump()), question, AccessVerdict::kFailed, asked.deadline);
}

asio::awaitable<Decision> Access::judge(Question question) {
  if (question.caller == service::Caller::kAnyone) co_return Decision{};
  if (!cluster_.configured() && !certificates_) co_return Decision{};

  WorkPool& pool = question.caller == service::Caller::kNode ? pools_.nodes : pools_.clients;
  std::optional<Identity> identity;
  if (question.certificate) {
    identity = Identity{question.certificate->user, question.certificate->groups};
  } else if (const std::string_view token = bearer_token(question.authorization);
             !token.empty() && cluster_.configured()) {
    TokenVerdict verdict = co_await review_token(pool, token, question.deadline);
    metrics_.reviewed("token", verdict.failed ? "failed" : verdict.identity ? "allowed" : "denied");
    if (verdict.failed) co_return Decision{503, "the cluster could not be asked who is calling"};
    identity = std::move(verdict.identity);
  }
  if (!identity) co_return Decision{401, "the request has no credential that is accepted"};
  if (question.caller == service::Caller::kNode && !is_node(identity->user, question.node))
    co_return Decision{403, "only the node itself reports its result", identity->user};
  if (cluster_.configured()) {
    const AccessVerdict verdict = co_await review_access(pool, *identity, question);
    metrics_.reviewed("access", verdict == AccessVerdict::kFailed    ? "failed"
                                : verdict == AccessVerdict::kAllowed ? "allowed"
                                                                     : "denied");
    if (verdict == AccessVerdict::kFailed)
      co_return Decision{503, "the cluster could not be asked what the caller may do", identity->user};
    if (verdict == AccessVerdict::kDenied) co_return Decision{403, "the caller may not use this route", identity->user};
  }
  co_return Decision{.user = identity->user};
}

}  // namespace sunup::server
