#include "contract/formats.h"

#include <gtest/gtest.h>

namespace sunup::contract {
namespace {

using Predicate = bool (*)(std::string_view);

void expect(Predicate holds, std::initializer_list<const char*> good, std::initializer_list<const char*> bad) {
  for (const char* text : good) EXPECT_TRUE(holds(text)) << text;
  for (const char* text : bad) EXPECT_FALSE(holds(text)) << text;
}

TEST(Formats, Quantities) {
  expect(is_quantity, {"0", "100m", "1638Mi", "1.5Gi", "2e3", "1E6", "5k", ".5", "-1", "1E"},
         {"", "m", "100MB", "1 Gi", "10%", "1e", "x", "1Kib", "0x1"});
}

TEST(Formats, QuantitiesOfMoreThanNothing) {
  expect(is_positive_quantity, {"1", "+1", "100m", "0.1", "10e0", "1E", "05Gi"},
         {"", "0", "0m", "0.0Gi", "0e5", "0E-5", "0E", "-1", "-0", "x1"});
}

TEST(Formats, Addresses) {
  expect(is_ip, {"10.0.0.10", "::1", "fd00::10"},
         {"", "10.0.0", "10.0.0.256", "10.0.0.10/24", "a", "[::1]", "010.0.0.1"});
}

TEST(Formats, HostNames) {
  expect(is_host_name, {"a", "mcr.microsoft.com", "a-b.c.", "1a.b", "MyCluster.hcp"},
         {"", ".", "-a", "a-", "a..b", "a_b", "a b", "a/b", "a:443", "https://a"});
  EXPECT_FALSE(is_host_name(std::string(64, 'a')));
  EXPECT_FALSE(is_host_name(std::string(254, 'a')));
}

TEST(Formats, Urls) {
  expect(is_http_url,
         {"http://a", "https://a.b:443/x?y#z", "HTTP://A", "http://user:p%40ss@10.1.2.3:8080", "http://[fd00::1]:3128/",
          "https://a?sig=x"},
         {"", "a", "a:8080", "http:/a", "http://", "http://:80", "ftp://a", "http://a b", "http://a:0",
          "http://a:65536", "http://a:x", "http://a\n", "http://[::1", "http://[::1]x", "http://a:"});
}

TEST(Formats, Guids) {
  expect(is_guid, {"72f988bf-0000-0000-0000-2d7cd011db47", "ABCDEF01-2345-6789-abcd-ef0123456789"},
         {"", "72f988bf", "72f988bf-0000-0000-0000-2d7cd011db4g", "72f988bf0-000-0000-0000-2d7cd011db47"});
}

TEST(Formats, Labels) {
  expect(is_label_key, {"agentpool", "kubernetes.azure.com/mode", "a_b.C-1"},
         {"", "/a", "a/", "a/b/c", "-a", "a-", "A.io/x", "a b", "a=b", "a,b"});
  expect(is_label_value, {"", "nodepool1", "a_b.C-1", "1"}, {"-a", "a.", "a b", "a/b", "a=b", "a,b", "\u00e9"});
  EXPECT_FALSE(is_label_key(std::string(64, 'a')));
  EXPECT_FALSE(is_label_value(std::string(64, 'a')));
}

TEST(Formats, Taints) {
  expect(is_taint, {"a=b:NoSchedule", "a:NoExecute", "a.io/b=:PreferNoSchedule"},
         {"", "a", "a=b", "a=b:", "a=b:noschedule", ":NoSchedule", "a b:NoSchedule"});
}

TEST(Formats, Images) {
  expect(is_image_reference,
         {"mcr.microsoft.com/oss/v2/kubernetes/pause:3.10.1", "a@sha256:00", "myregistry.azurecr.io"},
         {"", "https://a/b", "a b", "/a", "a\"b"});
}

TEST(Formats, EntriesBetweenCommas) {
  EXPECT_EQ(split_entries(",a=b,,c,"), (std::vector<std::string_view>{"a=b", "c"}));
  EXPECT_TRUE(split_entries(",").empty());
  EXPECT_TRUE(split_entries("").empty());
}

}  // namespace
}  // namespace sunup::contract
