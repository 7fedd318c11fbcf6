// The server's TLS: the certificate, the key and the CA of clients, read from files and reloaded when they change.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/options.h"

namespace sunup::server {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

// The error names the option, the file and the reason; it contains no part of the key.
Result<TlsContext> load_tls(const TlsFiles& files);

// An inotify descriptor that becomes readable when a file in the directories of these files changes. The directories
// are watched because a Secret that is mounted into a pod is updated by a rename of another file beside its own.
Result<int> watch_files(const TlsFiles& files);

// The owner of a client certificate, as Kubernetes interprets it: CN is the user, each O is a group.
struct CertificateOwner {
  std::string user;
  std::vector<std::string> groups;
};
CertificateOwner owner_of(X509* certificate);

}  // namespace sunup::server
