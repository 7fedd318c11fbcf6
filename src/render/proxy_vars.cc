#include "render/proxy_vars.h"

#include "base/text.h"

namespace sunup::render {

std::string proxy_vars(const aksnodeconfig::v1::HttpProxyConfig& proxy) {
  std::string out;
  if (!proxy.no_proxy_entries().empty())
    out.append("export NO_PROXY=\"").append(joined(proxy.no_proxy_entries(), ",")).append("\"; ");
  if (!proxy.https_proxy().empty()) out.append("export HTTPS_PROXY=\"").append(proxy.https_proxy()).append("\"; ");
  if (!proxy.http_proxy().empty()) out.append("export http_proxy=\"").append(proxy.http_proxy()).append("\";");
  return out;
}

}  // namespace sunup::render
