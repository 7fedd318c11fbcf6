#include "fleet/image_source.h"

#include "contract/input.h"
#include "fleet/http_client.h"
#include "fleet/url.h"

namespace sunup::fleet {

Result<std::shared_ptr<const ImageVersions>> open_image_versions(const std::string& file_or_url) {
  if (file_or_url.empty())
    return std::shared_ptr<const ImageVersions>(&recorded_image_versions(), [](const ImageVersions*) {});
  std::string text;
  if (const auto url = parse_url(file_or_url)) {
    HttpClient client({.timeout = std::chrono::seconds(30)});
    auto answer = client.get(*url);
    if (!answer) return std::move(answer).error().in("image versions");
    if (answer->status != 200)
      return Error("image versions: " + file_or_url + " answered " + std::to_string(answer->status));
    text = std::move(answer->body);
  } else {
    auto read = contract::read_input(file_or_url);
    if (!read) return std::move(read).error();
    text = *std::move(read);
  }
  auto parsed = parse_image_versions(text, file_or_url);
  if (!parsed) return std::move(parsed).error();
  return std::shared_ptr<const ImageVersions>(*std::move(parsed));
}

}  // namespace sunup::fleet
