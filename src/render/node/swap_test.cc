#include "render/node/swap.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration of_mb(int size) {
  Configuration config;
  config.mutable_custom_linux_os_config()->set_enable_swap_config(true);
  config.mutable_custom_linux_os_config()->set_swap_file_size(size);
  return config;
}

TEST(WantsSwap, NeedsTheSwitchAndASize) {
  EXPECT_TRUE(wants_swap(of_mb(1)));
  EXPECT_FALSE(wants_swap(of_mb(0)));
  EXPECT_FALSE(wants_swap(of_mb(-1)));
  Configuration off = of_mb(1);
  off.mutable_custom_linux_os_config()->set_enable_swap_config(false);
  EXPECT_FALSE(wants_swap(off));
}

TEST(ChooseSwapFile, PrefersATemporaryDiskWithRoom) {
  EXPECT_EQ(*choose_swap_file(of_mb(1500), {"/mnt", 1'500'001, 9'000'000}), (SwapFile{"/mnt/swapfile", 1'500'000}));
  EXPECT_EQ(choose_swap_file(of_mb(1500), {"/mnt", 1'500'000, 9'000'000})->path, "/swapfile");
  EXPECT_EQ(choose_swap_file(of_mb(1500), {"/mnt", std::nullopt, 9'000'000})->path, "/swapfile");
  EXPECT_EQ(choose_swap_file(of_mb(1500), {std::nullopt, 9'000'000, 9'000'000})->path, "/swapfile");
}

TEST(ChooseSwapFile, WithoutRoomItIsAnErrorWithItsExitCode) {
  EXPECT_EQ(choose_swap_file(of_mb(1500), {std::nullopt, std::nullopt, 1'500'000}).error().code, 131);
  EXPECT_EQ(choose_swap_file(of_mb(1500), {}).error().code, 131);
}

TEST(Fstab, DuplicatesBecomeOneEntryAtTheEnd) {
  EXPECT_EQ(
      fstab_with_swap("/dev/sda1 / ext4 defaults 0 1\n/swapfile none swap sw 0 0\n  /swapfile\tx\n/swapfile2 none swap",
                      "/swapfile"),
      "/dev/sda1 / ext4 defaults 0 1\n/swapfile2 none swap\n/swapfile none swap noauto,nofail 0 0\n");
}

TEST(Fstab, EditingTwiceChangesNothingMore) {
  const std::string once = fstab_with_swap("# fstab\n\n", "/mnt/swapfile");
  EXPECT_EQ(once, "# fstab\n\n/mnt/swapfile none swap noauto,nofail 0 0\n");
  EXPECT_EQ(fstab_with_swap(once, "/mnt/swapfile"), once);
}

TEST(SwapFiles, TheFstabKeepsItsMode) {
  NodeFacts facts;
  facts.modes["/etc/fstab"] = 0640;
  EXPECT_EQ(swap_files({"/swapfile", 1}, facts)[0].mode, 0640U);
  EXPECT_EQ(swap_files({"/swapfile", 1}, {})[0].mode, 0644U);
}

TEST(SwapFiles, TheUnitWaitsForTheDiskAndComesBeforeKubelet) {
  const NodeFiles files = swap_files({"/mnt/swapfile", 1}, {});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[2].path, "/etc/systemd/system/aks-swapfile.service");
  EXPECT_EQ(files[2].content,
            "[Unit]\nDescription=Swap file of this node's config\nAfter=local-fs.target\nBefore=kubelet.service\n"
            "RequiresMountsFor=\"/mnt\"\nConditionPathExists=/mnt/swapfile\n\n[Service]\nType=oneshot\n"
            "RemainAfterExit=yes\nExecStart=/opt/azure/containers/aks-swapfile.sh\n\n[Install]\nWantedBy=multi-user.target\n");
  EXPECT_NE(swap_files({"/swapfile", 1}, {})[2].content.find("RequiresMountsFor=\"/\"\n"), std::string::npos);
}

TEST(SwapFiles, TheScriptTurnsItOnUnlessItIsOn) {
  const NodeFile script = swap_files({"/mnt/a b's/swapfile", 1}, {})[1];
  EXPECT_EQ(script.path, "/opt/azure/containers/aks-swapfile.sh");
  EXPECT_EQ(script.mode, 0755U);
  EXPECT_EQ(script.content,
            "#!/bin/sh\n# Turns this node's swap file on, unless it is on already.\nwhile read -r file rest; do\n"
            "  [ \"$file\" = '/mnt/a\\040b'\\''s/swapfile' ] && exit 0\ndone </proc/swaps\n"
            "exec swapon '/mnt/a b'\\''s/swapfile'\n");
}

TEST(ActiveSwap, IsTheVeryFile) {
  constexpr std::string_view kSwaps =
      "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/mnt/swapfile                           file\t\t1000\t0\t-2\n";
  EXPECT_TRUE(is_active_swap(kSwaps, "/mnt/swapfile"));
  EXPECT_FALSE(is_active_swap(kSwaps, "/swapfile"));
  EXPECT_FALSE(is_active_swap("", "/swapfile"));
}

}  // namespace
}  // namespace sunup::render::node
