// One request and its response on an open connection.
#pragma once

#include "base/result.h"
#include "fleet/sources/connection.h"
#include "fleet/sources/http_client.h"

namespace sunup::fleet {

struct ConnectionUse {
  bool keep = false;      // before: ask the server to keep the connection; after: it may be used again
  bool answered = false;  // after: a byte of the response has arrived
};

// HttpAnswer::chain_pem stays empty.
Result<HttpAnswer> exchange(Connection& connection, const HttpUrl& url, const HttpOptions& options,
                            const HttpSending& sending, Clock::time_point deadline, ConnectionUse& use);

}  // namespace sunup::fleet
