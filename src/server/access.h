// Authentication and authorization of callers. A caller has a client certificate, or a bearer token that the cluster
// checks (TokenReview, which also accepts the bootstrap tokens of nodes); the cluster's RBAC decides whether the
// request is allowed (SubjectAccessReview of the path and the method).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/api_server.h"
#include "server/asking.h"
#include "server/metrics.h"
#include "server/tls.h"
#include "service/routes.h"

namespace sunup::server {

struct Identity {
  std::string user;
  std::vector<std::string> groups;
  // Of a TokenReview. An authorizer other than RBAC may need them; that of Azure identifies a user by extra.oid.
  std::string uid = {};
  nlohmann::json extra = nlohmann::json::object();
};

// The caller in the reply to a TokenReview; empty if the cluster does not accept the token. An Error: the reply cannot
// be understood.
Result<std::optional<Identity>> reviewed_identity(const nlohmann::json& review);

struct Question {
  service::Caller caller = service::Caller::kClient;
  std::string_view method;
  std::string_view path;
  std::string_view node = {};           // the node in the path of a route for nodes
  std::string_view authorization = {};  // the header field of that name
  std::optional<CertificateOwner> certificate = {};
  WorkPool::Clock::time_point deadline = WorkPool::Clock::time_point::max();
};

struct Decision {
  int status = 0;  // 0: allowed; otherwise 401, 403 or 503
  std::string why = {};
  std::string user = {};
};

// Three pools, so that a fleet that reports its results delays no client, and invented tokens delay no caller that the
// cluster knows. None of them records results.
struct AccessPools {
  WorkPool& clients;
  WorkPool& nodes;
  WorkPool& strangers;  // tokens that the cluster has not accepted lately
};

class Access {
 public:
  // Without a cluster, `certificates` alone decides; without both, every caller is allowed.
  Access(const ApiServer& cluster, bool certificates, const AccessPools& pools, Metrics& metrics);

  // The views of the question must stay valid until the decision is returned.
  asio::awaitable<Decision> judge(Question question);

 private:
  struct TokenVerdict {
    bool failed = false;  // the cluster could not be reached
    std::optional<Identity> identity = {};
  };
  enum class AccessVerdict { kFailed, kDenied, kAllowed };
  asio::awaitable<TokenVerdict> review_token(WorkPool& pool_if_known, std::string_view token,
                                             WorkPool::Clock::time_point latest);
  asio::awaitable<AccessVerdict> review_access(WorkPool& pool, const Identity& identity, const Question& question);

  const ApiServer& cluster_;
  const bool certificates_;
  const AccessPools pools_;
  Metrics& metrics_;
  AnswerCache<TokenVerdict> tokens_;
  AnswerCache<AccessVerdict> accesses_;
};

// The user of a bootstrap token. All nodes that have not joined may share one token.
bool is_bootstrap_user(std::string_view user);
// Whether the user is this node, or the user of a bootstrap token.
bool is_node(std::string_view user, std::string_view node);

}  // namespace sunup::server
