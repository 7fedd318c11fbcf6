// The page for people: one document that includes its style and its script, and uses only the routes of this API. Its
// parts are the files of src/service/page, which the build embeds into the program.
#include "base/base64.h"
#include "base/digest.h"
#include "service/routes.h"

// The linker's names of the parts. NOLINTBEGIN(readability-identifier-naming)
#define SUNUP_PART(name)                                                                                           \
  __asm__(".section .rodata.sunup_page_" #name ",\"a\",@progbits\n.global sunup_page_" #name                       \
          "\n.global sunup_page_" #name "_end\nsunup_page_" #name ":\n.incbin \"" SUNUP_PAGE_FOLDER "/page." #name \
          "\"\nsunup_page_" #name "_end:\n.byte 0\n.previous\n");                                                  \
  extern "C" const char sunup_page_##name[];                                                                       \
  extern "C" const char sunup_page_##name##_end[]
SUNUP_PART(html);
SUNUP_PART(css);
SUNUP_PART(js);
// NOLINTEND(readability-identifier-naming)

namespace sunup::service {
namespace {

// The hash with which the policy of the page allows one text.
std::string hash_of(std::string_view text) {
  return "'sha256-" + base64_encode(Digest(Digest::Kind::kSha256).add(text).bytes()) + "'";
}

void put(std::string& page, std::string_view mark, std::string_view text) {
  const size_t at = page.find(mark);
  page.replace(at, mark.size(), text);
}

// Allows only the scripts, styles and connections of this document and this server. Trusted types prevent text from
// being parsed as markup.
std::string make() {
  const std::string_view style(sunup_page_css, sunup_page_css_end);
  const std::string_view script(sunup_page_js, sunup_page_js_end);
  std::string page(sunup_page_html, sunup_page_html_end);
  put(page, "{policy}",
      "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; style-src " +
          hash_of(style) + "; script-src " + hash_of(script) +
          "; require-trusted-types-for 'script'; trusted-types 'none'");
  put(page, "{style}", style);
  put(page, "{script}", script);
  return page;
}

ApiResponse page(const ApiRequest&) {
  static const std::string text = make();
  // The header has the directives that a policy inside a document cannot have.
  return {.content_type = "text/html; charset=utf-8",
          .body = text,
          .headers = {{"Content-Security-Policy", "frame-ancestors 'none'"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}}};
}

}  // namespace

std::vector<Route> page_routes() {
  return {
      {.method = "GET",
       .path = "/",
       .summary = "A page for people that uses this API",
       .caller = Caller::kAnyone,
       .request = {},
       .replies = {{200, "The page.", {R"({"type":"string"})", "text/html"}}},
       .handler = page},
  };
}

}  // namespace sunup::service
