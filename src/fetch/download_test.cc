#include "fetch/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fetch/registry.h"
#include "fetch/test_server.h"
#include "host/sim/machine.h"

namespace sunup::fetch {
namespace {

using namespace std::chrono_literals;
using host::HttpReply;
using host::HttpRequest;
using host::sim::EndOfRun;
using host::sim::Machine;
using host::sim::World;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kUrl[] = "https://files.example/a.tar.gz?sig=s3cret";
constexpr char kTo[] = "/opt/downloads/a.tar.gz";
constexpr char kPart[] = "/opt/downloads/a.tar.gz.part";

struct Downloads : testing::Test {
  World world{3};
  std::vector<std::string> notes;
  std::vector<std::string> asked;  // the requested ranges
  const std::string body = std::string(20 << 20, 'b') + "end";

  Downloads() {
    world.on_operation = [this](host::TimePoint, std::string_view what, const std::string& on) {
      if (what == "GET") asked.push_back(on);
    };
  }

  template <class T>
  Result<T> run(Machine& machine, host::Task<Result<T>> task) {
    std::optional<Result<T>> result;
    EXPECT_EQ(machine.loop().run(std::move(task), &result), EndOfRun::kDone);
    return std::move(*result);
  }
  Outside outside(Machine& machine) {
    return {.host = machine.host(), .note = [this](std::string text) { notes.push_back(std::move(text)); }};
  }
  Result<void> fetch(Download what = {}) {
    Machine machine(world);
    if (what.url.empty()) what.url = kUrl;
    what.to = kTo;
    return run(machine, download(outside(machine), std::move(what)));
  }
  std::string content(const char* path) const {
    const auto found = world.disk.find(path);
    return found == world.disk.end() ? "" : found->second.content;
  }
};

TEST_F(Downloads, ArriveWholeUnderTheirNameWithProgress) {
  world.endpoints[kUrl].answer = test_server::serve(body);
  ASSERT_TRUE(fetch());
  EXPECT_EQ(content(kTo), body);
  EXPECT_EQ(content(kPart), "");
  EXPECT_THAT(notes, Contains(HasSubstr("20.0 MiB to come")));
  EXPECT_THAT(notes, Contains(HasSubstr("25 %")));
}

TEST_F(Downloads, ABreakIsTakenUpWhereItBroke) {
  world.endpoints[kUrl].answer = test_server::serve(body);
  world.endpoints[kUrl].cuts = 2;
  ASSERT_TRUE(fetch());
  EXPECT_EQ(content(kTo), body);
  EXPECT_EQ(asked.size(), 3U);
  EXPECT_THAT(notes, Contains(HasSubstr("resuming after 10.0 MiB")));
}

TEST_F(Downloads, AFileThatChangedMeanwhileStartsOverInsteadOfBeingMixed) {
  int answers = 0;
  const std::string other = std::string(10 << 20, 'o');
  world.endpoints[kUrl] = {.cuts = 1, .answer = [&](const HttpRequest& request) {
                             return ++answers == 1 ? test_server::file(request, body, "\"1\"")
                                                   : test_server::file(request, other, "\"2\"");
                           }};
  ASSERT_TRUE(fetch());
  EXPECT_EQ(content(kTo), other);
}

TEST_F(Downloads, WithoutAWordOnWhetherItIsTheSameABreakIsAnErrorThatLeavesNothing) {
  world.endpoints[kUrl].answer = test_server::serve(body, "");
  world.endpoints[kUrl].cuts = 1;
  const auto failed = fetch();
  ASSERT_FALSE(failed);
  EXPECT_TRUE(worth_retrying(failed.error()));
  EXPECT_EQ(content(kPart), "");
  EXPECT_FALSE(world.disk.contains(kTo));
}

TEST_F(Downloads, AKnownDigestLetsTheNextAttemptGoOn) {
  world.endpoints[kUrl].answer = test_server::serve(body, "");
  {
    Machine machine(world);
    ASSERT_TRUE(machine.host().files.write(kPart, body.substr(0, 100)));
  }
  ASSERT_TRUE(fetch({.sha256 = sha256_hex(body), .size = body.size()}));
  EXPECT_EQ(content(kTo), body);
  asked.clear();
  ASSERT_TRUE(fetch({.sha256 = sha256_hex(body)}));  // the file exists
  EXPECT_THAT(asked, IsEmpty());
}

TEST_F(Downloads, AWrongDigestSizeOrChecksumIsRefusedAndLeavesNothing) {
  world.endpoints[kUrl].answer = test_server::serve(body);
  const auto digest = fetch({.sha256 = std::string(64, '0')});
  EXPECT_THAT(digest.error().what, HasSubstr("SHA-256"));
  EXPECT_THAT(fetch({.sha256 = sha256_hex(body), .size = 7}).error().what, HasSubstr("bytes instead of 7"));
  world.endpoints[kUrl] = {.body = body, .headers = {{"Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="}}};
  EXPECT_THAT(fetch().error().what, HasSubstr("MD5"));
  world.endpoints[kUrl] = {.body = ""};
  EXPECT_THAT(fetch().error().what, HasSubstr("empty"));
  EXPECT_FALSE(world.disk.contains(kTo));
  EXPECT_FALSE(world.disk.contains(kPart));
}

TEST_F(Downloads, LeftoversOfAnotherFileDoNotSurviveTheDigest) {
  world.endpoints[kUrl].answer = test_server::serve(body);
  {
    Machine machine(world);
    ASSERT_TRUE(machine.host().files.write(kPart, "torn by a power cut"));
  }
  EXPECT_FALSE(fetch({.sha256 = sha256_hex(body)}));
  EXPECT_TRUE(fetch({.sha256 = sha256_hex(body)}));
  EXPECT_EQ(content(kTo), body);
}

TEST_F(Downloads, WhatIsNotThereIsSaidAtOnceAndWithoutTheSignature) {
  world.endpoints[kUrl] = {.body = "no such file", .status = 404};
  const auto missing = fetch();
  EXPECT_EQ(missing.error().what, "GET https://files.example/a.tar.gz: HTTP status 404");
  EXPECT_FALSE(worth_retrying(missing.error()));
  world.endpoints[kUrl].status = 503;
  EXPECT_TRUE(worth_retrying(fetch().error()));
}

TEST_F(Downloads, AFullDiskIsAnErrorThatGivesTheRoomBack) {
  world.endpoints[kUrl].answer = test_server::serve(body);
  world.faults.file_errors = 100;
  world.faults.errors = {ENOSPC};
  const auto full = fetch({.sha256 = sha256_hex(body)});
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().os_errno, ENOSPC);
  world.faults = {};
  ASSERT_TRUE(fetch({.sha256 = sha256_hex(body)}));
  EXPECT_EQ(content(kTo), body);
}

TEST_F(Downloads, MoreThanTheLimitIsCutOff) {
  world.endpoints[kUrl].answer = test_server::serve(body);
  EXPECT_FALSE(fetch({.at_most = 1000}));
  EXPECT_FALSE(world.disk.contains(kPart));
}

TEST_F(Downloads, RedirectsAreFollowedButNotOutOfTlsNorForEver) {
  world.endpoints[kUrl] = {.status = 302, .headers = {{"Location", "/b"}}};
  world.endpoints["https://files.example/b"] = {.status = 301, .headers = {{"location", "https://cdn.example/c"}}};
  world.endpoints["https://cdn.example/c"] = {.body = "here"};
  ASSERT_TRUE(fetch());
  EXPECT_EQ(content(kTo), "here");
  world.endpoints["https://cdn.example/c"] = {.status = 302, .headers = {{"Location", "http://cdn.example/c"}}};
  EXPECT_THAT(fetch().error().what, HasSubstr("not https"));
  world.endpoints["https://cdn.example/c"] = {.status = 302, .headers = {{"Location", "/c"}}};
  EXPECT_THAT(fetch().error().what, HasSubstr("redirects"));
}

TEST_F(Downloads, EverySeedOfCrashesAndPowerCutsEndsWithTheWholeFile) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    World each(seed);
    const std::string small = "some bytes that matter";
    each.endpoints[kUrl].answer = test_server::serve(small);
    bool done = false;
    for (int life = 0; !done; ++life) {
      ASSERT_LT(life, 50);
      each.faults = {};
      if (life < 3) each.faults = {.file_errors = 10, .crash_at = 1 + each.random.below(12), .cut_power = life == 1};
      each.endpoints[kUrl].cuts = static_cast<int>(each.random.below(2));
      bool cut = false;
      {
        Machine machine(each);
        Download what{.url = kUrl, .to = kTo, .sha256 = sha256_hex(small), .durable = true};
        std::optional<Result<void>> result;
        Outside way{.host = machine.host()};
        cut = machine.loop().run(download(std::move(way), std::move(what)), &result) == EndOfRun::kCrashed &&
              each.faults.cut_power;
        done = result && result->ok();
      }
      if (cut) each.power_cut();
      // Durable: a file with this name is complete.
      const auto found = each.disk.find(kTo);
      ASSERT_TRUE(found == each.disk.end() || found->second.content == small) << seed;
    }
    ASSERT_EQ(each.disk[kTo].content, small) << seed;
  }
}

struct Registries : Downloads {
  test_server::Registry<World> server{world, "r.io"};
  const std::string program = std::string(1000, 'k');

  Result<void> pull(std::string reference, Secret login = Secret()) {
    Machine machine(world);
    const auto work = [](Outside way, std::string what, Secret token) -> host::Task<Result<void>> {
      Registry registry(std::move(way), *parse_reference(what), std::move(token));
      Platform platform;
      platform.architecture = "amd64";
      platform.os_version = "ubuntu 22.04";
      auto files = co_await registry.files(std::move(platform));
      if (!files) co_return std::move(files).error();
      co_return co_await registry.get(files->front(), kTo, false);
    };
    return run(machine, work(outside(machine), std::move(reference), std::move(login)));
  }
};

TEST_F(Registries, GiveAFileToWhoeverAsksForATokenFirst) {
  server.add("a/b", "v1", {{"kubelet", program}});
  const auto got = pull("r.io/a/b:v1");
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_EQ(content(kTo), program);
}

TEST_F(Registries, AnIndexLeadsToThePlatformsManifest) {
  server.add("a/b", "child", {{"kubelet", program}});
  const std::string child =
      server.at("/v2/a/b/manifests/child").answer(HttpRequest{.headers = {{"Authorization", "Bearer let-me-in"}}}).body;
  server.add_manifest("a/b", "v1",
                      R"({"manifests":[{"digest":"sha256:)" + sha256_hex(child) +
                          R"(","platform":{"os":"linux","architecture":"amd64","os.version":"ubuntu 22.04"}}]})");
  const auto got = pull("r.io/a/b:v1");
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_EQ(content(kTo), program);
}

TEST_F(Registries, AManifestOrFileThatIsNotWhatItsDigestSaysIsRefused) {
  server.add("a/b", "v1", {{"kubelet", program}});
  server.last_stored() = {.body = std::string(1000, 'x')};
  EXPECT_THAT(pull("r.io/a/b:v1").error().what, AllOf(HasSubstr("SHA-256"), Not(HasSubstr("secret-signature"))));
  server.last_stored() = {.body = std::string(999, 'k')};
  EXPECT_THAT(pull("r.io/a/b:v1").error().what, HasSubstr("received "));
  EXPECT_FALSE(world.disk.contains(kTo));
  auto honest = server.at("/v2/a/b/manifests/v1").answer;
  server.at("/v2/a/b/manifests/v1").answer = [honest](const HttpRequest& request) {
    HttpReply reply = honest(request);
    if (reply.status == 200) reply.body += " ";
    return reply;
  };
  EXPECT_THAT(pull("r.io/a/b:v1").error().what, HasSubstr("digest"));
}

TEST_F(Registries, ADownloadThatBreaksGoesOn) {
  server.add("a/b", "v1", {{"kubelet", program}});
  server.last_stored().cuts = 1;
  ASSERT_TRUE(pull("r.io/a/b:v1"));
  EXPECT_EQ(content(kTo), program);
}

TEST_F(Registries, WhoIsNotLetInIsToldSoAndWhatIsNotThereIsNotWorthARetry) {
  EXPECT_EQ(pull("r.io/a/b:v1").error().os_errno, ECONNREFUSED);
  server.at("/v2/a/b/manifests/v1") = {.status = 404};
  EXPECT_FALSE(worth_retrying(pull("r.io/a/b:v1").error()));
  server.at("/v2/a/b/manifests/v1") = {.status = 403};
  EXPECT_EQ(pull("r.io/a/b:v1").error().os_errno, EACCES);
}

TEST_F(Registries, ALoginIsExchangedForAToken) {
  server.add("a/b", "v1", {{"kubelet", program}});
  std::string said;
  world.endpoints["https://r.io/token"] = {.answer = [&](const HttpRequest& request) {
    said = request.method + " " + request.body;
    return HttpReply{.status = 200, .headers = {}, .body = R"({"access_token":"let-me-in"})"};
  }};
  const auto got = pull("r.io/a/b:v1", refresh_token(R"({"auths":{"r.io":{"identitytoken":"re+fresh"}}})", "r.io"));
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_EQ(said,
            "POST grant_type=refresh_token&service=r%2Eio&scope=repository%3Aall%3Apull&refresh_token=re%2Bfresh");
  EXPECT_EQ(refresh_token(R"({"auths":{"r.io":{"auth":"dTp0b2tlbg=="}}})", "r.io").reveal(), "token");
  EXPECT_TRUE(refresh_token("nonsense", "r.io").empty());
}

TEST_F(Registries, TagsComeInPages) {
  server.add_tags("a/b", R"({"tags":["v1"]})");
  auto first = server.at("/v2/a/b/tags/list").answer;
  server.at("/v2/a/b/tags/list").answer = [first](const HttpRequest& request) {
    HttpReply reply = first(request);
    if (reply.status == 200) reply.headers.emplace_back("Link", R"(</v2/a/b/tags/list?last=v1>; rel="next")");
    return reply;
  };
  world.endpoints["https://r.io/v2/a/b/tags/list?last=v1"] = {.body = R"({"tags":["v2"]})"};
  Machine machine(world);
  Registry registry(outside(machine), *parse_reference("r.io/a/b:v1"));
  EXPECT_THAT(*run(machine, registry.tags()), ElementsAre("v1", "v2"));
}

// The response of a registry does not determine which host gets a credential.
TEST_F(Registries, TokenStaysWithTheRegistryWhereverItsPagesContinue) {
  std::vector<std::string> seen;
  for (const char* elsewhere : {"https://evil.example/v2/a/b/tags/list", "http://r.io/v2/a/b/tags/list",
                                "https://r.io@evil.example/v2/a/b/tags/list", "https://r.io:444/v2/a/b/tags/list"}) {
    server.add_tags("a/b", R"({"tags":["v1"]})");
    auto first = server.at("/v2/a/b/tags/list").answer;
    server.at("/v2/a/b/tags/list").answer = [first, elsewhere](const HttpRequest& request) {
      HttpReply reply = first(request);
      if (reply.status == 200) reply.headers.emplace_back("Link", fmt::format("<{}>; rel=\"next\"", elsewhere));
      return reply;
    };
    world.endpoints[elsewhere] = {.answer = [&seen](const HttpRequest& request) {
      seen.push_back(test_server::header(request, "Authorization"));
      return HttpReply{.status = 200, .headers = {}, .body = R"({"tags":["v2"]})"};
    }};
    Machine machine(world);
    Registry registry(outside(machine), *parse_reference("r.io/a/b:v1"));
    const auto tags = run(machine, registry.tags());
    EXPECT_FALSE(tags) << elsewhere;
  }
  EXPECT_THAT(seen, IsEmpty());
}

TEST_F(Registries, LoginGoesToTheRegistryAlone) {
  bool asked_elsewhere = false;
  const auto elsewhere = [&](const HttpRequest&) {
    asked_elsewhere = true;
    return HttpReply{.status = 200, .headers = {}, .body = R"({"access_token":"let-me-in"})"};
  };
  world.endpoints["https://evil.example/token"] = {.answer = elsewhere};
  server.at("/v2/a/b/manifests/v1").answer = [](const HttpRequest&) {
    return HttpReply{.status = 401,
                     .headers = {{"WWW-Authenticate", R"(Bearer realm="https://evil.example/token",service="r.io")"}},
                     .body = ""};
  };
  EXPECT_THAT(pull("r.io/a/b:v1", Secret("re+fresh")).error().what, HasSubstr("evil.example"));
  EXPECT_FALSE(asked_elsewhere);
  // A redirect does not do so either.
  server.add("a/b", "v1", {{"kubelet", program}});
  world.endpoints["https://r.io/token"] = {.status = 307, .headers = {{"Location", "https://evil.example/token"}}};
  EXPECT_THAT(pull("r.io/a/b:v1", Secret("re+fresh")).error().what, HasSubstr("evil.example"));
  EXPECT_FALSE(asked_elsewhere);
}

}  // namespace
}  // namespace sunup::fetch
