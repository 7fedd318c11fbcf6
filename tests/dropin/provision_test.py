"""provision in scripts mode: files, events, log, stdout and exit codes (one test per row of the recordings)."""

from harness import *


class FailFast(NodeTest):
    def test_without_input(self):
        for args in [], ["--provision-config="]:
            with self.subTest(args):
                self.assert_failed_fast(self.run_program("provision", *args),
                                        "--provision-config or --nbc-cmd is required")

    def test_without_input_leaves_a_success_alone(self):
        self.leave_result('{"ExitCode":"0"}')
        self.assertEqual(self.run_program("provision").returncode, 1)
        self.assertEqual(self.read_result(), {"ExitCode": "0"})
        self.assertTrue(self.complete.exists())

    def test_config_missing(self):
        self.config = "/nonexistent/config.json"
        self.assert_failed_fast(self.provision(), "open provision file /nonexistent/config.json: "
                                "open /nonexistent/config.json: no such file or directory")

    def test_config_is_a_directory(self):
        self.config = self.dir
        self.assert_failed_fast(self.provision(), f"open provision file {self.dir}: read {self.dir}: is a directory")

    def test_version_unknown(self):
        for version in "v2", "", "<v1>":
            with self.subTest(version):
                self.config = self.write_config({"version": version})
                self.assert_failed_fast(self.provision(), f"unsupported version: {version}")
        for text in '{"vm_size": "x"}', '{"version": null}', '{}', '{"new_field": [{}]}':
            with self.subTest(text):
                self.config = self.write_config(text)
                self.assert_failed_fast(self.provision(), "unsupported version: ")
        # A config that does not fit this version may fit that one.
        self.config = self.write_config({"version": "v2", "cse_timeout": {"seconds": 5}})
        self.assert_failed_fast(self.provision(), "unsupported version: v2")

    def test_a_mistake_is_named_although_there_is_no_version_or_more_than_one(self):
        for text, where in (('{"cse_timeout":"abc"}', '1:16: $.cse_timeout: "abc" is not a whole number of 32 bits'),
                            ('{"version":"","cse_timeout":"abc"}', '1:29: $.cse_timeout: "abc" is not a whole number of 32 bits'),
                            ('{"vm_size":"a\\u0000"}', "1:14: $.vm_size: a NUL character is not allowed"),
                            ('{"vmSize":"a","vm_size":"b"}', "1:15: $.vm_size: the field is given twice"),
                            ('{"version":"v1","version":"v2"}', "1:17: $.version: the field is given twice"),
                            ('[]', "1:1: $: expected an object, found a list")):
            with self.subTest(text):
                self.config = self.write_config(text)
                self.assert_failed_fast(self.provision(), f"provision config cannot be used: {self.config}:{where}")

    def test_config_malformed_runs_nothing(self):
        self.script("touch ran")
        for text, where in (('{"version": "v1", invalid}', "1:19"), ("not json", "1:1"), ("", "1:1"),
                            ('{"version": "v1"} x', "1:19"), ('{"version": "v1", "version": "v1"}', "1:19"),
                            ('{"version": "v1", "vm_size": "a\\u0000b"}', "1:32"),
                            ('{"version": "v1",\n "cse_timeout": "x"}', "2:17")):
            with self.subTest(text):
                self.config = self.write_config(text)
                run = self.provision()
                self.assertEqual(run.returncode, 1)
                error = self.read_result()["Error"]
                self.assertTrue(error.startswith(f"provision config cannot be used: {self.config}:{where}"), error)
                self.assertEqual(self.read_result()["ExitCode"], "240")
                self.assertTrue(self.complete.exists())
                self.assertFalse((self.dir / "ran").exists())

    def test_components_missing(self):
        self.script("touch ran")
        self.components.unlink()
        self.assert_failed_fast(self.provision(), "failed to load GPU config: read /opt/azure/components.json: "
                                "open /opt/azure/components.json: no such file or directory")

    def test_components_malformed(self):
        self.script("touch ran")
        self.components.write_text('{"GPUContainerImages": [')
        self.assert_failed_fast(self.provision(), "failed to load GPU config: parse /opt/azure/components.json: failed "
                                "to unmarshal components.json: unexpected end of JSON input")

    def test_checks_the_version_before_the_components(self):
        self.components.unlink()
        self.config = self.write_config({"version": "v9"})
        self.assert_failed_fast(self.provision(), "unsupported version: v9")

    def test_replaces_a_stale_failure(self):
        self.leave_result('{"ExitCode":"99","Error":"old"}')
        self.config = "/nonexistent"
        self.provision()
        self.assertEqual(self.read_result()["ExitCode"], "240")

    def test_only_a_stale_marker(self):
        self.complete.touch()
        self.config = "/nonexistent"
        self.assertEqual(self.provision().returncode, 1)
        self.assertEqual(self.read_result()["ExitCode"], "240")
        self.assertTrue(self.complete.exists())

    def test_native_names_the_step_that_lacks_something(self):
        run = self.provision("--mode=native")
        self.assertEqual((run.returncode, self.read_result()["ExitCode"]), (34, "34"))
        self.assertIn("step kubelet.files: kubeconfig: api_server_config.api_server_name is empty", self.read_result()["Error"])

    def test_native_leaves_a_result_with_every_member(self):
        self.provision("--mode=native")
        self.assertLessEqual({"ExitCode", "Output", "Error", "ExecDuration", "KernelStartTime", "CSEStartTime", "SystemdSummary",
                              "BootDatapoints"}, set(self.read_result()))
        self.assertTrue(self.complete.exists())

    TOKEN = "q1w2e3.0123456789abcdef"

    def fail_natively(self):
        """A complete config, and a file that blocks kubelet's files."""
        text = (pathlib.Path(os.environ["SUNUP_SOURCE_DIR"]) / "tests/e2e/config.json").read_text()
        for name, value in {"@CA@": "Q0E=", "@API_SERVER@": "api.example", "@TOKEN@": self.TOKEN, "@NODE@": "node"}.items():
            text = text.replace(name, value)
        self.config = self.write_config(json.loads(text) | {"brand_new": 1})
        (self.root / "etc").mkdir(exist_ok=True)
        (self.root / "etc/kubernetes").write_text("in the way")
        self.assertNotEqual(self.provision("--mode=native").returncode, 0)

    def test_native_result_says_in_one_text_what_all_listeners_hear(self):
        pool = self.root / "var/lib/hyperv/.kvp_pool_1"
        pool.parent.mkdir(parents=True)
        pool.touch()
        self.fail_natively()
        verdict = self.read_result()["Verdict"]
        self.assertEqual(pool.read_bytes()[512:].rstrip(b"\0").decode(), verdict)
        self.assertEqual([line.split(":")[0] for line in verdict.split("\n")],
                         ["provisioning failed", "step", "cause", "do", "ignored", "timeline"])
        self.assertIn("ignored: $.brand_new\n", verdict)
        self.assertRegex(verdict, r"\ntimeline: containerd left alone, kubelet left alone, ended \+\d+\.\d{3}s")
        self.assertLess(len(verdict.encode()), 1024)
        self.assertLessEqual(self.result.stat().st_size, 4095, "provision-wait's output would not arrive whole")
        for file in (f for f in (self.root / "var/log").rglob("*") if f.is_file()):
            self.assertNotIn(self.TOKEN.encode(), file.read_bytes(), file)

    def test_native_events_are_whole_short_and_end_with_the_summary(self):
        self.fail_natively()
        files = sorted(self.events_dir.iterdir(), key=lambda f: f.name)
        for file in files:
            self.assertRegex(file.name, r"^\d{19}\.json$")
            self.assertEqual(file.stat().st_mode & 0o777, 0o644)
            event = json.loads(file.read_text())
            self.assertEqual(list(event), ["Timestamp", "OperationId", "Version", "TaskName", "EventLevel", "Message", "EventPid", "EventTid"])
            self.assertLessEqual(len(event["Message"].encode()), 3072, event["TaskName"])
        events = [json.loads(f.read_text()) for f in files]
        steps = [e for e in events if e["TaskName"].startswith("AKS.CSE.")]
        self.assertGreater(len(steps), 3)
        closing = steps[-1]
        self.assertEqual((closing["TaskName"], closing["EventLevel"]), ("AKS.CSE.cse_start", ""))
        summary = json.loads(closing["Message"])
        self.assertEqual(list(summary), ["ExitCode", "E2E", "KernelStartTime", "CloudInitLocalStartTime", "CloudInitStartTime", "CloudFinalStartTime",
                                         "NetworkdStartTime", "GuestAgentStartTime", "KubeletStartTime", "KubeletReadyTime", "ScriptlessMode"])
        self.assertEqual(summary["ExitCode"], self.read_result()["ExitCode"])
        self.assertEqual(summary["ScriptlessMode"], "none")

    def test_native_summary_says_how_the_node_was_told_what_to_do(self):
        containers = self.root / "opt/azure/containers"
        for file, mode in (("scriptless-cse-overrides.txt", "cse_cmd"), ("aks-node-controller-nbc-cmd.sh", "nbc_cse_cmd")):
            containers.mkdir(parents=True, exist_ok=True)
            (containers / file).touch()
            (containers / "provision.complete").unlink(missing_ok=True)
            shutil.rmtree(self.events_dir, ignore_errors=True)
            self.fail_natively()
            events = [json.loads(f.read_text()) for f in self.events_dir.iterdir()]
            closing = next(e for e in events if e["TaskName"] == "AKS.CSE.cse_start")
            self.assertEqual(json.loads(closing["Message"])["ScriptlessMode"], mode)

    def test_the_hypervisor_hears_why(self):
        pool = self.root / "var/lib/hyperv/.kvp_pool_1"
        pool.parent.mkdir(parents=True)
        for mode, words in (("native", ("exit code 34 ", "step: kubelet.files", "api_server_name is empty")), ("scripts", ("exit code 127",))):
            with self.subTest(mode):
                pool.write_bytes(b"")
                self.provision("--mode=" + mode)
                record = pool.read_bytes()
                self.assertEqual(len(record), 512 + 2048)
                self.assertTrue(record.startswith(b"AKS_NODE_PROVISION|failure|"))
                for text in words:
                    self.assertIn(text, record[512:].rstrip(b"\0").decode())


    def test_of_failed_scripts_listeners_hear_how_far_they_came(self):
        pool = self.root / "var/lib/hyperv/.kvp_pool_1"
        pool.parent.mkdir(parents=True)
        pool.touch()
        self.script(f"""
            start=$(date +%s%3N)
            echo '{{"Timestamp":"'"$(date '+%F %T.%3N' -d @$((start / 1000)))"'","OperationId":"'"$(date '+%F %T.%3N' -d @$((start / 1000 + 3)))"'",
              "Version":"1.23","TaskName":"AKS.CSE.ensureContainerd","EventLevel":"Informational","Message":"Completed: ensureContainerd"}}' \\
              >{self.events_dir}/$start.json
            exit 50""")
        run = self.provision()
        self.assertEqual(run.returncode, 50)
        self.assertEqual(set(self.read_result()), {"ExitCode", "Error", "Output"}, "the original's members and no others")
        heard = pool.read_bytes()[512:].rstrip(b"\0").decode()
        self.assertIn("exit code 50 ERR_OUTBOUND_CONN_FAIL", heard)
        self.assertRegex(heard, r"\ntimeline: ended \+\d\.\d{3}s; longest: ensureContainerd 3\.000s$")


class Scripts(NodeTest):
    def test_success_leaves_the_scripts_files_alone(self):
        self.script(self.WRITE_BOTH % 0 + "echo out; echo err >&2")
        run = self.provision()
        self.assertEqual((run.returncode, run.stdout), (0, "out\n"))
        self.assertEqual(self.result.read_text(), '{"ExitCode":"0","Output":"by script"}\n')
        self.assertEqual([r["msg"] for r in run.records],
                         ["aks-node-controller started", "provisioning from", "CSE finished",
                          "aks-node-controller finished successfully."])
        self.assertIn("err\n", run.stderr)
        finished = run.record("CSE finished")
        self.assertEqual(list(finished), ["time", "level", "msg", "exitCode", "stdout", "stderr", "error"])
        self.assertEqual((finished["exitCode"], finished["stdout"], finished["stderr"], finished["error"]),
                         (0, "out\n", "err\n", None))
        self.assertEqual(run.record("aks-node-controller started")["task"], "Provision")
        self.assertEqual(self.event_messages(),
                         [("Provision", "Informational", "Starting"), ("Provision", "Informational", "Completed")])

    def test_log_file_holds_the_same_records_as_stderr(self):
        self.script("exit 3")
        run = self.provision()
        self.assertEqual(self.log_text(), run.stderr)
        for line in run.stderr.splitlines():
            self.assertRegex(line, rf'^{{"time":"{TIME}","level":"(INFO|WARN|ERROR)","msg":"')

    def test_log_is_appended_to(self):
        self.script("exit 3")
        self.log.parent.mkdir(parents=True)
        self.log.write_text("before\n")
        self.provision()
        self.assertTrue(self.log_text().startswith('before\n{"time"'))

    def test_event_files(self):
        self.script("exit 3")
        self.provision()
        names = sorted(f.name for f in self.events_dir.iterdir())
        self.assertEqual(len(names), 2)
        for name in names:
            self.assertRegex(name, r"^\d{19}\.json$")
        text = (self.events_dir / names[1]).read_text()
        self.assertRegex(
            text, rf'^{{"Timestamp":"{EVENT_TIME}","OperationId":"{EVENT_TIME}","Version":"1.23","TaskName":'
            rf'"AKS.AKSNodeController.Provision","EventLevel":"Error","Message":"aks-node-controller exited with error '
            rf'exit status 3 \| startTime={EVENT_TIME} endTime={EVENT_TIME} durationMs=\d+","EventPid":"0",'
            rf'"EventTid":"0"}}$')
        event = json.loads(text)
        self.assertIn(f"startTime={event['Timestamp']} endTime={event['OperationId']} ", event["Message"])

    def test_success_without_a_result_is_recorded(self):
        for marker in ("", "touch $CONTAINERS/provision.complete;"):
            with self.subTest(marker):
                self.forget_result()
                self.script(f"{marker} exit 0")
                run = self.provision()
                self.assertEqual(run.returncode, 0)
                self.assertEqual(self.read_result()["ExitCode"], "0")
                self.assertTrue(self.complete.exists())
                self.assertIn("the script succeeded but left no result: its exit status is recorded", run.messages)
                self.assertEqual(self.run_program("provision-wait").returncode, 0)

    def test_result_without_the_marker_gets_it(self):
        self.script(self.WRITE_BOTH % 0 + "rm $CONTAINERS/provision.complete")
        self.assertEqual(self.provision().returncode, 0)
        self.assertTrue(self.complete.exists())
        self.assertEqual(self.read_result()["Output"], "by script")

    def test_failure_in_the_result_counts_although_the_script_exits_with_0(self):
        self.script(self.WRITE_BOTH % 9 + "exit 0")
        run = self.provision()
        self.assertEqual(run.returncode, 9)
        self.assertEqual(run.record("aks-node-controller failed")["error"], "exit status 9")
        self.assertEqual(run.record("the script's exit status and its result differ: the failure counts")["ExitCode"], 9)
        self.assertEqual(self.result.read_text(), '{"ExitCode":"9","Output":"by script"}\n', "it is the script's")
        self.assertEqual(self.run_program("provision-wait").returncode, 1)

    def test_failed_script_takes_back_the_success_that_it_wrote(self):
        for end, code, recorded in (("exit 9", 9, "9"), ("kill -9 $$", 255, "-1")):
            with self.subTest(end):
                self.script(self.WRITE_BOTH % 0 + end)
                self.assertEqual(self.provision().returncode, code)
                self.assertEqual(self.read_result()["ExitCode"], recorded)
                self.assertEqual(self.run_program("provision-wait").returncode, 1)
                self.assertEqual(self.provision().returncode, code, "it is not provisioned")

    def test_of_two_failures_the_result_names_the_code(self):
        self.script(self.WRITE_BOTH % 7 + "exit 9")
        self.assertEqual(self.provision().returncode, 7)
        self.assertEqual(self.read_result()["ExitCode"], "7")

    def test_preparation_of_a_base_image_ends_with_a_result_and_no_marker(self):
        self.config = self.write_config({"version": "v1", "pre_provision_only": True})
        for left in ("", self.WRITE_BOTH % 0 + "rm $CONTAINERS/provision.complete;"):
            with self.subTest(left):
                self.result.unlink(missing_ok=True)
                self.script(left + "touch $CONTAINERS/base_prep.complete")
                self.assertEqual(self.provision().returncode, 0)
                self.assertFalse(self.complete.exists(), "nodes of the image would not be provisioned")
                run = self.run_program("provision-wait", "--timeout=10s")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(json.loads(run.stdout)["ExitCode"], "0")

    def test_failure_with_nothing_written(self):
        self.script("echo out; echo err >&2; exit 99")
        run = self.provision()
        self.assertEqual(run.returncode, 99)
        self.assertEqual(self.result.read_text(),
                         r'{"ExitCode":"99","Error":"exit status 99","Output":"out\n\nerr\n"}')
        self.assertEqual(self.complete.read_text(), "")
        self.assertEqual((mode_of(self.result), mode_of(self.complete)), (0o600, 0o600))

    def test_failure_with_the_scripts_own_files(self):
        self.script(self.WRITE_BOTH % 99 + "exit 99")
        self.assertEqual(self.provision().returncode, 99)
        self.assertEqual(self.result.read_text(), '{"ExitCode":"99","Output":"by script"}\n')

    def test_failure_with_a_torn_result(self):
        self.script("mkdir -p $(dirname $RESULT); printf '{\"ExitCode\":\"0' > $RESULT; kill -9 $$")
        self.provision()
        self.assertNotEqual(self.read_result()["ExitCode"], "0")

    def test_success_with_a_torn_result_is_none(self):
        for torn in ('{"ExitCode":"0', "", "{}", '{"ExitCode":0}'):
            for marker in ("", "touch $CONTAINERS/provision.complete"):
                with self.subTest(torn, marker=marker):
                    self.script(f"mkdir -p $(dirname $RESULT); printf '%s' '{torn}' > $RESULT; {marker}")
                    run = self.provision()
                    self.assertEqual(run.returncode, 1)
                    self.assertIn("the script succeeded, but the result that it left says nothing: ",
                                  run.record("aks-node-controller failed")["error"])
                    self.assertEqual(self.read_result()["ExitCode"], "240")
                    self.assertEqual(self.run_program("provision-wait").returncode, 1)

    def test_killed_by_a_signal(self):
        # The bash of the one-liner itself: a process below it would end with a code.
        self.script(f'until child=$(grep -o \'"child":"[0-9]*\' {self.containers}/.provision.run); do :; '
                    'done; kill -9 ${child##*\\"}')
        run = self.provision()
        self.assertEqual(run.returncode, 255)
        self.assertEqual(self.result.read_text(), r'{"ExitCode":"-1","Error":"signal: killed","Output":"\n"}')
        self.assertEqual(run.record("CSE finished")["exitCode"], -1)

    def test_killed_with_a_core_dump(self):
        dumps = subprocess.run("ulimit -c unlimited && exec /bin/bash -c 'kill -ABRT $$'", shell=True, cwd=self.dir).returncode
        if dumps != -signal.SIGABRT or not list(self.dir.glob("core*")):
            self.skipTest("this machine dumps no core where a program runs")
        # Into the working directory of the program, not into that of the tests.
        (self.dir / "nbc.sh").write_text("ulimit -c unlimited && kill -ABRT $$")
        run = self.run_program("provision", "--nbc-cmd", self.dir / "nbc.sh")
        self.assertEqual(run.returncode, 255)
        self.assertEqual(self.read_result()["Error"], "signal: aborted (core dumped)")

    def test_script_missing(self):
        run = self.provision("--mode=scripts")
        self.assertEqual(run.returncode, 127)
        self.assertEqual(self.read_result()["ExitCode"], "127")
        self.assertEqual(self.read_result()["Error"], "exit status 127")
        self.assertIn("provision_start.sh: No such file or directory\n", self.read_result()["Output"])

    def test_script_need_not_be_executable(self):
        self.script("echo ran").chmod(0o644)
        self.assertEqual(self.provision().stdout, "ran\n")

    def test_cloud_hook_fails(self):
        self.script("echo never")
        hook = self.script("", "init-aks-cloud.sh")
        hook.write_text("#!/bin/bash\necho from hook\nexit 7\n")
        for mode, code, logged in (0o755, 7, "from hook\n"), (0o644, 126, "Permission denied"):
            with self.subTest(oct(mode)):
                hook.chmod(mode)
                run = self.provision()
                self.assertEqual(run.returncode, code)
                self.assertEqual(self.result.read_text(), r'{"ExitCode":"%d","Error":"exit status %d","Output":"\n"}' %
                                 (code, code))
                self.assertIn(logged, (self.root / "var/log/azure/cluster-provision.log").read_text())

    def test_value_that_the_kernel_does_not_pass_on_is_refused_before_the_script_starts(self):
        self.script("touch ran")
        self.config = self.write_config({"version": "v1", "message_of_the_day": "x" * 140_000})
        limit = "bytes; the kernel passes at most 131072 to a program"
        self.assert_failed_fast(self.provision(), "the script cannot be started: the variable MESSAGE_OF_THE_DAY of the "
                                                  f"scripts has 140020 {limit}")
        nbc = self.dir / "nbc.sh"
        nbc.write_text(f'KUBELET_FLAGS="{"x" * 140_000}" touch ran')
        self.assert_failed_fast(self.run_program("provision", "--nbc-cmd", nbc),
                                f"NBC command file {nbc}: the variable KUBELET_FLAGS of the scripts has 140015 {limit}")
        self.assertFalse((self.dir / "ran").exists())

    def test_longest_value_that_the_kernel_passes_on_is_not_refused(self):
        self.script("echo ${#MESSAGE_OF_THE_DAY}")
        longest = 128 * 1024 - len("MESSAGE_OF_THE_DAY=") - 1
        self.config = self.write_config({"version": "v1", "message_of_the_day": "x" * longest})
        run = self.provision()
        self.assertEqual((run.returncode, run.stdout), (0, f"{longest}\n"), run.stderr)

    def test_output_that_is_not_utf8_passes_through_and_is_marked_in_files(self):
        self.script(r"printf 'a\xff\xfeb\0'; exit 1")
        run = self.provision()
        self.assertEqual(run.raw_stdout, b"a\xff\xfeb\0")
        self.assertIn(r'"Output":"a\ufffd\ufffdb\u0000\n"', self.result.read_text())
        self.assertIn(r'"stdout":"a\ufffd\ufffdb\u0000"', self.log_text())

    def test_output_streams_through_while_the_script_runs(self):
        os.mkfifo(self.dir / "go")
        self.script(f"printf early; read x < {self.dir}/go; echo late")
        child = self.start("provision", "--provision-config", self.config)
        self.assertEqual(os.read(child.stdout.fileno(), 100), b"early")
        (self.dir / "go").write_text("\n")
        self.assertEqual(self.finish(child).stdout, "late\n")

    def test_waits_for_a_background_child_that_holds_its_output(self):
        os.mkfifo(self.dir / "go")
        self.script(f"(read x < {self.dir}/go; echo from the background) &\necho $! > child; exit 4")
        child = self.start("provision", "--provision-config", self.config)
        self.until_file(lambda: (self.dir / "child").exists())
        (self.dir / "go").write_text("\n")
        run = self.finish(child)
        self.assertEqual((run.returncode, run.stdout), (4, "from the background\n"))
        self.assertIn("from the background", self.read_result()["Output"])

    def test_huge_output_streams_whole_and_is_kept_in_part(self):
        self.script("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last; exit 1")
        # Into a file, which never blocks: the program does not wait forever for a reader that takes nothing.
        with open(self.dir / "stdout", "wb") as stdout:
            self.provision(stdout=stdout)
        self.assertEqual((self.dir / "stdout").read_bytes(), b"first\n" + b"x" * 3000000 + b"\nlast\n")
        output = self.read_result()["Output"]
        self.assertLess(len(output), 600_000)
        self.assertTrue(output.startswith("first\nxxx"))
        self.assertTrue(output.endswith("xxx\nlast\n\n"))
        self.assertRegex(output, r"\n\[\.\.\. \d+ bytes left out \.\.\.\]\n")

    def test_output_of_many_pieces_arrives_whole_in_a_pipe(self):
        self.script("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last")
        # Far more than the pipe holds, to a reader that only reads and does not wait for a disk.
        with subprocess.Popen(["sha256sum"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
            self.provision(stdout=reader.stdin)
            reader.stdin.close()
            read = reader.stdout.read().split()[0].decode()
        self.assertEqual(read, hashlib.sha256(b"x" * 20000000 + b"\nlast\n").hexdigest())

    def test_learns_how_the_script_ended_although_its_starter_ignores_ended_children(self):
        self.script("exit 6")
        child = subprocess.run(["env", "--ignore-signal=CHLD", PROGRAM, "provision", "--provision-config", self.config],
                               env=self.environment(), cwd=self.dir, capture_output=True)
        self.assertEqual(child.returncode, 6)
        self.assertEqual(self.read_result()["ExitCode"], "6")

    def test_goes_on_when_nobody_reads_its_output(self):
        self.script(self.WRITE_BOTH % 0 + "yes | head -c 1000000; exit 0")
        child = self.start("provision", "--provision-config", self.config)
        child.stdout.close()
        child.stderr.close()
        self.assertEqual(child.wait(), 0)
        self.assertEqual(self.read_result()["ExitCode"], "0")

    def test_child_sees_the_recorded_surroundings(self):
        self.script('cat; readlink /proc/self/fd/0; echo "sid $(cut -d" " -f6 /proc/$$/stat)"; ls /proc/self/fd | tr "\\n" " "')
        run = self.provision()
        self.assertIn("/dev/null\n", run.stdout)
        self.assertEqual(int(re.search(r"sid +(\d+)", run.stdout).group(1)), os.getsid(0))
        self.assertEqual(run.stdout.splitlines()[-1].split()[:3], ["0", "1", "2"])
        self.assertLessEqual(len(run.stdout.splitlines()[-1].split()), 4, "no descriptor of ours leaks into the child")


class Environment(NodeTest):
    def child_environment(self, run):
        return dict(item.split("=", 1) for item in run.stdout.split("\0") if item)

    def test_child_gets_the_config_and_what_we_inherited(self):
        self.script("exec cat /proc/self/environ")
        self.config = self.write_config({"version": "v1", "linux_admin_username": "joe"})
        env = self.child_environment(self.provision(env=self.environment(MINE="yes")))
        self.assertEqual(env["MINE"], "yes")
        self.assertEqual(env["ADMINUSER"], "joe")
        self.assertEqual(env["CSE_TIMEOUT"], "900")
        self.assertGreaterEqual(len([k for k in env if k.isupper()]), 164)

    def test_config_beats_what_we_inherited_and_says_whom(self):
        self.script("exec cat /proc/self/environ")
        self.config = self.write_config({"version": "v1", "cluster_config": {"location": "eastus"}})
        run = self.provision(env=self.environment(LOCATION="zzz", ADMINUSER="aaa", VM_TYPE=""))
        env = self.child_environment(run)
        self.assertEqual((env["LOCATION"], env["ADMINUSER"], env["VM_TYPE"]), ("eastus", "azureuser", ""))
        self.assertEqual(run.record("the config overrules inherited variables")["names"], "ADMINUSER LOCATION")
        for value in ("zzz", "aaa"):
            self.assertNotIn(value, run.stderr, "names only")

    def test_nothing_is_said_where_nothing_is_overruled(self):
        self.script("exit 0")
        self.assertNotIn("the config overrules inherited variables", self.provision().messages)

    def test_asks_containerd_for_its_version(self):
        self.script("exec cat /proc/self/environ")
        texts = []
        for version in "1.7.22", "v2.0.0":
            containerd = self.bin / "containerd"
            containerd.write_text(f'#!/bin/sh\n[ "$*" = --version ] && echo "containerd containerd.io {version} abc"\n')
            containerd.chmod(0o755)
            self.forget_result()
            env = self.child_environment(self.provision())
            texts.append(base64.b64decode(env["CONTAINERD_CONFIG_CONTENT"]).decode())
        self.assertNotEqual(texts[0], texts[1], "each containerd has its own layout of the file")
        (self.bin / "containerd").write_text("#!/bin/sh\nexit 1\n")
        self.forget_result()
        env = self.child_environment(self.provision())
        self.assertEqual(base64.b64decode(env["CONTAINERD_CONFIG_CONTENT"]).decode(), texts[0], "unknown counts as 1.x")

    def test_says_what_library_code_would_say(self):
        self.script("exit 0")
        self.config = self.write_config({"version": "v1", "custom_linux_os_config": {
            "sysctl_config": {"net_ipv4_ip_local_port_range": "a 65535"}}})
        self.assertIn('error converting port range start value to int: strconv.Atoi: parsing "a": invalid syntax',
                      self.provision().messages)


class Findings(NodeTest):
    def test_deprecated_version_is_said_and_accepted(self):
        self.script("exit 0")
        self.config = self.write_config({"version": "v0"})
        run = self.provision()
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.record("v0 version is deprecated, please use v1 instead")["level"], "ERROR")

    def test_ignored_fields_are_in_the_log_and_an_event(self):
        self.script("exit 0")
        self.config = self.write_config({"version": "v1", "future_knob": 1, "kubelet_config": {"max_podz": 3}})
        run = self.provision()
        self.assertEqual(run.returncode, 0)
        warned = [(r["level"], r["path"], r["rule"]) for r in run.records if "rule" in r]
        self.assertEqual(warned, [("WARN", "$.future_knob", "unknown-field"),
                                  ("WARN", "$.kubelet_config.max_podz", "unknown-field")])
        self.assertIn(("ConfigFindings", "Informational", "parts of the config have no effect: $.future_knob "
                       "(unknown-field); $.kubelet_config.max_podz (unknown-field)"), self.event_messages())


    def test_an_event_about_many_ignored_fields_is_cut_to_what_arrives(self):
        self.script("exit 0")
        self.config = self.write_config({"version": "v1", **{f"kn\u00f6b_{i:03}_{'x' * (i % 3)}": i for i in range(200)}})
        self.assertEqual(self.provision().returncode, 0)
        events = [json.loads(f.read_text()) for f in self.events_dir.iterdir()]
        message = next(e["Message"] for e in events if e["TaskName"].endswith("ConfigFindings"))
        self.assertLessEqual(len(message.encode()), 3072)
        self.assertGreater(len(message.encode()), 3000)
        self.assertNotIn("\ufffd", message)
        self.assertIn(" | startTime=", message)


class DryRun(NodeTest):
    def test_runs_nothing_and_says_what_it_would_run(self):
        self.script("touch ran")
        run = self.provision("--dry-run")
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertEqual(run.messages, ["aks-node-controller started", "provisioning from", "dry-run", "CSE finished",
                                        "aks-node-controller finished successfully."])
        self.assertEqual(run.record("dry-run")["cmd"], "/bin/bash -c " + ONE_LINER % {"root": self.root})
        self.assertEqual(run.record("CSE finished")["exitCode"], -1)
        self.assertFalse((self.dir / "ran").exists())
        self.assertFalse(self.result.exists())
        self.assertFalse(self.complete.exists())

    def test_is_no_provision_for_the_timeline(self):
        self.script("touch ran")
        self.provision("--dry-run")
        told = self.run_program("timeline")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertTrue(told.stdout.startswith("provision: dry run only, nothing was provisioned\n"), told.stdout)
        self.assertNotIn("provision complete: +", told.stdout)

    def test_still_asks_containerd(self):
        self.script("touch ran")
        (self.bin / "containerd").write_text(f"#!/bin/sh\ntouch {self.dir}/asked\n")
        (self.bin / "containerd").chmod(0o755)
        self.provision("--dry-run")
        self.assertTrue((self.dir / "asked").exists())

    def test_changes_nothing_even_when_it_fails(self):
        self.leave_result('{"ExitCode":"5"}')
        self.config = "/nonexistent"
        self.assertEqual(self.provision("--dry-run").returncode, 1)
        self.assertEqual(self.read_result(), {"ExitCode": "5"})


class Mode(NodeTest):
    def test_auto_is_scripts_if_the_image_has_them(self):
        self.script("echo scripts")
        self.assertEqual(self.provision().stdout, "scripts\n")

    def test_auto_is_native_without_scripts(self):
        self.provision()
        self.assertIn("BootDatapoints", self.read_result())

    def test_auto_is_native_if_the_image_says_so(self):
        self.script("echo scripts")
        features = self.containers / "enabled_features.sh"
        for text, native in (("NATIVE_PROVISIONING=true\n", True), ("NATIVE_PROVISIONING=true", True),
                             ("NATIVE_PROVISIONING=false\n", False), ("NATIVE_PROVISIONING=true\nNATIVE_PROVISIONING=\n", False),
                             ("# NATIVE_PROVISIONING=true\n", False), ("NATIVE_PROVISIONING='true'\n", False)):
            with self.subTest(text):
                features.write_text(text)
                self.forget_result()
                self.assertEqual(self.provision().stdout, "" if native else "scripts\n")

    def test_flag_beats_the_image(self):
        self.script("echo scripts")
        (self.containers / "enabled_features.sh").write_text("NATIVE_PROVISIONING=true\n")
        self.assertEqual(self.provision("--mode=scripts").stdout, "scripts\n")

    def test_auto_below_a_root_never_runs_scripts(self):
        self.script("touch ran")
        self.provision("--root", self.root, env=self.environment(SUNUP_ROOT=None))
        self.assertFalse((self.dir / "ran").exists())
        self.assertIn("BootDatapoints", self.read_result())

    def test_scripts_below_a_root_must_be_asked_for(self):
        self.script("echo ran")
        run = self.provision("--root", self.root, "--mode=scripts", env=self.environment(SUNUP_ROOT=None))
        self.assertEqual(run.stdout, "ran\n")
        self.assertTrue(any("do not support --root" in m for m in run.messages))


class NbcCommand(NodeTest):
    def setUp(self):
        super().setUp()
        self.nbc = self.dir / "nbc.sh"

    def run_nbc(self, *args, **options):
        return self.run_program("provision", "--nbc-cmd", self.nbc, *args, **options)

    def test_runs_it_with_the_inherited_environment(self):
        self.nbc.write_text('echo "$0"; tr "\\0" "|" < /proc/$$/cmdline; echo; env; exit 6')
        self.nbc = f"{self.dir}/./x/../nbc.sh"
        run = self.run_nbc(env=self.environment(MINE="yes"))
        self.assertEqual(run.returncode, 6)
        self.assertEqual(run.stdout.splitlines()[:2], [f"{self.dir}/nbc.sh", f"/bin/bash|--|{self.dir}/nbc.sh|"])
        self.assertIn("MINE=yes", run.stdout)
        self.assertNotIn("CSE_TIMEOUT", run.stdout)
        self.assertEqual(run.record("Using NBC command for scriptless phase 2")["NBCCmdFile"], self.nbc)
        self.assertEqual(self.read_result()["ExitCode"], "6")

    def test_needs_no_components(self):
        self.components.unlink()
        self.nbc.write_text("echo fine")
        self.assertEqual(self.run_nbc().stdout, "fine\n")

    def test_missing(self):
        self.nbc = "/nonexistent/nbc.sh"
        error = "read NBC command file /nonexistent/nbc.sh: stat /nonexistent/nbc.sh: no such file or directory"
        self.assert_failed_fast(self.run_nbc(), error)
        self.assert_failed_fast(self.run_nbc("--provision-config", self.config), error)

    def test_not_a_regular_file(self):
        self.nbc = self.dir
        self.assert_failed_fast(self.run_nbc(), f"NBC command file {self.dir} must be a regular file")

    def test_native_refuses_what_is_no_command(self):
        self.nbc.write_text("echo never")
        self.assertEqual(self.run_nbc("--mode=native").returncode, 1)
        self.assertEqual(self.read_result()["ExitCode"], "240")

    def test_with_both_the_command_runs_and_environments_are_compared(self):
        self.nbc.write_text('VM_TYPE=other EXTRA=1 ADMINUSER="azureuser" true; echo nbc')
        run = self.run_nbc("--provision-config", self.config)
        self.assertEqual((run.returncode, run.stdout), (0, "nbc\n"))
        self.assertIn("ProvisionConfig and NBCCmd both provided, comparing envs", run.messages)
        found = [m for m in run.messages if m.startswith("env var differences (")]
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"^env var differences \(\d+\): .*only-in-nbc: EXTRA; .*differs: VM_TYPE")
        self.assertNotIn("ADMINUSER", found[0])
        self.assertIn(("CompareEnvs", "Informational", found[0]), self.event_messages())
        self.assertLess(run.messages.index("CSE finished"), run.messages.index(found[0]))
        self.assertEqual(run.messages[-1], "aks-node-controller finished successfully.")

    def test_inherited_values_are_no_part_of_the_comparison(self):
        self.nbc.write_text("true")
        for value in ("zzz", "aaa", "false"):
            run = self.run_nbc("--provision-config", self.config, "--dry-run", env=self.environment(GPU_NODE=value))
            self.assertIn("only-in-pc: GPU_NODE", run.stderr)

    def test_log_says_which_was_the_source(self):
        self.nbc.write_text("true")
        self.script("true")
        for args, source in ((("--nbc-cmd", self.nbc), "nbc-cmd"), (("--provision-config", self.config), "provision-config"),
                             (("--nbc-cmd", self.nbc, "--provision-config", self.config), "nbc-cmd")):
            with self.subTest(source):
                run = self.run_program("provision", "--dry-run", *args)
                self.assertEqual(run.record("provisioning from")["source"], source)

    def test_feature_makes_the_config_win_and_the_comparison_stays(self):
        self.nbc.write_text('VM_TYPE=other EXTRA=1 TLS_BOOTSTRAP_TOKEN="planted.of-the-command" touch nbc; touch nbc-ran')
        self.script('echo "config planted.of-the-command"')
        for features, source in (("USE_AKS_NODE_CONFIG=true\n", "provision-config"), ("USE_AKS_NODE_CONFIG=false\n", "nbc-cmd"),
                                 ("USE_AKS_NODE_CONFIG=TRUE\n", "nbc-cmd"), ("X=1\n", "nbc-cmd")):
            with self.subTest(features):
                for file in (self.result, self.complete, self.dir / "nbc-ran"):
                    file.unlink(missing_ok=True)
                (self.containers / "enabled_features.sh").write_text(features)
                run = self.run_nbc("--provision-config", self.config)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(run.stdout, "config [redacted]\n" if source == "provision-config" else "")
                self.assertEqual((self.dir / "nbc-ran").exists(), source == "nbc-cmd")
                self.assertEqual(run.record("provisioning from")["source"], source)
                self.assertIn("ProvisionConfig and NBCCmd both provided, comparing envs", run.messages)
                self.assertIn("only-in-nbc: EXTRA", run.stderr)

    def test_feature_alone_does_not_make_a_command_a_config(self):
        (self.containers / "enabled_features.sh").write_text("USE_AKS_NODE_CONFIG=true\n")
        self.nbc.write_text("echo nbc")
        self.assertEqual(self.run_nbc().stdout, "nbc\n")

    def test_a_failed_comparison_changes_nothing(self):
        self.nbc.write_text("exit 8")
        self.config = self.write_config("not json")
        run = self.run_nbc("--provision-config", self.config)
        self.assertEqual(run.returncode, 8)
        self.assertIn("compareEnvs: failed to build cmd from provision config", run.messages)

    def test_dry_run_compares_too(self):
        self.nbc.write_text("touch ran")
        run = self.run_nbc("--provision-config", self.config, "--dry-run")
        self.assertEqual(run.record("dry-run")["cmd"], f"/bin/bash -- {self.nbc}")
        self.assertFalse((self.dir / "ran").exists())
        self.assertTrue(any(m.startswith("env var differences (") for m in run.messages))


if __name__ == "__main__":
    main()
