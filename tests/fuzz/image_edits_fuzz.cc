// The files of an image that provisioning edits, with any content: an edit of its own result changes nothing, and lines
// that it does not own stay.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "base/text.h"
#include "guest/identity.h"
#include "render/node/facts.h"
#include "render/node/kernel_modules.h"
#include "render/node/motd.h"
#include "render/node/network_files.h"
#include "render/node/proxy.h"
#include "render/node/sshd_config.h"
#include "render/node/swap.h"
#include "render/node/upgrades.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  using namespace sunup::render::node;
  const std::string text(reinterpret_cast<const char*>(data), size);
  aksnodeconfig::v1::Configuration config;
  config.mutable_http_proxy_config()->set_http_proxy("http://proxy.example.com:3128");
  config.mutable_http_proxy_config()->set_https_proxy("http://proxy.example.com:3128");

  const std::function<std::string(std::string_view)> edits[] = {
      [](std::string_view before) { return without_pubkey_auth(before); },
      [](std::string_view before) { return fstab_with_swap(before, "/swapfile"); },
      [](std::string_view before) { return with_dhcp_domains(before, true); },
      [&](std::string_view before) { return environment_with_proxy(before, config); },
      [](std::string_view before) { return without_deny_rules(before); },
      [](std::string_view before) { return without_motd_emitter(before); },
      [](std::string_view before) { return guest::hosts_with(before, "node-1.example.com"); },
  };
  for (const auto& edit : edits) {
    const std::string once = edit(text);
    require(edit(once) == once, "an edit of its own result changes nothing");
    require(once.size() <= text.size() + 4096, "an edit adds little");
  }
  // A comment that no edit owns.
  const std::string_view kept = "# kept by every edit";
  const std::string with_comment = std::string(kept) + "\n" + text;
  for (const auto& edit : edits) require(edit(with_comment).find(kept) != std::string::npos, "a foreign line is kept");
  (void)is_active_swap(text, "/swapfile");
  return 0;
}
