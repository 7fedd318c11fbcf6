#include "fetch/artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace sunup::fetch {
namespace {

using testing::ElementsAre;

const std::string kOne(64, '1');
const std::string kTwo(64, '2');
const std::string kThree(64, '3');

TEST(Reference, NamesHostRepositoryAndTagOrDigest) {
  const auto tag = parse_reference("r.azurecr.io:5000/aks/packages/kubernetes/kubelet:v1.34.1-rc1");
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->host, "r.azurecr.io:5000");
  EXPECT_EQ(tag->repository, "aks/packages/kubernetes/kubelet");
  EXPECT_EQ(tag->tag, "v1.34.1-rc1");
  EXPECT_EQ(tag->url(), "https://r.azurecr.io:5000/v2/aks/packages/kubernetes/kubelet");
  const auto digest = parse_reference("r.io/a@sha256:" + kOne);
  ASSERT_TRUE(digest);
  EXPECT_EQ(digest->tag, "sha256:" + kOne);
  EXPECT_EQ(digest->text(), "r.io/a@sha256:" + kOne);
  EXPECT_TRUE(parse_reference("localhost:5000/a:b")->url().starts_with("http://"));
}

TEST(Reference, WhatIsNoneIsRefused) {
  for (const char* bad : {"", "kubelet", "r.io/", "r.io/a", "/a:b", "r.io/a:", "r.io/../a:b", "r.io/a b:c",
                          "r.io/a@sha256:12", "r.io/a:b?c=d", "r.io/a:b/c", "r io/a:b"})
    EXPECT_FALSE(parse_reference(bad)) << bad;
}

TEST(Manifest, ListsFilesWithTheirNames) {
  const auto manifest = parse_manifest(R"({"schemaVersion":2,"config":{},"layers":[{"digest":"sha256:)" + kOne +
                                           R"(","size":5,"annotations":{"org.opencontainers.image.title":"a.deb"}},)" +
                                           R"({"digest":"sha256:)" + kTwo + R"(","size":7}]})",
                                       {});
  ASSERT_TRUE(manifest);
  ASSERT_EQ(manifest->layers.size(), 2U);
  EXPECT_EQ(manifest->layers[0].sha256, kOne);
  EXPECT_EQ(manifest->layers[0].size, 5U);
  EXPECT_EQ(manifest->layers[0].title, "a.deb");
  EXPECT_EQ(manifest->layers[1].title, "");
}

TEST(Manifest, AnIndexGivesThePlatformsOwnElseOneForAnySystem) {
  const auto entry = [](const std::string& digest, const std::string& arch, const std::string& version) {
    return R"({"digest":"sha256:)" + digest + R"(","platform":{"os":"linux","architecture":")" + arch + "\"" +
           (version.empty() ? "" : R"(,"os.version":")" + version + "\"") + "}}";
  };
  const std::string index = R"({"manifests":[)" + entry(kOne, "amd64", "ubuntu 20.04") + "," +
                            entry(kTwo, "amd64", "ubuntu 22.04") + "," + entry(kThree, "arm64", "") + "]}";
  EXPECT_EQ(parse_manifest(index, {"amd64", "ubuntu 22.04"})->next, "sha256:" + kTwo);
  EXPECT_EQ(parse_manifest(index, {"arm64", "ubuntu 22.04"})->next, "sha256:" + kThree);
  EXPECT_EQ(parse_manifest(index, {"amd64", "azurelinux 3.0"}).error().os_errno, ENODATA);
}

TEST(Manifest, WhatIsNoneIsRefused) {
  for (const char* bad :
       {"", "[]", "{}", "<html>", R"({"layers":[]})", R"({"layers":[{"digest":"md5:1","size":1}]})",
        R"({"layers":[{"digest":"sha256:12","size":1}]})", R"({"layers":[7]})", R"({"manifests":[7]})"})
    EXPECT_FALSE(parse_manifest(bad, {"amd64", ""})) << bad;
  EXPECT_FALSE(parse_manifest(R"({"layers":[{"digest":"sha256:)" + kOne + R"(","size":-1}]})", {}));
}

TEST(Manifest, OnlyADigestLeadsOn) {
  const auto index = [](const std::string& digest) {
    return R"({"manifests":[{"digest":")" + digest + R"(","platform":{"architecture":"amd64"}}]})";
  };
  EXPECT_TRUE(parse_manifest(index("sha256:" + kOne), {"amd64"}));
  for (const char* digest : {"sha256:", "sha256:../../x", "sha256:1 HTTP/1.1\\r\\n", "md5:1"})
    EXPECT_FALSE(parse_manifest(index(digest), {"amd64"})) << digest;
}

TEST(Token, FitsIntoAHeader) {
  EXPECT_EQ(*parse_token(R"({"access_token":"eyJ.a-b_c~+/="})"), "eyJ.a-b_c~+/=");
  for (const char* token : {"a\\r\\nHost: x", "a b", "\\u0000", "\\u00e9", ""})
    EXPECT_FALSE(parse_token(std::string(R"({"token":")") + token + R"("})")) << token;
}

TEST(Challenge, SaysWhereToGetATokenAndForWhat) {
  const auto challenge =
      parse_challenge(R"(Bearer realm="https://r.io/oauth2/token",service="r.io",scope="repository:a/b:pull,push")");
  ASSERT_TRUE(challenge);
  EXPECT_EQ(token_url(*challenge), "https://r.io/oauth2/token?service=r.io&scope=repository%3Aa%2Fb%3Apull%2Cpush");
  EXPECT_FALSE(parse_challenge("Basic realm=\"x\""));
  EXPECT_FALSE(parse_challenge("Bearer service=\"x\""));
  EXPECT_FALSE(parse_challenge(""));
  EXPECT_EQ(*parse_token(R"({"token":"a"})"), "a");
  EXPECT_EQ(*parse_token(R"({"access_token":"b","token":"a"})"), "b");
  EXPECT_FALSE(parse_token(R"({"token":7})"));
}

TEST(Tags, AreOnlyThoseThatCanBePartOfAUrl) {
  EXPECT_THAT(*parse_tags(R"({"tags":["v1.0_a-b","a b","../x","a\r\n"]})"), ElementsAre("v1.0_a-b"));
}

TEST(Tags, AreAListThatMayGoOn) {
  EXPECT_THAT(*parse_tags(R"({"name":"a","tags":["v1","v2",3]})"), ElementsAre("v1", "v2"));
  EXPECT_TRUE(parse_tags(R"({"name":"a","tags":null})")->empty());
  EXPECT_FALSE(parse_tags("oops"));
  EXPECT_EQ(next_page(R"(</v2/a/tags/list?last=v2&n=2>; rel="next")"), "/v2/a/tags/list?last=v2&n=2");
  EXPECT_EQ(next_page(""), "");
}

}  // namespace
}  // namespace sunup::fetch
