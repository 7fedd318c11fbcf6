#include "results_flags.h"

#include "base/input.h"

namespace sunup {

void ResultsFlags::add_to(CLI::App& verb) {
  // An empty value is usually an unset variable.
  const auto not_empty = [](const std::string& text) { return std::string(text.empty() ? "is empty" : ""); };
  auto* address =
      verb.add_option("--results-url", url,
                      "https address of the service (`sunup serve`) to which a node sends its result; part of the "
                      "custom data")
          ->check(not_empty);
  verb.add_option("--results-ca", ca_file,
                  "PEM file with the CA of its certificate; default: the certificates that the image trusts")
      ->needs(address)
      ->check(not_empty);
}

Result<std::optional<render::ResultService>> ResultsFlags::read() const {
  if (url.empty()) return std::optional<render::ResultService>();
  std::string ca;
  if (!ca_file.empty()) {
    auto bytes = sunup::read_input(ca_file, render::kLongestResultServiceCa);
    if (!bytes) return std::move(bytes).error().in("--results-ca");
    if (bytes->empty()) return Error("--results-ca: " + input_name(ca_file) + " is empty");
    ca = *std::move(bytes);
  }
  auto service = render::make_result_service(url, ca);
  if (!service) return std::move(service).error().in("--results-url");
  return std::optional(*std::move(service));
}

}  // namespace sunup
