// Properties of every edit of a file that other programs write as well: it is idempotent, and lines of others are
// preserved.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <string>
#include <vector>

#include "render/node/kernel_modules.h"
#include "render/node/kubelet_unit.h"
#include "render/node/network_files.h"
#include "render/node/node_labels.h"
#include "render/node/proxy.h"
#include "render/node/sshd_config.h"
#include "render/node/swap.h"

namespace sunup::render::node {
namespace {

using Edit = std::function<std::string(const std::string&)>;

std::vector<std::pair<const char*, Edit>> edits() {
  Configuration config;
  config.mutable_http_proxy_config()->set_http_proxy("http://p");
  return {
      {"environment", [config](const std::string& text) { return environment_with_proxy(text, config); }},
      {"fstab", [](const std::string& text) { return fstab_with_swap(text, "/swapfile"); }},
      {"sshd_config", [](const std::string& text) { return without_pubkey_auth(text); }},
      {"modprobe.d", [](const std::string& text) { return without_deny_rules(text); }},
      {"networkd.conf", [](const std::string& text) { return with_dhcp_domains(text, true); }},
      {"unit", [](const std::string& text) { return without_dependency(text, "network-online.target"); }},
  };
}

// Texts composed of lines that the edits look for and of other lines.
rc::Gen<std::string> texts() {
  const auto line = rc::gen::elementOf(std::vector<std::string>{
      "", "# comment", "PATH=/bin", "http_proxy=old", "export HTTP_PROXY=old", "/swapfile none swap sw 0 0",
      "/dev/sda1 / ext4 defaults 0 1", "Match User a", "PubkeyAuthentication yes", "Port 22", "blacklist esp4",
      "install rxrpc /bin/false", "options x y", "[DHCPv4]", "[Network]", "#UseDomains=no",
      "After=network-online.target a.service", "Wants=network-online.target"});
  return rc::gen::map(rc::gen::pair(rc::gen::container<std::vector<std::string>>(line), rc::gen::arbitrary<bool>()),
                      [](const std::pair<std::vector<std::string>, bool>& lines) {
                        std::string text;
                        for (const auto& one : lines.first) text += one + "\n";
                        if (lines.second && !text.empty()) text.pop_back();
                        return text;
                      });
}

TEST(Edits, DoneTwiceAreDoneOnce) {
  for (const auto& [name, edit] : edits()) {
    EXPECT_TRUE(rc::check(name, [&edit] {
      const std::string once = edit(*texts());
      RC_ASSERT(edit(once) == once);
    })) << name;
  }
}

TEST(Edits, NoEditLosesALineThatIsNotItsOwn) {
  for (const auto& [name, edit] : edits()) {
    EXPECT_TRUE(rc::check(name, [&edit] {
      const std::string text = *texts();
      const std::string after = edit(text);
      for (const std::string& kept : std::vector<std::string>{"# comment", "PATH=/bin", "/dev/sda1 / ext4 defaults 0 1",
                                                              "Port 22", "options x y"}) {
        const auto count = [&kept](const std::string& in) {
          size_t found = 0;
          for (size_t at = in.find(kept); at != std::string::npos; at = in.find(kept, at + 1)) ++found;
          return found;
        };
        RC_ASSERT(count(after) == count(text));
      }
    })) << name;
  }
}

TEST(Edits, ALabelAddedAndTakenAwayLeavesTheList) {
  EXPECT_TRUE(rc::check("labels", [] {
    const auto items = *rc::gen::container<std::vector<std::string>>(
        rc::gen::elementOf(std::vector<std::string>{"a=1", "b=2", "ab=1"}));
    std::string list;
    for (const auto& item : items) list += (list.empty() ? "" : ",") + item;
    RC_ASSERT(without_label(with_label(list, "new=1"), "new=1") == list);
    RC_ASSERT(with_label(with_label(list, "a=1"), "a=1") == with_label(list, "a=1"));
  }));
}

}  // namespace
}  // namespace sunup::render::node
