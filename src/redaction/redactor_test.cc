#include "redaction/redactor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/base64.h"

namespace sunup::redaction {
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

TEST(Redactor, HidesTheSecretPartOfABootstrapTokenAlone) {
  EXPECT_EQ(hiding({"abcdef.0123456789abcdef"}).redact("abcdef 0123456789abcdef"), "abcdef [redacted]");
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

TEST(Redactor, FindsAValueAsShellsPrintItForShells) {
  const Redactor redactor = hiding({"$it's \"here\" `\\ {1,2}!"});
  for (const char* text : {R"("\$it's \"here\" \`\\ {1,2}!")",        // declare -p, export -p
                           R"(\$it\'s\ \"here\"\ \`\\\ \{1\,2\}\!)",  // printf %q
                           R"($'$it\'s "here" `\\ {1,2}!')",          // text next to a control character
                           R"('$it'"'"'s "here" `\ {1,2}!')"})        // dash, Python
    EXPECT_EQ(redactor.redact(text).find("here"), std::string::npos) << text;
  EXPECT_EQ(hiding({"planted$tok$en-0123"}).redact(R"(declare -x T="planted\$tok\$en-0123")"),
            R"(declare -x T="[redacted]")");
}

TEST(Redactor, FindsAValueOfSeveralLinesAsBashPrintsIt) {
  const Redactor redactor = hiding({"it's\nm\u00fcch\t\x01"});
  EXPECT_EQ(redactor.redact("X=$'it\\'s\\nm\u00fcch\\t\\001'"), "X=$'[redacted]'");
  EXPECT_EQ(redactor.redact(R"(X=$'it\'s\nm\303\274ch\t\001')"), "X=$'[redacted]'") << "in the C locale";
}

// The output of `base64 -w WIDTH`.
std::string wrapped(std::string_view bytes, size_t width, std::string_view line_end = "\n") {
  const std::string text = base64_encode(bytes);
  std::string out;
  for (size_t at = 0; at < text.size(); at += width) out.append(text.substr(at, width)).append(line_end);
  return out;
}

// All text that can be read from base64 after parts of it were removed: each remaining part, decoded from every offset.
std::string all_that_can_be_read(std::string text) {
  for (const std::string_view gone : {"\r", "\n", "\\r", "\\n"})
    for (size_t at = text.find(gone); at != std::string::npos; at = text.find(gone, at)) text.erase(at, gone.size());
  std::string out;
  while (!text.empty()) {
    const std::string run = text.substr(0, text.find(Redactor::kMark));
    for (size_t skipped = 0; skipped < 4 && skipped < run.size(); ++skipped)
      out += base64_decode(run.substr(skipped, (run.size() - skipped) / 4 * 4)).value_or("") + "\n";
    text.erase(0, run.size() + Redactor::kMark.size());
  }
  return out;
}

TEST(Redactor, FindsAValueInWrappedBase64) {
  const std::string value = "correct-horse-battery";
  const Redactor redactor = hiding({value});
  for (const size_t width : {64u, 76u})
    for (const char* end : {"\n", "\r\n", "\\n"})
      for (size_t before = 0; before < 120; ++before) {
        const std::string text = wrapped(std::string(before, '.') + value + std::string(90, '.'), width, end);
        ASSERT_NE(all_that_can_be_read(text).find("horse"), std::string::npos);
        const std::string shown = redactor.redact(text);
        EXPECT_NE(shown.find(Redactor::kMark), std::string::npos) << width << " " << before;
        for (const char* part : {"corr", "horse", "tery"})
          EXPECT_EQ(all_that_can_be_read(shown).find(part), std::string::npos) << width << " " << before << "\n"
                                                                               << shown;
      }
}

TEST(Redactor, FindsAKeyOfManyWrappedLines) {
  std::string key;
  for (char c = 'a'; c <= 'z'; ++c) key += std::string(1, c) + "0123456789";
  for (const size_t width : {64u, 76u})
    EXPECT_LT(hiding({key}).redact("key:\n" + wrapped(key, width)).size(), 30u)
        << "nothing but the mark and the padding";
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

TEST(RedactedStream, HoldsBackALineEndOnlyInBase64) {
  const std::string value = "correct-horse-battery";
  const Redactor redactor = hiding({value});
  const std::string encoded = base64_encode(value);
  RedactedStream stream(redactor);
  EXPECT_EQ(stream.feed("step " + encoded.substr(0, 8) + "\n"), "step " + encoded.substr(0, 8) + "\n");
  const std::string line(68, 'x');
  EXPECT_EQ(stream.feed(line), line);
  EXPECT_EQ(stream.feed(encoded.substr(0, 8)), "");
  EXPECT_EQ(stream.feed("\n"), "") << "the line is as long as those that are wrapped";
  EXPECT_EQ(stream.feed(encoded.substr(8) + "\n"), "[redacted]\n");
  EXPECT_EQ(stream.feed(line + encoded.substr(0, 8) + "\n"), line);
  EXPECT_EQ(stream.feed("other\n"), encoded.substr(0, 8) + "\nother\n");
  EXPECT_EQ(stream.finish(), "");
}

TEST(RedactedStream, PassesEverythingThroughIfNothingIsHidden) {
  const Redactor redactor;
  RedactedStream stream(redactor);
  EXPECT_EQ(stream.feed(std::string_view("\xff\0a", 3)), std::string_view("\xff\0a", 3));
  EXPECT_EQ(stream.finish(), "");
}

RC_GTEST_PROP(RedactedStream, GivesTheSameInPiecesAsInOne, ()) {
  // A small alphabet, so that values and their prefixes occur often in the text.
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

RC_GTEST_PROP(RedactedStream, GivesTheSameOfWrappedBase64InPieces, ()) {
  const std::string value = "correct-horse's battery";
  const auto before = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto after = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto width = *rc::gen::element<size_t>(64, 76);
  const std::string text = "X=correct-horse\\'s\\ battery\n" + wrapped(before + value + after + value, width);
  const Redactor redactor = hiding({value});
  RedactedStream stream(redactor);
  std::string streamed;
  for (size_t at = 0; at < text.size();) {
    const auto size = *rc::gen::inRange<size_t>(1, 20);
    streamed += stream.feed(std::string_view(text).substr(at, size));
    at += size;
  }
  streamed += stream.finish();
  RC_ASSERT(streamed == redactor.redact(text));
  RC_ASSERT(streamed.find("horse") == std::string::npos);
  RC_ASSERT(all_that_can_be_read(streamed).find("horse") == std::string::npos);
}

TEST(RedactedJson, FindsWhatAShellQuotedInsideOfAString) {
  const Redactor redactor = hiding({"it's $planted"});
  EXPECT_EQ(redacted_json(redactor, R"({"Output":"+ X='it'\\''s $planted'\n"})"), R"({"Output":"+ X='[redacted]'\n"})");
  EXPECT_EQ(redacted_json(redactor, R"(["X=\"it's \\$planted\"", "it\\'s\\ \\$planted"])"),
            R"(["X=\"[redacted]\"", "[redacted]"])");
}

TEST(RedactedJson, FindsACharacterHoweverItIsSpelled) {
  const Redactor redactor = hiding({"planted/tok'en+\u00e9"});
  for (const char* text : {R"("planted\/tok\u0027en\u002B\u00e9")", R"("\u0070lanted/tok'en+\u00E9")"})
    EXPECT_EQ(redacted_json(redactor, text), R"("[redacted]")");
}

TEST(RedactedJson, KeepsWhatHoldsNothingAsItIsSpelled) {
  for (const char* text : {R"({"a\/b" :"\u0041\n", "c":[1,{}]} )", "no JSON \" at \\ all", "\"", "\"\\", ""})
    EXPECT_EQ(redacted_json(hiding({"it's $planted"}), text), text);
}

TEST(RedactedJson, FindsItInTextThatIsNoJson) {
  const Redactor redactor = hiding({"planted/token"});
  EXPECT_EQ(redacted_json(redactor, R"({"Output":"x planted\/token)"), R"({"Output":"x [redacted])");
  EXPECT_EQ(redacted_json(redactor, "planted/token \"a\nb planted/token\""), "[redacted] \"a\nb [redacted]\"");
}

}  // namespace
}  // namespace sunup::redaction
