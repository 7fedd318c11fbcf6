// The server's TLS: certificate, key and the CA of clients, read from files and read again when they change.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/options.h"

namespace sunup::server {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

// An Error names the file; it contains nothing of the key.
Result<TlsContext> load_tls(const TlsFiles& files);

// An inotify descriptor that becomes readable when a file in the directories of these files changes: a Secret that is
// mounted into a pod changes by a rename beside the file's own name.
Result<int> watch_files(const TlsFiles& files);

// Who a client certificate is issued to, as Kubernetes reads it: CN is the user, each O is a group.
struct CertificateOwner {
  std::string user;
  std::vector<std::string> groups;
};
CertificateOwner owner_of(X509* certificate);

}  // namespace sunup::server
