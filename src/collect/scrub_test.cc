#include "collect/scrub.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <ctime>

#include "base/base64.h"
#include "collect/journal_text.h"

namespace sunup::collect {
namespace {

TEST(Journal, ALineThatIsNestedWithoutEndIsDropped) {
  const std::string deep = std::string(300'000, '[') + "1" + std::string(300'000, ']');
  EXPECT_EQ(readable_journal("{\"a\":" + deep + "}\n{\"MESSAGE\":[104,105]}\n"), "{\"MESSAGE\":\"hi\"}\n");
}

TEST(Scrub, TakesOutWhatLooksLikeACredential) {
  EXPECT_EQ(scrub("token abcdef.0123456789abcdef."), "token [redacted].") << "the end of a sentence";
  EXPECT_EQ(scrub("\"a\\nabcdef.0123456789abcdef\""), "\"a\\n[redacted]\"") << "a line of quoted text";
  EXPECT_EQ(scrub("token=abcdef.0123456789abcdef, next"), "token=[redacted], next");
  EXPECT_EQ(scrub("Authorization: Bearer abc.def-123 x"), "Authorization: Bearer [redacted] x");
  EXPECT_EQ(scrub("curl -H 'Authorization: Basic dTpw' x"), "curl -H 'Authorization: Basic [redacted]' x");
  EXPECT_EQ(scrub("{\"Proxy-Authorization\":\"abcd\"}"), "{\"Proxy-Authorization\":\"[redacted]\"}");
  EXPECT_EQ(scrub("-u basic dXNlcjpwYXNzd29yZA== x"), "-u basic [redacted] x");
  EXPECT_EQ(scrub("https://a.blob/x?sv=1&sig=ab%2Fcd%3D&se=2"), "https://a.blob/x?sv=1&sig=[redacted]&se=2");
  EXPECT_EQ(scrub("http://user:pass@proxy:3128/"), "http://user:[redacted]@proxy:3128/");
  EXPECT_EQ(scrub("k: -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest"),
            "k: [redacted]\nrest");
  EXPECT_EQ(scrub("private_key=\"-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\"\nrest"),
            "private_key=\"[redacted]\"\nrest");
  EXPECT_EQ(scrub("x eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl y"), "x [redacted] y");
}

TEST(Scrub, TakesOutWhatAProgramsFlagSays) {
  EXPECT_EQ(scrub("curl -u user:Hunter22 https://x"), "curl -u user:[redacted] https://x");
  EXPECT_EQ(scrub("curl -sS --user 'u:a b' x"), "curl -sS --user 'u:[redacted] b' x");
  EXPECT_EQ(scrub(R"(argv ["curl","-u","u:pw","x"])"), R"(argv ["curl","-u","u:[redacted]","x"])");
  EXPECT_EQ(scrub("az login --service-principal -u id -p Hunter22 --tenant t"),
            "az login --service-principal -u id -p [redacted] --tenant t");
  EXPECT_EQ(scrub(R"({"MESSAGE":"az login -p \"Hunter22\" x"})"), R"({"MESSAGE":"az login -p \"[redacted]\" x"})");
  EXPECT_EQ(scrub(R"(["docker","login","-p","Hunter22"])"), R"(["docker","login","-p","[redacted]"])");
  EXPECT_EQ(scrub("a\\naz login -p x9\\nb"), "a\\naz login -p [redacted]\\nb");
}

TEST(Scrub, TakesOutCookiesAndTokensWithAName) {
  EXPECT_EQ(scrub("< Set-Cookie: session=abc; Path=/\r\nx"), "< Set-Cookie: [redacted]\r\nx");
  EXPECT_EQ(scrub("curl -H 'Cookie: a=b; c=d' x"), "curl -H 'Cookie: [redacted]' x");
  EXPECT_EQ(scrub(R"({"Set-Cookie":["a=b; Path=/"],"x":1})"), R"({"Set-Cookie":["[redacted]"],"x":1})");
  EXPECT_EQ(scrub(R"({"m":"Set-Cookie: a=b\nnext"})"), R"({"m":"Set-Cookie: [redacted]\nnext"})");
  EXPECT_EQ(scrub(R"({"m":"Cookie: a=\"b\"; c=d"})"), R"({"m":"Cookie: [redacted]"})");
  EXPECT_EQ(scrub(R"({"m":"curl -H \"Cookie: a=b\" x"})"), R"({"m":"curl -H \"Cookie: [redacted]\" x"})");
  EXPECT_EQ(scrub("git https ghp_0123456789abcdefghijklmnopqrstuvwxyz."), "git https [redacted].");
  EXPECT_EQ(scrub("  client-key-data: UExBTlRFRGNsaWVudGtleWRhdGE=\nx"), "  client-key-data: [redacted]\nx");
  EXPECT_EQ(scrub(R"("clientKeyData": "UExB",)"), R"("clientKeyData": "[redacted]",)");
}

TEST(Scrub, TakesOutWhatIsCalledACredential) {
  EXPECT_EQ(scrub("client_secret=a,b;c&grant_type=x"), "client_secret=[redacted]&grant_type=x");
  EXPECT_EQ(scrub("AccountName=n;AccountKey=ab/c+d==;EndpointSuffix=core"),
            "AccountName=n;AccountKey=[redacted];EndpointSuffix=core");
  EXPECT_EQ(scrub(R"({"accessToken": "abc", "expiresIn": "1"})"), R"({"accessToken": "[redacted]", "expiresIn": "1"})");
  EXPECT_EQ(scrub(R"({"e":"got {\"accessToken\":\"a\\\"bc\",\"x\":1}"})"),
            R"({"e":"got {\"accessToken\":\"[redacted]\",\"x\":1}"})");
  EXPECT_EQ(scrub("      password = \"p w\"\n      auth = 'dTpw'\n"),
            "      password = \"[redacted]\"\n      auth = '[redacted]'\n");
  EXPECT_EQ(scrub("password: swordfish\nnext"), "password: [redacted]\nnext");
  EXPECT_EQ(scrub("kubeadm join --token x1y2 --v 5"), "kubeadm join --token [redacted] --v 5");
  EXPECT_EQ(scrub("+ TLS_BOOTSTRAP_TOKEN=a.b"), "+ TLS_BOOTSTRAP_TOKEN=[redacted]");
  EXPECT_EQ(scrub("<AdminPassword>x</AdminPassword>"), "<AdminPassword>[redacted]</AdminPassword>");
  EXPECT_EQ(scrub("a\\nDB_PASSWORD=x\\nb"), "a\\nDB_PASSWORD=[redacted]\\nb") << "inside of quoted text";
  EXPECT_EQ(scrub("service_principal_secret: 'x'"), "service_principal_secret: '[redacted]'");
  EXPECT_EQ(scrub("CUSTOM_ENV_JSON=abc"), "CUSTOM_ENV_JSON=[redacted]") << "a secret variable of the contract";
  EXPECT_EQ(scrub("\"custom_kube_binary_url\": \"https://a.b/c.tgz?sig=d\""),
            "\"custom_kube_binary_url\": \"https://a.b/c.tgz?[redacted]\"")
      << "where it leads is worth knowing";
  EXPECT_EQ(scrub("http_proxy_password=SOCKS5://me:pw@proxy:1080"),
            "http_proxy_password=SOCKS5://[redacted]@proxy:1080");
  EXPECT_EQ(scrub("password=s3://9Zq CLIENT_SECRET='abc://u:p@x?y'"), "password=[redacted] CLIENT_SECRET='[redacted]'")
      << "a password that no proxy or endpoint begins like";
}

TEST(Scrub, LooksIntoBase64) {
  const std::string key = base64_encode("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA\n-----END EC PRIVATE KEY-----\n");
  EXPECT_EQ(scrub("client-key-data: " + key + "\nx"), "client-key-data: [redacted]\nx");
  EXPECT_EQ(scrub("x\\n" + key + " y"), "x\\n[redacted] y");
  const std::string config = base64_encode(R"({"version":"v1","auth":{"client_secret":"hunter2"}})");
  EXPECT_EQ(scrub("content: " + config), "content: [redacted]");
  std::string wrapped =
      base64_encode("a long story and then DB_PASSWORD=hunter2 and how it went on from there, line by line\n");
  wrapped.insert(76, "\n");
  EXPECT_EQ(scrub("<" + wrapped + ">"), "<[redacted]>");
  std::string lines = base64_encode("DB_PASSWORD=hunter2 " + std::string(3 * 57 - 20, '.'));
  for (size_t at = 76; at < lines.size(); at += 77) lines.insert(at, "\n");
  EXPECT_EQ(scrub(lines + "\npassword=Hunter2"), "[redacted]\npassword=[redacted]");
  EXPECT_EQ(scrub(lines + "\npassword: Hunter2"), "[redacted]\npassword: [redacted]");
  EXPECT_EQ(scrub(lines + "\nd29yZHM=\nx"), "[redacted]\nx") << "its last line";
  const std::string harmless =
      base64_encode("-----BEGIN CERTIFICATE-----\nMIIC4jCCAcqgAwIBAgIBADANBgkqhkiG9w0BAQsFADAVM\n");
  EXPECT_EQ(scrub("ca: " + harmless), "ca: " + harmless);
}

TEST(Scrub, LeavesLogsAlone) {
  for (const char* text : {"Starting kubelet.service - Kubelet...",
                           "v1.20.2 sha256:0123456789abcdef",
                           "10.224.0.1:443",
                           "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
                           "bearer of bad news",
                           "a basic understanding",
                           "getting the token: connection refused by it",
                           "err=\"token: dial tcp 10.0.0.1:443: refused\"",
                           "abcdef.0123456789abcdef.example.com",
                           "PWD=/root HOME=/root",
                           "APISERVER_PUBLIC_KEY=ab",
                           "mkdir -p /opt/azure && ssh -p 2222 host",
                           "journalctl -u kubelet.service",
                           "docker run -u 1000:1000 x",
                           "the cookie: not found",
                           "systemd-logind.service -p MainPID",
                           "weighp_0123456789abcdefghijklmnop",
                           "automountServiceAccountToken: true",
                           "\"password\": \"\"",
                           "--tls-private-key-file=/etc/kubernetes/x.key",
                           "E1115 23:50:36.9 1 event.go:2] \"x\" key=\"kube-system/pod\"",
                           "/var/lib/kubelet/pods/0123456789/volumes/kubernetes/x"})
    EXPECT_EQ(scrub(text), text);
}

TEST(Scrub, HidesAllOfASecretsUrlOfAKindThatItDoesNotKnow) {
  EXPECT_EQ(scrub("auth=amqp://TOKEN12345abc@host/x"), "auth=[redacted]");
  EXPECT_EQ(scrub("key=oci://h.io/x?t=abcdefgh"), "key=[redacted]");
  EXPECT_EQ(scrub("token: gs://b/x?d=efgh is used"), "token: [redacted] is used");
}

// What makes a scanner look far ahead, repeated: four times the text takes about four times as long. If the time grew
// with the square of the length, it would be sixteen times.
TEST(Scrub, TimeGrowsWithTheLengthWhateverTheTextIs) {
  const auto seconds = [](std::string_view piece, size_t length) {
    std::string text;
    while (text.size() < length) text += piece;
    const std::clock_t before = std::clock();
    (void)scrub(text);
    return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  };
  const std::string harmless(76, 'V');
  std::string nested = "nothing to hide here, only words\n";
  for (int i = 0; i < 6; ++i) {
    nested = base64_encode(nested + nested + nested);
    for (size_t at = 76; at < nested.size(); at += 77) nested.insert(at, "\n");
  }
  for (const std::string& piece :
       {std::string("eyJ"), std::string("xghp_"), std::string("token:https://"), std::string("cookie:"),
        std::string("key:/"), std::string("-u,"), std::string("password=\\"), std::string("\\"), std::string("://a:"),
        std::string("-----BEGIN PRIVATE KEY"), std::string("-----BEGIN "), std::string("sig="), std::string("a="),
        std::string("login -p "), std::string("password=\""), std::string("password='\\\""), harmless + "\n", harmless,
        nested})
    EXPECT_LT(seconds(piece, 128 << 10), 8 * std::max(seconds(piece, 32 << 10), 0.02)) << piece.substr(0, 40);
}

// In any context and any notation.
RC_GTEST_PROP(Scrub, ValueOfASecretNameIsNowhereInTheOutput, ()) {
  const auto text_of = [](const char* what) {
    return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string(what))));
  };
  const auto around = [] {
    const auto words = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a word ", "\n", "x=1 ", "key: not found\n", "{\"a\":1} ", "10.0.0.1:443 ",
                                      "token ", "https://h/p?x=1 ", "\\n", ";"));
    std::string text;
    for (const std::string& word : words) text += word;
    return text;
  };
  const std::string secret = "s3" + text_of("abcXYZ019+/_%,;&=.:@!~*") + "9Zq";
  const auto name =
      *rc::gen::element<std::string>("password", "CLIENT_SECRET", "accessToken", "db-passwd", "AccountKey",
                                     "tls_bootstrapping_token", "SERVICE_PRINCIPAL_FILE_CONTENT");
  const auto shape = *rc::gen::element<std::string>("N=V", "N = \"V\"", "N='V'", "\"N\": \"V\"", "\\\"N\\\":\\\"V\\\"",
                                                    "N: V\n", "--N V", "<N>V</N>", "'N': 'V'");
  std::string written = shape;
  written.replace(written.find('V'), 1, secret);
  written.replace(written.find('N'), 1, name);
  if (const size_t again = written.find("/N>"); again != std::string::npos) written.replace(again + 1, 1, name);
  const std::string shown = scrub(around() + "\n" + written + " " + around());
  RC_ASSERT(shown.find(secret) == std::string::npos);
  RC_ASSERT(shown.find(name) != std::string::npos);
}

}  // namespace
}  // namespace sunup::collect
