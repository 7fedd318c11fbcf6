#include "report/redactor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/base64.h"

namespace sunup::report {
namespace {

Redactor hiding(std::initializer_list<std::string_view> values) {
  Redactor redactor;
  for (const auto value : values) redactor.hide(value);
  return redactor;
}

TEST(Redactor, TakesOutEveryOccurrence) {
  EXPECT_EQ(hiding({"hunter22"}).redact("a hunter22 b hunter22hunter22."), "a [redacted] b [redacted][redacted].");
}

TEST(Redactor, PrefersTheLongerValue) {
  EXPECT_EQ(hiding({"abcdef", "abcdefgh"}).redact("abcdefgh abcdefg"), "[redacted] [redacted]g");
}

TEST(Redactor, LeavesShortValuesAlone) {
  EXPECT_EQ(hiding({"true"}).redact("is true"), "is true");
}

TEST(Redactor, HidesAValueAsUrlsWriteIt) {
  const Redactor redactor = hiding({"Pa55/w+rd=x, ü"});
  for (const char* text : {"Pa55%2Fw%2Brd%3Dx%2C%20%C3%BC", "Pa55%2fw%2brd%3dx%2c%20%c3%bc",
                           "Pa55/w%2Brd%3Dx%2C%20%C3%BC", "Pa55/w+rd=x,%20%C3%BC"})
    EXPECT_EQ(redactor.redact(std::string("?a=") + text + "&b"), "?a=[redacted]&b");
}

TEST(Redactor, HidesOnlyTheUserOfAUrl) {
  const Redactor redactor = hiding({"http://joe:s3cr%40t!x@proxy.example:3128/"});
  EXPECT_EQ(redactor.redact("export HTTP_PROXY=http://joe:s3cr%40t!x@proxy.example:3128/"),
            "export HTTP_PROXY=http://[redacted]@proxy.example:3128/");
  EXPECT_EQ(redactor.redact("password s3cr%40t!x or decoded s3cr@t!x"), "password [redacted] or decoded [redacted]");
  EXPECT_TRUE(hiding({"http://proxy.example:3128/"}).empty());
}

TEST(Redactor, HidesAllOfAPasswordThatOnlyLooksLikeAUrl) {
  EXPECT_EQ(hiding({"s3://9Zqabc"}).redact("a s3://9Zqabc b"), "a [redacted] b");
  EXPECT_EQ(hiding({"abc://u:p@9Zq?x"}).redact("a abc://u:p@9Zq?x b"), "a [redacted] b");
}

TEST(Redactor, HidesThePartsOfAUrlOfAnyKind) {
  for (const std::string scheme : {"socks", "ftp", "git+https", "amqp"}) {
    const Redactor redactor = hiding({scheme + "://joe:s3cr3t!x@proxy:1080/?token=0123456789"});
    EXPECT_EQ(redactor.redact("to " + scheme + "://joe:s3cr3t!x@proxy:1080"),
              "to " + scheme + "://[redacted]@proxy:1080");
    EXPECT_EQ(redactor.redact("s3cr3t!x token=0123456789"), "[redacted] [redacted]");
  }
}

TEST(Redactor, HidesTheSignatureOfAUrl) {
  const Redactor redactor = hiding({"https://x.blob.example/a.tgz?sv=2024-11-04&sig=abcDEF%2Bghi012345%3D#top"});
  EXPECT_EQ(redactor.redact("curl https://x.blob.example/a.tgz?sv=2024-11-04&sig=abcDEF%2Bghi012345%3D"),
            "curl https://x.blob.example/a.tgz?[redacted]");
  EXPECT_EQ(redactor.redact("sv=2024-11-04 sig=abcDEF%2Bghi012345%3D abcDEF+ghi012345="),
            "sv=2024-11-04 sig=[redacted] [redacted]");
  EXPECT_TRUE(hiding({"https://x.example/?", "https://x.example/?a"}).empty());
}

TEST(Redactor, FindsADecodedKey) {
  EXPECT_EQ(hiding({base64_encode("-----BEGIN KEY-----\nMIIEabcdef\n")}).redact("MIIEabcdef"), "[redacted]");
}

TEST(Redactor, FindsAValueInsideEncodedText) {
  const std::string value = "correct-horse-battery";
  const Redactor redactor = hiding({value});
  for (const std::string before : {"", "x", "xy", "xyz"}) {
    const std::string encoded = redactor.redact(base64_encode(before + value + "tail"));
    EXPECT_NE(encoded.find("[redacted]"), std::string::npos) << before;
    EXPECT_LT(encoded.size() - Redactor::kMark.size(), 16u) << "little may be left around it: " << encoded;
  }
}

TEST(Redactor, FindsAValueAsJsonAndShellsWriteIt) {
  const Redactor redactor = hiding({"it's \"<here>\""});
  EXPECT_EQ(redactor.redact(R"({"a":"it's \"<here>\""})"), R"({"a":"[redacted]"})");
  EXPECT_EQ(redactor.redact(R"({"a":"it's \"\u003chere\u003e\""})"), R"({"a":"[redacted]"})");
  EXPECT_EQ(redactor.redact(R"(+ X='it'\''s "<here>"')"), "+ X='[redacted]'");
}

TEST(Redactor, FindsTheLinesOfAKey) {
  const Redactor redactor = hiding({"-----BEGIN KEY-----\nMIIEabcdef\nghijklmnop==\n-----END KEY-----\n"});
  EXPECT_EQ(redactor.redact("ghijklmnop==\nMIIEabcdef"), "[redacted]\n[redacted]");
}

TEST(RedactedStream, HoldsBackOnlyAPossibleStart) {
  const Redactor redactor = hiding({"hunter22"});
  RedactedStream stream(redactor);
  EXPECT_EQ(stream.feed("progress: 50%"), "progress: 50%");
  EXPECT_EQ(stream.feed(" hunt"), " ");
  EXPECT_EQ(stream.feed("ing\n"), "hunting\n");
  EXPECT_EQ(stream.feed("hunter"), "");
  EXPECT_EQ(stream.feed("22 h"), "[redacted] ");
  EXPECT_EQ(stream.finish(), "h");
}

TEST(RedactedStream, PassesEverythingThroughIfNothingIsHidden) {
  const Redactor redactor;
  RedactedStream stream(redactor);
  EXPECT_EQ(stream.feed(std::string_view("\xff\0a", 3)), std::string_view("\xff\0a", 3));
  EXPECT_EQ(stream.finish(), "");
}

RC_GTEST_PROP(RedactedStream, GivesTheSameInPiecesAsInOne, ()) {
  // A small alphabet, so that values and their beginnings occur in the text all the time.
  const auto word = [](size_t shortest, size_t longest) {
    return rc::gen::resize(static_cast<int>(longest),
                           rc::gen::suchThat(rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n')),
                                             [=](const std::string& s) { return s.size() >= shortest; }));
  };
  const auto values = *rc::gen::resize(3, rc::gen::container<std::vector<std::string>>(word(6, 9)));
  const auto pieces = *rc::gen::container<std::vector<std::string>>(word(0, 12));
  Redactor redactor;
  for (const auto& value : values) redactor.hide(value);
  RedactedStream stream(redactor);
  std::string whole;
  std::string streamed;
  for (const auto& piece : pieces) {
    whole += piece;
    streamed += stream.feed(piece);
  }
  streamed += stream.finish();
  RC_ASSERT(streamed == redactor.redact(whole));
}

}  // namespace
}  // namespace sunup::report
