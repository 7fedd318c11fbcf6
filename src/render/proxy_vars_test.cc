#include "render/proxy_vars.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

TEST(ProxyVars, ExportOnlyWhatIsThere) {
  aksnodeconfig::v1::HttpProxyConfig proxy;
  EXPECT_EQ(proxy_vars(proxy), "");
  proxy.set_http_proxy("http://p:1/");
  EXPECT_EQ(proxy_vars(proxy), R"(export http_proxy="http://p:1/";)");
  proxy.add_no_proxy_entries("a");
  proxy.add_no_proxy_entries("b");
  proxy.set_https_proxy("https://p:2/");
  EXPECT_EQ(proxy_vars(proxy),
            R"(export NO_PROXY="a,b"; export HTTPS_PROXY="https://p:2/"; export http_proxy="http://p:1/";)");
  proxy.clear_http_proxy();
  EXPECT_EQ(proxy_vars(proxy), R"(export NO_PROXY="a,b"; export HTTPS_PROXY="https://p:2/"; )") << "ends in a space";
}

}  // namespace
}  // namespace sunup::render
