// The documents of Azure's host (ovf-env.xml, instance metadata, goal state), and the reports that are sent back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "azure/goal_state.h"
#include "azure/instance.h"
#include "azure/names.h"
#include "azure/ovf_env.h"
#include "azure/provisioning_report.h"
#include "azure/xml.h"
#include "base/base64.h"
#include "base/utf8.h"

namespace sunup::azure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string ovf(const std::string& set, const std::string& platform = "") {
  return "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
         "<Environment xmlns=\"http://schemas.dmtf.org/ovf/environment/1\" "
         "xmlns:wa=\"http://schemas.microsoft.com/windowsazure\">"
         "<wa:ProvisioningSection><wa:Version>1.0</wa:Version><LinuxProvisioningConfigurationSet>" +
         set +
         "</LinuxProvisioningConfigurationSet></"
         "wa:ProvisioningSection><wa:PlatformSettingsSection><wa:PlatformSettings>" +
         platform + "</wa:PlatformSettings></wa:PlatformSettingsSection></Environment>";
}

TEST(Xml, RefusesWhatCouldGrowOrNestWithoutEnd) {
  const std::string bomb = "<!DOCTYPE a [<!ENTITY x \"yyyyyyyyyy\">]><a>&x;</a>";
  EXPECT_THAT(read_xml(bomb).error().what, HasSubstr("document type"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  EXPECT_THAT(read_xml(deep).error().what, HasSubstr("too deeply"));
  std::string many = "<a>";
  for (int i = 0; i < 5000; ++i) many += "<b/>";
  EXPECT_THAT(read_xml(many + "</a>").error().what, HasSubstr("too many"));
  EXPECT_FALSE(read_xml(std::string(kLargestXml + 1, ' ')));
  EXPECT_FALSE(read_xml("<a><b></a>"));
  EXPECT_FALSE(read_xml(""));
}

TEST(OvfEnv, ReadsWhoTheVmIsAndWhatWasSent) {
  const auto read = read_ovf_env(
      ovf("<wa:HostName>aks-pool1-vmss000000</wa:HostName><wa:UserName>azureuser</wa:UserName>"
          "<wa:UserPassword>not-for-disk</wa:UserPassword>"
          "<wa:DisableSshPasswordAuthentication>true</wa:DisableSshPasswordAuthentication>"
          "<wa:SSH><wa:PublicKeys><wa:PublicKey><wa:Path>/home/azureuser/.ssh/authorized_keys</wa:Path>"
          "<wa:Value>ssh-rsa AAAA me</wa:Value></wa:PublicKey></wa:PublicKeys></wa:SSH>"
          "<wa:CustomData> aGVs\n bG8= </wa:CustomData>",
          "<wa:ProvisionGuestAgent>true</wa:ProvisionGuestAgent><wa:PreprovisionedVm>false</wa:PreprovisionedVm>"));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->host_name, "aks-pool1-vmss000000");
  EXPECT_EQ(read->user_name, "azureuser");
  EXPECT_EQ(read->password.reveal(), "not-for-disk");
  EXPECT_EQ(read->password_login_disabled, true);
  EXPECT_THAT(read->public_keys, ElementsAre("ssh-rsa AAAA me"));
  EXPECT_EQ(read->custom_data, "hello");
  EXPECT_EQ(read->preprovisioned, "");
  const std::string copy = ovf_env_for_agent(*read);
  EXPECT_THAT(copy, Not(HasSubstr("not-for-disk")));
  EXPECT_THAT(copy, Not(HasSubstr("aGVs")));
  const auto again = read_ovf_env(copy);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->host_name, read->host_name);
  EXPECT_EQ(again->user_name, read->user_name);
  const auto whole = read_ovf_env(ovf_env_with_secrets(*read));
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_EQ(whole->password, read->password);
  EXPECT_EQ(whole->custom_data, read->custom_data);
  EXPECT_EQ(whole->public_keys, read->public_keys);
  EXPECT_EQ(whole->password_login_disabled, read->password_login_disabled);
}

TEST(OvfEnv, SaysWhetherAProxyAgentStandsBeforeThePlatform) {
  EXPECT_FALSE(read_ovf_env(ovf("<HostName>a</HostName>"))->guest_proxy_agent);
  const auto read =
      read_ovf_env(ovf("<HostName>a</HostName>", "<ProvisionGuestProxyAgent>true</ProvisionGuestProxyAgent>"));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->guest_proxy_agent);
  EXPECT_TRUE(read_ovf_env(ovf_env_with_secrets(*read))->guest_proxy_agent);
}

TEST(OvfEnv, RefusesWhatIsAmbiguousOrDangerous) {
  const std::pair<std::string, const char*> cases[] = {
      {ovf("<HostName>a</HostName><HostName>b</HostName>"), "two elements HostName"},
      {ovf(""), "host name"},
      {ovf("<HostName>a b</HostName>"), "host name"},
      {ovf("<HostName>-rf</HostName>"), "host name"},
      {ovf("<HostName>a</HostName><CustomData>!</CustomData>"), "not base64"},
      {ovf("<HostName>a</HostName>", "<ProvisionGuestAgent>maybe</ProvisionGuestAgent>"), "neither true nor false"},
      {"<Other/>", "not Environment"},
      {"<Environment/>", "no LinuxProvisioningConfigurationSet"},
      {ovf("<HostName>a</HostName>").substr(0, 200), "not valid XML"},
  };
  for (const auto& [document, why] : cases) {
    const auto read = read_ovf_env(document);
    ASSERT_FALSE(read) << document;
    EXPECT_THAT(read.error().what, HasSubstr(why));
  }
}

TEST(OvfEnv, TellsPreprovisionedVms) {
  EXPECT_EQ(read_ovf_env(ovf("<HostName>a</HostName>", "<PreprovisionedVm>true</PreprovisionedVm>"))->preprovisioned,
            "Running");
  EXPECT_EQ(read_ovf_env(ovf("<HostName>a</HostName>", "<PreprovisionedVMType>Savable</PreprovisionedVMType>"))
                ->preprovisioned,
            "Savable");
}

TEST(Preprovisioned, OnlyATypeMeansThatTheVmIs) {
  for (const char* none : {"", "None", "none", "NONE", "Unknown", "unknown", " None "}) {
    const std::string type = "<PreprovisionedVMType>" + std::string(none) + "</PreprovisionedVMType>";
    EXPECT_EQ(read_ovf_env(ovf("<HostName>a</HostName>", type))->preprovisioned, "") << none;
    EXPECT_EQ(
        read_ovf_env(ovf("<HostName>a</HostName>", type + "<PreprovisionedVm>true</PreprovisionedVm>"))->preprovisioned,
        "Running")
        << none;
    EXPECT_EQ(read_instance(R"({"extended":{"compute":{"ppsType":")" + std::string(none) + "\"}}}")->preprovisioned, "")
        << none;
  }
  EXPECT_EQ(read_instance(R"({"extended":{"compute":{"ppsType":"savable"}}})")->preprovisioned, "Savable");
  EXPECT_EQ(read_instance(R"({"extended":{"compute":{"ppsType":"NewKind"}}})")->preprovisioned, "NewKind");
}

TEST(Instance, ReadsTheIdentity) {
  const auto read = read_instance(R"({"compute":{"vmId":"AB12CD34-0000-0000-0000-000000000001","osProfile":{
      "computerName":"node-1","adminUsername":"me","disablePasswordAuthentication":"true"},
      "publicKeys":[{"keyData":"ssh-rsa AAAA\r\n","path":"x"}],"userData":"aGVsbG8="},
      "extended":{"compute":{"hasCustomData":true,"ppsType":"None"}}})");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->vm_id, "ab12cd34-0000-0000-0000-000000000001");
  EXPECT_EQ(read->computer_name, "node-1");
  EXPECT_EQ(read->admin_user, "me");
  EXPECT_EQ(read->password_login_disabled, true);
  EXPECT_EQ(read->user_data, "hello");
  EXPECT_EQ(read->has_custom_data, true);
  EXPECT_EQ(read->preprovisioned, "");
}

TEST(Instance, LiesAreErrors) {
  for (const char* lie : {"", "[]", "<html>", R"({"compute":{"vmId":7}})", R"({"compute":{"userData":"%%"}})",
                          R"({"compute":{"publicKeys":{}}})", R"({"compute":{"publicKeys":[{"keyData":1}]}})",
                          R"({"compute":{"osProfile":{"disablePasswordAuthentication":"perhaps"}}})"})
    EXPECT_FALSE(read_instance(lie)) << lie;
  EXPECT_TRUE(read_instance("{}")) << "a VM without an OS profile";
}

TEST(Instance, VmIdSwapsBytesOnGenerationOne) {
  EXPECT_EQ(vm_id_of("544CDFD0-CB4E-4B4A-9954-5BDF3ED5C3B8\n", true), "544cdfd0-cb4e-4b4a-9954-5bdf3ed5c3b8");
  EXPECT_EQ(vm_id_of("544CDFD0-CB4E-4B4A-9954-5BDF3ED5C3B8\n", false), "d0df4c54-4ecb-4a4b-9954-5bdf3ed5c3b8");
  EXPECT_EQ(vm_id_of("not a uuid", true), "");
  EXPECT_EQ(vm_id_of("../../../../../../../../../../etc/foo", true), "");
}

constexpr char kGoal[] =
    "\xEF\xBB\xBF<GoalState><Version>2010-12-15</Version><Incarnation>3</Incarnation><Container><ContainerId>c-1</"
    "ContainerId>"
    "<RoleInstanceList><RoleInstance><InstanceId>i.MachineRole_IN_0</InstanceId></RoleInstance></RoleInstanceList></"
    "Container></GoalState>";

TEST(GoalState, IsAnsweredWithItsIds) {
  const auto goal = read_goal_state(kGoal);
  ASSERT_TRUE(goal) << goal.error().what;
  const std::string ready = health_xml(*goal, {});
  EXPECT_THAT(ready, HasSubstr("<GoalStateIncarnation>3<"));
  EXPECT_THAT(ready, HasSubstr("<ContainerId>c-1<"));
  EXPECT_THAT(ready, HasSubstr("<InstanceId>i.MachineRole_IN_0<"));
  EXPECT_THAT(ready, HasSubstr("<State>Ready</State>"));
  EXPECT_THAT(ready, Not(HasSubstr("Details")));
  EXPECT_FALSE(read_goal_state(
      "<GoalState><Incarnation>1</Incarnation><Container><ContainerId>c</ContainerId></Container></GoalState>"));
  EXPECT_FALSE(read_goal_state("<html><body>Bad Gateway</body></html>"));
}

TEST(Health, DescriptionIsEscapedAndShortEnoughForTheServer) {
  const auto goal = read_goal_state(kGoal);
  const Health failed{.ready = false,
                      .sub_status = "ProvisioningFailed",
                      .description = "a<b>&\x01 " + std::string(600, 'x') + "\xC3\xA9"};
  const std::string xml = health_xml(*goal, failed);
  EXPECT_THAT(xml, HasSubstr("a&lt;b&gt;&amp; "));
  const auto parsed = read_xml(xml);
  ASSERT_TRUE(parsed) << parsed.error().what;
  Health cut = failed;
  cut.description = std::string(511, 'x') + "\xC3\xA9";
  const std::string json = health_json(cut);
  EXPECT_THAT(json, HasSubstr(std::string(511, 'x') + "\"")) << "no half character";
  EXPECT_THAT(json, HasSubstr(R"("state":"NotReady")"));
  EXPECT_EQ(health_json({}), R"({"state":"Ready"})");
  cut.description = "\xFF\xFE bytes";
  EXPECT_THAT(health_json(cut), HasSubstr("?? bytes"));
}

TEST(ProvisioningReport, QuotesFieldsThatNeedIt) {
  EXPECT_EQ(provisioning_report({.version = "1", .vm_id = "v", .time = "t"}),
            "result=success|agent=Sunup/1|pps_type=None|vm_id=v|timestamp=t");
  const std::string failed =
      provisioning_report({.reason = "it's a|b\nc", .exit_code = "50", .step = "network.outbound", .version = "1"});
  EXPECT_THAT(failed, HasSubstr("result=error|'reason=it''s a|b c'|exit_code=50|step=network.outbound|"));
}

TEST(ProvisioningReport, IsUtf8WhereverItIsCut) {
  for (size_t before = 236; before <= 240; ++before) {
    const std::string line = provisioning_report(
        {.reason = std::string(before, 'a') + "\xE2\x80\x9Cquoted\xE2\x80\x9D \xFF", .version = "1"});
    EXPECT_EQ(utf8_length(line), line.size()) << line;
  }
  EXPECT_THAT(provisioning_report({.reason = "\xFF", .version = "1"}), HasSubstr("|reason=?|"));
}

TEST(Names, AcceptsWhatANodeCanHave) {
  EXPECT_TRUE(check_host_name("aks-Pool1.internal"));
  EXPECT_FALSE(check_host_name("a..b"));
  EXPECT_FALSE(check_host_name("a\n127.0.0.1"));
  EXPECT_FALSE(check_host_name(std::string(64, 'a')));
  EXPECT_TRUE(check_user_name("azureuser"));
  for (const char* wrong : {"", "root", "-a", "a:b", "a b", "a\nb", "../x"})
    EXPECT_FALSE(check_user_name(wrong)) << wrong;
  EXPECT_EQ(*public_key_line("ssh-rsa AA\r\nAA me@host\r\n"), "ssh-rsa AAAA me@host");
  EXPECT_FALSE(public_key_line("command=\"rm\" ssh-rsa AAAA"));
  EXPECT_FALSE(public_key_line("-----BEGIN CERTIFICATE-----"));
}

}  // namespace
}  // namespace sunup::azure
