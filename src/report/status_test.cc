#include "report/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/exit_codes.h"

namespace sunup::report {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const json kFailed = {
    {"ExitCode", "51"},
    {"Output", "+ curl https://api:443\ncurl: (28) timed out\n+ exit 51\n"},
    {"Error", ""},
    {"ExecDuration", "318"},
    {"KernelStartTime", "Tue 2024-11-12 17:23:33 UTC"},
    {"CSEStartTime", "Tue Nov 12 17:24:06 UTC 2024"},
    {"GuestAgentStartTime", ""},
    {"SystemdSummary", ""},
    {"BootDatapoints", {{"KernelStartTime", "Tue 2024-11-12 17:23:33 UTC"}, {"KubeletStartTime", "n/a"}}}};

json succeeded() {
  json status = kFailed;
  status["ExitCode"] = "0";
  return status;
}

std::string cse_text(const json& status) {
  return "Enable succeeded: \n[stdout]\n" + status.dump(4) + "\n\n[stderr]\nsome {noise}\n";
}

json instance_view(const std::string& message, const std::string& code = "ProvisioningState/failed/1") {
  return {{"computerName", "aks-np-vmss000003"},
          {"extensions",
           {{{"name", "vmssCSE"},
             {"type", "Microsoft.Azure.Extensions.CustomScript"},
             {"statuses", {{{"code", code}, {"level", "Error"}, {"message", message}}}}}}}};
}

void expect_the_failure(const StatusReport& report) {
  ASSERT_THAT(report.statuses, SizeIs(1));
  EXPECT_EQ(report.statuses[0].exit_code, 51);
  EXPECT_THAT(report.statuses[0].result.output, HasSubstr("timed out"));
  EXPECT_EQ(duration_of(report.statuses[0].result), 318);
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(Status, IsFoundInPlainProvisionJson) {
  expect_the_failure(find_statuses(kFailed.dump()));
  EXPECT_EQ(find_statuses(succeeded().dump()).exit_code(), 0);
}

TEST(Status, IsFoundBetweenStdoutAndStderr) {
  expect_the_failure(find_statuses(cse_text(kFailed)));
  EXPECT_EQ(find_statuses(cse_text(succeeded())).exit_code(), 0);
}

TEST(Status, IsFoundInAVmInstanceView) {
  const StatusReport report = find_statuses(instance_view(cse_text(kFailed)).dump(2));
  expect_the_failure(report);
  EXPECT_EQ(report.statuses[0].source, "instance aks-np-vmss000003, extension vmssCSE");
  ASSERT_THAT(report.platform, SizeIs(1));
  EXPECT_EQ(report.platform[0].code, "ProvisioningState/failed/1");
}

TEST(Status, IsFoundInSubstatuses) {
  const json view = {
      {"extensions",
       {{{"name", "cse"},
         {"statuses", {{{"code", "ProvisioningState/succeeded"}, {"message", "ok"}}}},
         {"substatuses", {{{"code", "ComponentStatus/StdOut/succeeded"}, {"message", kFailed.dump()}}}}}}}};
  expect_the_failure(find_statuses(view.dump()));
}

TEST(Status, OfEveryVmOfAScaleSetIsListedAndOneFailureDecides) {
  json vms = json::array();
  for (int i = 0; i < 3; ++i) {
    vms.push_back(
        {{"instanceId", std::to_string(i)}, {"instanceView", instance_view(cse_text(i == 1 ? kFailed : succeeded()))}});
    vms.back()["instanceView"].erase("computerName");
  }
  const StatusReport report = find_statuses(json{{"value", vms}}.dump());
  ASSERT_THAT(report.statuses, SizeIs(3));
  EXPECT_EQ(report.statuses[1].source, "instance 1, extension vmssCSE");
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_THAT(verdict_text(report), HasSubstr("1 of 3 nodes failed"));
}

TEST(Status, IsFoundBehindSeveralLevelsOfEscaping) {
  std::string text = cse_text(kFailed);
  for (int level = 0; level < 3; ++level) text = "log line: msg=" + json(text).dump() + " end";
  expect_the_failure(find_statuses(text));
}

TEST(Status, CutOffAtAnyByteNeverReadsAsSuccess) {
  const std::string whole = cse_text(kFailed);
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(find_statuses(std::string_view(whole).substr(0, length)).exit_code(), 0) << length;
  }
}

TEST(Status, CutOffAtTheEndStillGivesItsVerdict) {
  // Output is the last member here, as the longest member is in a message that the platform shortens.
  const std::string text = R"([stdout] {"ExitCode":"50","Error":"no way out","Output":"line 1\nline )";
  const StatusReport report = find_statuses(text);
  ASSERT_THAT(report.statuses, SizeIs(1));
  EXPECT_EQ(report.statuses[0].exit_code, 50);
  EXPECT_EQ(report.statuses[0].result.error, "no way out");
  EXPECT_TRUE(report.statuses[0].truncated);
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(Status, WithoutItsExitCodeIsNoVerdict) {
  EXPECT_EQ(find_statuses(R"(...tail","Error":"","ExecDuration":"18"})").exit_code(), 2);
  EXPECT_EQ(find_statuses(R"({"ExitCode":"abc","Output":""})").exit_code(), 2);
  EXPECT_EQ(find_statuses(R"({"ExitCode":"","Output":""})").exit_code(), 2);
  EXPECT_EQ(find_statuses("").exit_code(), 2);
  EXPECT_EQ(find_statuses("no json at all {").exit_code(), 2);
}

TEST(Status, ReadsExitCodesAsTheNodeControllerDoes) {
  for (const char* zero : {"+0", "-0", "00"}) {
    EXPECT_EQ(find_statuses(json{{"ExitCode", zero}, {"Output", ""}}.dump()).exit_code(), 0) << zero;
  }
  for (const char* wrong : {" 0", "1e0", "0x0", "12345678901234567890"}) {
    EXPECT_EQ(find_statuses(json{{"ExitCode", wrong}, {"Output", ""}}.dump()).exit_code(), 2) << wrong;
  }
  EXPECT_EQ(find_statuses(R"({"exitcode":"0","output":""})").exit_code(), 0);
  EXPECT_EQ(find_statuses(R"({"ExitCode":"1","ExitCode":"0","Output":""})").exit_code(), 0);
  EXPECT_EQ(find_statuses(R"({"ExitCode":"0","EXITCODE":"5","Output":""})").exit_code(), 1);
}

// The contract requires a string, and provision-wait rejects anything else. A number is nevertheless explained.
TEST(Status, ExitCodeThatIsANumberIsExplainedAndRemarkedUpon) {
  for (const char* text : {R"({"ExitCode":50})", R"({"ExitCode":50,"Output":""})",
                           R"(Enable failed: [stdout] {"ExitCode": 50} [stderr] )"}) {
    const auto report = find_statuses(text);
    ASSERT_EQ(report.statuses.size(), 1u) << text;
    EXPECT_EQ(report.statuses[0].exit_code, 50) << text;
    EXPECT_EQ(report.exit_code(), 1) << text;
    EXPECT_THAT(verdict_text(report), testing::HasSubstr("ExitCode is a number and should be a string")) << text;
  }
  EXPECT_EQ(find_statuses(R"({"ExitCode":0,"Output":""})").exit_code(), 0);
  EXPECT_THAT(verdict_text(find_statuses(R"({"ExitCode":"50"})")),
              testing::Not(testing::HasSubstr("is a number and should")));
  EXPECT_TRUE(find_statuses(R"({"level":"INFO","msg":"CSE finished","exitCode":50})").statuses.empty());
}

TEST(Status, OfAContainerIsNotTakenForANodes) {
  EXPECT_THAT(find_statuses(R"({"containers":[{"name":"x","state":{"exitCode":137,"reason":"OOMKilled"}}]})").statuses,
              SizeIs(0));
}

TEST(Status, ComesFromTheControllersOwnErrorWhenNothingElseIsLeft) {
  const StatusReport report = find_statuses(
      "[stderr]\n{\"level\":\"ERROR\",\"msg\":\"x\",\"error\":\"provision failed: exitCode=99 error=index "
      "output=\\\"...\\\"\"}\n");
  ASSERT_THAT(report.statuses, SizeIs(1));
  EXPECT_EQ(report.statuses[0].exit_code, 99);
  EXPECT_EQ(report.statuses[0].result.error, "index");
}

TEST(Status, SurvivesBrokenUtf8AndUtf16) {
  std::string text = kFailed.dump();
  text.replace(text.find("+ curl"), 1, "\xA9\xFF");
  expect_the_failure(find_statuses(text));
  std::string wide = "\xFF\xFE";
  for (const char c : kFailed.dump()) wide += {c, '\0'};
  expect_the_failure(find_statuses(wide));
  expect_the_failure(find_statuses("\xEF\xBB\xBF" + kFailed.dump()));
}

TEST(Status, SurvivesDeepNesting) {
  EXPECT_EQ(find_statuses(std::string(100000, '[') + "\"ExitCode\"").exit_code(), 2);
  EXPECT_EQ(find_statuses(std::string(3000, '{') + "\"ExitCode\"").exit_code(), 2);
}

TEST(Status, NewestOfSeveralAttemptsInOneTextCounts) {
  json first = kFailed;
  first["ExecDuration"] = "1";
  const StatusReport report = find_statuses(first.dump() + "\nretry\n" + succeeded().dump());
  ASSERT_THAT(report.statuses, SizeIs(1));
  EXPECT_EQ(report.exit_code(), 0);
}

TEST(Status, SeveralResultsInOneTextEachCount) {
  const std::string failed = kFailed.dump();
  const std::string fine = succeeded().dump();
  for (const std::string& text :
       {failed + "\n" + fine, kFailed.dump(2) + fine, cse_text(kFailed) + "\n" + cse_text(succeeded()),
        instance_view(cse_text(kFailed)).dump() + "\n" + fine + "\n"}) {
    const StatusReport report = find_statuses(text);
    ASSERT_THAT(report.statuses, SizeIs(2)) << text;
    EXPECT_EQ(report.statuses[0].exit_code, 51);
    EXPECT_EQ(report.statuses[1].exit_code, 0);
    EXPECT_EQ(report.statuses[1].source, "result 2");
    EXPECT_EQ(report.exit_code(), 1);
  }
  EXPECT_THAT(find_statuses(failed + failed).statuses, SizeIs(2)) << "two nodes may fail alike";
  EXPECT_EQ(find_statuses(fine + "\n" + fine).exit_code(), 0);
  EXPECT_EQ(find_statuses(fine + "\n" + R"({"ExitCode": "51", "Out)").exit_code(), 1)
      << "the second is cut off behind its code";
}

TEST(Status, OfOneMemberIsFoundWhereAStatusIsExpected) {
  // The minimum that provision-wait needs.
  const std::string least = R"({"ExitCode":"0"})";
  EXPECT_EQ(find_statuses(least).exit_code(), 0);
  EXPECT_EQ(find_statuses("\n"
                          R"({"exitcode":"7"})"
                          "\n")
                .exit_code(),
            1);
  EXPECT_EQ(find_statuses("Enable succeeded: [stdout]\n" + least + "\n[stderr]\n").exit_code(), 0);
  EXPECT_EQ(find_statuses(instance_view("[stdout]\n" + least + "\n\n[stderr]\n").dump()).exit_code(), 0);
  EXPECT_EQ(find_statuses(instance_view(least).dump()).exit_code(), 0);
}

TEST(Status, OfOneMemberIsNotTakenFromAnythingElse) {
  const std::string least = R"({"ExitCode":"0"})";
  EXPECT_EQ(find_statuses(R"({"process":)" + least + "}").exit_code(), 2);
  EXPECT_EQ(find_statuses("[stdout]\n[stderr]\n" + least).exit_code(), 2) << "a log record";
  EXPECT_EQ(find_statuses(R"([stdout]{"msg":"CSE finished","exitCode":0}[stderr])").exit_code(), 2) << "another one";
  json view = instance_view(least);
  view["extensions"][0]["name"] = "monitor";
  view["extensions"][0]["type"] = "Microsoft.Azure.Monitor.Agent";
  EXPECT_EQ(find_statuses(view.dump()).exit_code(), 2);
}

TEST(Status, WhoseExitCodeIsCutHasNone) {
  for (const char* text : {R"({"ExitCode":"5)", R"({"ExitCode":5)", R"([stdout] {"Output":"","ExitCode":"5)",
                           "provision failed: exitCode=5", R"({\"ExitCode\":\"5)"}) {
    const StatusReport report = find_statuses(text);
    ASSERT_THAT(report.statuses, SizeIs(1)) << text;
    EXPECT_EQ(report.statuses[0].exit_code, std::nullopt) << text;
    EXPECT_EQ(report.exit_code(), 2) << text;
  }
  EXPECT_EQ(find_statuses(R"({"ExitCode":"5")").exit_code(), 1) << "its own end is there";
}

TEST(Status, ThatIsThereWholeAndCutIsShownWhole) {
  const std::string whole = kFailed.dump();
  for (const std::string cut : {R"({"ExitCode":"5)", R"({"ExitCode":"51","Output":"+ curl ht)"}) {
    json view = instance_view("[stdout]\n" + cut);
    view["extensions"][0]["substatuses"] = {{{"code", "ComponentStatus/StdOut/succeeded"}, {"message", whole}}};
    for (const bool cut_first : {true, false}) {
      json& extension = view["extensions"][0];
      if (!cut_first) std::swap(extension["statuses"], extension["substatuses"]);
      const StatusReport report = find_statuses(view.dump());
      expect_the_failure(report);
      EXPECT_FALSE(report.statuses.at(0).truncated) << cut;
    }
  }
}

TEST(Status, OfAnotherNodeStaysThoughItIsCut) {
  json first = instance_view(cse_text(kFailed));
  json second = instance_view(R"([stdout] {"ExitCode":"51","Output":"+ cu)");
  second["computerName"] = "another";
  EXPECT_THAT(find_statuses(json::array({first, second}).dump()).statuses, SizeIs(2));
}

TEST(Status, IsFoundInTimeThatGrowsWithTheTextOnly) {
  // Each of these texts has 100,000 positions at which an object may begin. A reader that reads from each of them to
  // the end of the text would take days.
  for (const std::string piece :
       {R"({"a":[)", R"({"a":{)", R"({"a":)", R"({"a)", R"({"a":1,)", R"({":{":":{",)", R"({"{)"}) {
    std::string text = "exitcode ";
    for (int i = 0; i < 100'000; ++i) text += piece;
    EXPECT_EQ(find_statuses(text).exit_code(), 2) << piece;
    EXPECT_EQ(find_statuses(text + "\n" + cse_text(kFailed)).exit_code(), 1) << piece;
  }
}

TEST(Verdict, SaysWhatFailedWhereWhatItMeansAndWhatToDo) {
  const std::string text = verdict_text(find_statuses(cse_text(kFailed)));
  EXPECT_THAT(text, HasSubstr("FAILED: exit code 51 ERR_K8S_API_SERVER_CONN_FAIL, after 318 s"));
  EXPECT_THAT(text, HasSubstr("step    apiserverCurl"));
  EXPECT_THAT(text, HasSubstr("do      From the node's subnet try"));
  EXPECT_THAT(text, HasSubstr("| curl: (28) timed out"));
  EXPECT_THAT(text, HasSubstr("provisioning started     +33 s"));
  EXPECT_THAT(text, HasSubstr("n/a"));
}

TEST(Verdict, NodesOwnWordsAreShown) {
  json status = kFailed;
  status["Verdict"] = "provisioning failed: exit code 51\ncause: no route\ntimeline: kubelet never started";
  const StatusReport report = find_statuses(instance_view(cse_text(status)).dump());
  EXPECT_THAT(verdict_text(report), HasSubstr("    | cause: no route\n    | timeline: kubelet never started\n"));
  EXPECT_EQ(json::parse(verdict_json(report))["statuses"][0]["nodeVerdict"], status["Verdict"]);
}

TEST(Verdict, NodesOwnHintComesBeforeWhatTheCodeStandsFor) {
  const std::string hint = "use an image that carries kubelet 1.34.1";
  json status{{"ExitCode", "121"}, {"Error", "kubelet is not in the image"}, {"Hint", hint}, {"Output", ""}};
  const std::string text = verdict_text(find_statuses(status.dump()));
  EXPECT_THAT(text, HasSubstr("  do      " + hint + "\n  code    Meaning of the exit code alone: Check that "));
  EXPECT_THAT(text, Not(HasSubstr("A new attempt may help.")));
  EXPECT_THAT(text, HasSubstr("  retry   A new attempt may help once that is done.\n"));
  EXPECT_EQ(json::parse(verdict_json(find_statuses(status.dump())))["statuses"][0]["hint"], hint);
  // A node without a more specific hint repeats the code's remedy.
  status["Hint"] = find_exit_code(121)->remedy;
  const std::string general = verdict_text(find_statuses(status.dump()));
  EXPECT_THAT(general, Not(HasSubstr("  code ")));
  EXPECT_THAT(general, HasSubstr("  retry   A new attempt may help.\n"));
}

TEST(Verdict, OfSuccessIsShort) {
  const std::string text = verdict_text(find_statuses(cse_text(succeeded())));
  EXPECT_THAT(text, HasSubstr("SUCCEEDED, after 318 s"));
  EXPECT_THAT(text, Not(HasSubstr("timed out")));
}

TEST(Verdict, AsJsonHasTheSameFacts) {
  const json out = json::parse(verdict_json(find_statuses(instance_view(cse_text(kFailed)).dump())));
  EXPECT_EQ(out["verdict"], "failed");
  const json& status = out["statuses"][0];
  EXPECT_EQ(status["exitCode"], 51);
  EXPECT_EQ(status["name"], "ERR_K8S_API_SERVER_CONN_FAIL");
  EXPECT_EQ(status["retryMayHelp"], true);
  EXPECT_EQ(status["durationSeconds"], 318);
  std::vector<std::string> names;
  for (const json& moment : status["boot"]) names.push_back(moment["name"]);
  EXPECT_THAT(names, ElementsAre("KernelStartTime", "CSEStartTime", "KubeletStartTime"));
  EXPECT_EQ(status["boot"][1]["secondsAfterFirst"], 33);
}

TEST(Verdict, LetsNoControlCharacterOfTheNodeReachATerminal) {
  json status = kFailed;
  status["Error"] = "\x1b]0;owned\x07 first\nsecond\ttab";
  status["Output"] = "\x1b[2Jgone\r\n\x1b[8mhidden\n";
  status["FailedStep"] = "\x1b[31m";
  status["CSEStartTime"] = "\x1b[5m";
  json view = instance_view(cse_text(status));
  view["computerName"] = "\x1b[1mnode";
  std::string text = verdict_text(find_statuses(view.dump()));
  status["Verdict"] = "\x1b[7mits own words";
  text += verdict_text(find_statuses(status.dump()));
  for (const char c : text) EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) << int{c};
  EXPECT_THAT(text, HasSubstr("  error   \\x1b]0;owned\\a first\n          second\ttab\n"));
  EXPECT_THAT(text, HasSubstr("    | \\x1b[2Jgone\n    | \\x1b[8mhidden\n"));
}

TEST(Verdict, KnowsTheCodeOfAProgramThatWasKilled) {
  const std::string text = verdict_text(find_statuses(R"({"ExitCode":"-1","Error":"signal: killed","Output":"\n"})"));
  EXPECT_THAT(text, HasSubstr("FAILED: exit code -1"));
  EXPECT_THAT(text, HasSubstr("a signal killed it"));
}

TEST(Status, TakesTheExtensionsWordWhereTheNodesOwnIsMissing) {
  const StatusReport waited = find_statuses(
      "Enable failed: failed to execute command: command terminated with exit status=1\n[stdout]\n\n[stderr]\n"
      R"({"time":"t","level":"ERROR","msg":"aks-node-controller failed","error":"failed to read provision.json: gone"})"
      "\n");
  ASSERT_EQ(waited.statuses.size(), 1u);
  EXPECT_EQ(waited.statuses[0].exit_code, std::nullopt) << "1 stands for any failure";
  EXPECT_EQ(waited.statuses[0].result.error, "failed to read provision.json: gone");
  EXPECT_EQ(waited.exit_code(), 1);
  EXPECT_THAT(verdict_text(waited), testing::StartsWith("FAILED, according to the extension"));

  const StatusReport coded = find_statuses("Enable failed: ... exit status=50\n[stdout]\ner\":\"x\"}\n[stderr]\n");
  ASSERT_EQ(coded.statuses.size(), 1u);
  EXPECT_EQ(coded.statuses[0].exit_code, 50);
  EXPECT_EQ(coded.statuses[0].result.error, "Enable failed: ... exit status=50");

  EXPECT_EQ(find_statuses("Enable succeeded: \n[stdout]\n\n[stderr]\n").exit_code(), 2);
  EXPECT_EQ(find_statuses("nothing of the kind").exit_code(), 2);
}

TEST(Status, TakesTheExtensionsWordFromAnInstanceViewToo) {
  const StatusReport report =
      find_statuses(R"({"extensions":[{"name":"vmssCSE","type":"Microsoft.Azure.Extensions.CustomScript",
      "statuses":[{"code":"ProvisioningState/failed/1","message":"Enable failed: exit status=50\n[stdout]\n\n"}]}]})");
  ASSERT_EQ(report.statuses.size(), 1u);
  EXPECT_EQ(report.statuses[0].source, "extension vmssCSE");
  EXPECT_EQ(report.statuses[0].exit_code, 50);
}

// The message of CustomScript 2.1.17 and later: without "Enable failed: ", and repeated at the end.
std::string failed_text(int code, const std::string& out, const std::string& err) {
  const std::string words = "failed to execute command: command terminated with exit status=" + std::to_string(code);
  return words + "\n[stdout]\n" + out + "\n[stderr]\n" + err + "\n: " + words;
}

constexpr char kNotFound[] = "/bin/sh: 1: /opt/azure/containers/aks-node-controller: not found";

// The file N.status that the handler writes for the agent.
json status_file(const std::string& state, const std::string& message) {
  json status{{"operation", "Enable"}, {"status", state}, {"formattedMessage", {{"lang", "en"}, {"message", message}}}};
  if (state == "error") status["substatus"] = {{{"name", "ErrorClarification"}, {"status", "error"}, {"code", 2}}};
  return json::array({{{"version", 1}, {"timestampUTC", "2026-11-17T16:15:54Z"}, {"status", status}}});
}

// The same in the agent's report on all extensions.
json aggregate(const std::string& handler, const json& file) {
  return {{"aggregateStatus",
           {{"handlerAggregateStatus",
             {{{"handlerName", handler},
               {"status", "Ready"},
               {"runtimeSettingsStatus", {{"sequenceNumber", "0"}, {"settingsStatus", file[0]}}}}}}}}};
}

TEST(Status, TakesTheExtensionsWordAsNewerHandlersPutIt) {
  const std::string text = failed_text(127, "", kNotFound);
  const json file = status_file("error", text);
  for (const std::string& given : {text, "Extension 'vmssCSE' failed. Error message: '" + text + "'.", file.dump(),
                                   aggregate("Microsoft.Azure.Extensions.CustomScript", file).dump(),
                                   instance_view(text).dump(), "\n" + text.substr(text.find("[stderr]"))}) {
    const StatusReport report = find_statuses(given);
    ASSERT_THAT(report.statuses, SizeIs(1)) << given;
    EXPECT_EQ(report.statuses[0].exit_code, 127) << given;
    EXPECT_THAT(report.statuses[0].result.error, testing::StartsWith("failed to execute command: command terminated"));
    EXPECT_EQ(report.exit_code(), 1) << given;
  }
  EXPECT_EQ(find_statuses(text).statuses[0].result.output, kNotFound);
  EXPECT_THAT(verdict_text(find_statuses(text)), HasSubstr("    | " + std::string(kNotFound) + "\n"));
  EXPECT_THAT(verdict_text(find_statuses(text)), HasSubstr("  note    According to the extension; "));
}

TEST(Status, OfANodeCountsMoreThanWhatTheExtensionSaysOfItsCommand) {
  expect_the_failure(find_statuses(failed_text(1, kFailed.dump(), "some {noise}")));
  expect_the_failure(find_statuses(status_file("error", failed_text(1, kFailed.dump(), "")).dump()));
}

TEST(Status, OfACommandThatPrintsTheExtensionsWordsIsNotItsFailure) {
  EXPECT_EQ(find_statuses("Enable succeeded: \n[stdout]\n\n[stderr]\nfailed to execute command: x\n").exit_code(), 2);
}

TEST(Status, SeveralTextsOfNewerHandlersAreKeptApart) {
  const std::string failed = failed_text(1, kFailed.dump(), "x");
  for (const std::string& second : {failed_text(1, succeeded().dump(), ""), cse_text(succeeded())})
    for (const char* between : {"", "\n"}) {
      const StatusReport report = find_statuses(failed + between + second);
      ASSERT_THAT(report.statuses, SizeIs(2)) << second;
      EXPECT_EQ(report.statuses[0].exit_code, 51);
      EXPECT_EQ(report.statuses[1].exit_code, 0);
    }
}

TEST(Status, OfAnExtensionThatThePlatformCallsFailedIsAFailure) {
  const std::string message = "The handler could not be downloaded";
  const StatusReport report = find_statuses(instance_view(message).dump());
  ASSERT_THAT(report.statuses, SizeIs(1));
  EXPECT_TRUE(report.statuses[0].extension_failed);
  EXPECT_EQ(report.statuses[0].result.error, "ProvisioningState/failed/1: " + message);
  EXPECT_EQ(report.exit_code(), 1);
  // One of two nodes succeeded.
  json fine = instance_view(cse_text(succeeded()));
  fine["computerName"] = "another";
  EXPECT_EQ(find_statuses(json::array({fine, instance_view(message)}).dump()).exit_code(), 1);
  // The status of another extension is not the node's.
  json monitor = instance_view(message);
  monitor["extensions"][0]["name"] = "monitor";
  monitor["extensions"][0]["type"] = "Microsoft.Azure.Monitor.Agent";
  EXPECT_EQ(find_statuses(json::array({fine, monitor}).dump()).exit_code(), 0);
  EXPECT_EQ(find_statuses(monitor.dump()).exit_code(), 2);
}

// Each of these takes hours if a step looks at everything before it, and crashes if the recursion is as deep as the
// text.
TEST(Status, IsFoundInSuchTimeAlsoAmongManyMembersNamesAndNodes) {
  constexpr int kMany = 400'000;
  std::string members = "{";
  for (int i = 0; i < kMany; ++i) members += "\"k" + std::to_string(i) + "\":1,";
  EXPECT_EQ(find_statuses(members + "\"ExitCode\":\"7\",\"Output\":\"\"}").statuses.at(0).exit_code, 7);

  const std::string name(1 << 20, 'n');
  std::string statuses;
  for (int i = 0; i < kMany / 4; ++i) statuses += R"({"code":"ProvisioningState/failed/1","message":"m"},)";
  EXPECT_EQ(find_statuses(R"({"name":")" + name + R"(cse","type":"CustomScript","statuses":[)" + statuses + "{}]}")
                .statuses.size(),
            1U);

  std::string nodes = "[";
  for (int i = 0; i < kMany / 8; ++i)
    nodes += R"({"computerName":")" + std::to_string(i) +
             R"(","extensions":[{"name":"cse","statuses":[{"code":"ProvisioningState/failed/1","message":"m"}]}]},)";
  EXPECT_EQ(find_statuses(nodes + "{}]").statuses.size(), static_cast<size_t>(kMany / 8));

  const std::string deep = std::string(kMany, '[') + std::string(kMany, ']');
  EXPECT_EQ(find_statuses(R"({"ExitCode":"7","Output":"x","more":)" + deep + "}").statuses.at(0).exit_code, 7);
}

TEST(Status, OfAnExtensionThatHasNotEndedIsCalledInProgress) {
  const json file = status_file("transitioning", "Enable in progress");
  for (const json& given : {file, aggregate("Microsoft.Azure.Extensions.CustomScript", file),
                            instance_view("Enable in progress", "ProvisioningState/transitioning")}) {
    const StatusReport report = find_statuses(given.dump());
    ASSERT_THAT(report.statuses, SizeIs(1)) << given;
    EXPECT_TRUE(report.statuses[0].in_progress);
    EXPECT_EQ(report.exit_code(), 2);
    EXPECT_THAT(verdict_text(report), testing::StartsWith("IN PROGRESS"));
    EXPECT_THAT(verdict_text(report), HasSubstr("  says    Enable in progress\n"));
    EXPECT_EQ(json::parse(verdict_json(report))["statuses"][0]["inProgress"], true);
    EXPECT_EQ(json::parse(verdict_json(report))["verdict"], "unknown");
  }
  // Not all of the nodes are provisioned.
  json fine = instance_view(cse_text(succeeded()));
  fine["computerName"] = "another";
  const StatusReport both =
      find_statuses(json::array({fine, instance_view("Enable in progress", "ProvisioningState/transitioning")}).dump());
  EXPECT_EQ(both.exit_code(), 2);
  EXPECT_THAT(verdict_text(both), HasSubstr("0 of 2 nodes failed"));
}

}  // namespace
}  // namespace sunup::report
