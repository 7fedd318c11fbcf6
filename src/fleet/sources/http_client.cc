#include "fleet/sources/http_client.h"

#include <algorithm>

#include "fleet/sources/connection.h"
#include "fleet/sources/http_exchange.h"

namespace sunup::fleet {

Result<HttpAnswer> HttpClient::send(const HttpUrl& url, const HttpSending& sending) const {
  const Clock::time_point own = Clock::now() + options_.timeout;
  auto answer = send_by(url, sending, std::min(own, options_.deadline));
  if (answer || answer.error().os_errno != kOutOfTime || own >= options_.deadline) return answer;
  Error silent = std::move(answer).error();
  silent.os_errno = 0;
  return silent;
}

Result<HttpAnswer> HttpClient::send_by(const HttpUrl& url, const HttpSending& sending,
                                       Clock::time_point deadline) const {
  auto connection = Connection::open(url, options_, deadline);
  if (!connection) return std::move(connection).error();
  ConnectionUse once;
  auto answer = exchange(*connection, url, options_, sending, deadline, once);
  if (answer) answer->chain_pem = connection->peer_chain_pem();
  return answer;
}

}  // namespace sunup::fleet
