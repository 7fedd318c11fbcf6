"""Every system call of a provisioning run fails once: the run must then report a failure or have done all its work.

For each node (trees.py: every golden case in native mode, and scripts mode), a calm run is recorded first: its tree and its
system calls. Then, for each call and each error, the tree is made anew, the call fails (inject.cc), and the program runs
again without a failure. Wrong is everything else than
  - a success: exit code 0, a result that says so, and the tree of the calm run, except for the files of unfinished steps that the result names,
  - a failure: an exit code other than 0, a result with that failure, and the marker of the end;
and then, after the second run, the exit code, the verdict and the tree of the calm run.

A failure has a name, NODE:THREAD:CALL:NUMBER:ERROR, which runs it alone. Failures of the same call on the same file with the
same error, by whatever node or number, are of one kind: a run takes one of each kind before it takes a second one. The order
of the failures depends on the seed and on their names alone, so that the same sample is taken on a fast and on a slow machine.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import trees

ERRORS = ("ENOSPC", "EIO", "EMFILE", "ENOMEM", "EINTR")
# Calls that cannot fail, that do not return, or whose failure the C library does not survive (futex).
NEVER = {"arch_prctl", "clock_gettime", "exit", "exit_group", "getegid", "geteuid", "getgid", "getpid", "getppid", "gettid", "getuid",
         "futex", "prlimit64", "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "sched_yield", "set_robust_list",
         "set_tid_address", "umask"}
# The errors that a call can fail with; the others would be a fault of the kernel, not of the machine.
ONLY = {"brk": ["ENOMEM"], "madvise": ["ENOMEM"], "mmap": ["ENOMEM"], "mprotect": ["ENOMEM"],
        "munmap": ["ENOMEM"], "mremap": ["ENOMEM"], "epoll_wait": ["EINTR"], "epoll_pwait": ["EINTR"], "poll": ["ENOMEM", "EINTR"],
        "ppoll": ["ENOMEM", "EINTR"], "clone": ["ENOMEM"], "clone3": ["ENOMEM"], "waitid": ["EINTR"], "wait4": ["EINTR"]}
# The first call of main(): earlier failures occur in the dynamic loader, which ends the program without a result.
BEGINS = "openat /dev/null"
TIME_LIMIT = 30  # of one run; a run takes about 20 ms


@dataclasses.dataclass
class Run:
    hit: str  # the call that failed
    end: str  # "exit 0", "signal 6", "hang"
    output: str
    tree: dict

    def verdict(self):
        """The exit code of the result; None if there is no result; a text if the result cannot be read."""
        entry = self.tree.get(trees.RESULT)
        if entry is None:
            return None
        try:
            return int(json.loads(entry[2])["ExitCode"])
        except (ValueError, KeyError, TypeError):
            return f"unreadable: {entry[2][:80]!r}"

    def unfinished(self) -> list[str]:
        """The steps that the result names as not finished."""
        try:
            return json.loads(self.tree[trees.RESULT][2]).get("UnfinishedSteps", [])
        except (ValueError, KeyError):
            return []


class Place:
    """A directory in which a node is provisioned repeatedly."""

    def __init__(self, base: pathlib.Path, program: str, injector: str, node):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{node.name}-", dir=base))
        self.program, self.injector, self.node = program, injector, node
        node.make(self.folder)
        self.fresh = trees.snapshot(self.folder / "root")
        self.files_of = node.files_of_steps(program, self.folder)

    def reset(self):
        trees.restore(self.folder / "root", self.fresh)

    def run(self, *how: str) -> Run:
        """Runs the program, under the injector if arguments for it are given."""
        report = self.folder / "report"
        report.unlink(missing_ok=True)
        argv = [self.program, *self.node.arguments(self.folder)]
        if how:
            argv = [self.injector, *how, str(report), *argv]
        child = subprocess.Popen(argv, env=self.node.environment(self.folder), cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output = child.communicate(timeout=TIME_LIMIT)[0].decode(errors="replace")
            told = report.read_text().splitlines() if how else [f"exit {child.returncode}"]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output = child.communicate()[0].decode(errors="replace")
            told = (report.read_text().splitlines() if how else []) + ["hang"]
        if how and child.returncode not in (0, -signal.SIGKILL):
            raise SystemExit(f"fault-inject failed with {child.returncode} in {' '.join(argv)}: {output}")
        return Run(told[0].replace(str(self.folder), "") if len(told) > 1 else "", told[-1], output,
                   trees.snapshot(self.folder / "root"))

    def calm(self) -> tuple[Run, list[str], list[str]]:
        """A run without a failure, and its calls with their subjects: those from main() on, and those of the loader."""
        self.reset()
        calls = self.folder / "calls"
        run = self.run("--list", str(calls))
        lines = calls.read_text().splitlines()
        begin = next((i for i, line in enumerate(lines) if re.sub(r"^main:(\w+):\d+", r"\1", line) == BEGINS), None)
        if begin is None:
            raise SystemExit(f"the calls of {self.node.name} do not contain '{BEGINS}', with which the program begins")
        unknown = [line for line in lines if re.match(r"\w+:call\d+:", line)]
        if unknown:
            raise SystemExit(f"{self.node.name} uses calls that calls.h lacks: {unknown[:3]}")
        return run, lines[begin:], lines[:begin]


def errors_of(call: str) -> list[str]:
    name, _, about = call.split(":", 1)[1].partition(":")
    if name in NEVER:
        return []
    # An eventfd, a timer and an epoll descriptor use only kernel memory.
    return ["EINTR"] if "anon_inode:" in about else ONLY.get(name, ERRORS)


def excused(line: str, files: list[str]) -> bool:
    """Whether a difference concerns one of the files, a directory above it, or the content of a tree that a step removes."""
    path = line.split(": ", 1)[1]
    return any(file == path or file.startswith(path + "/") or path.startswith(file + "/") for file in files)


def judge(calm: Run, first: Run, second: Run, in_loader: bool, fresh: dict, files_of: dict[str, list[str]]) -> list[str]:
    """The problems of the run in which a call failed, and of the run after it."""
    wrong = []
    code = first.end.removeprefix("exit ")
    # glibc's loader may crash if one of its own calls fails, before the program has begun.
    if not code.isdigit() and not in_loader:
        return [f"the program ended with {first.end}"]
    verdict, said = first.verdict(), calm.verdict()
    if in_loader and code != "0" and first.end != calm.end:
        if changed := trees.differences(fresh, first.tree):
            wrong += [f"the loader failed, but something ran: {line}" for line in changed]
    elif code == "0":
        if calm.end != "exit 0":
            wrong.append("a success, although the script failed")
        if verdict != said:
            wrong.append(f"exit code 0, but the result says {verdict}")
        # The next start removes a journal that could not be removed.
        left = [line for line in trees.differences(calm.tree, first.tree) if line != "left over: " + trees.JOURNAL]
        files = [file for step in first.unfinished() for file in files_of.get(step, [])]
        wrong += ["success with another tree: " + line for line in left if not excused(line, files)]
    else:
        # The result ends provision-wait, with or without the marker.
        if verdict is None or verdict == 0 or isinstance(verdict, str):
            wrong.append(f"exit code {code}, but the result says {'nothing' if verdict is None else verdict}")
    if second.end != calm.end or second.verdict() != said:
        wrong.append(f"the run after it: {second.end}, the result says {second.verdict()}")
    return wrong + ["after the second run: " + line for line in trees.differences(calm.tree, second.tree)]


class Worker:
    """The data of one process: a directory for each node, and the run without faults there."""
    places = {}

    @classmethod
    def check(cls, base, program, injector, node_name, call, error, in_loader):
        if node_name not in cls.places:
            place = Place(base, program, injector, next(node for node in NODES if node.name == node_name))
            cls.places[node_name] = place, place.run()
        place, calm = cls.places[node_name]
        place.reset()
        first = place.run("--fail", f"{call}:{error}")
        name = f"{node_name}:{call}:{error}"
        if first.hit == "not reached":
            return name, first.hit, [], ""
        second = place.run()
        return (name, first.hit, judge(calm, first, second, in_loader, place.fresh, place.files_of),
                first.output + "--- the run after it\n" + second.output)


NODES = trees.all_nodes()


def options():
    parser = argparse.ArgumentParser(prog="./dev test faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=os.path.abspath, help=argparse.SUPPRESS)
    parser.add_argument("--injector", required=True, type=os.path.abspath, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help="stop after this time (default: only when every call has failed)")
    parser.add_argument("--most", type=int, help="stop after so many failures")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="the order of the failures")
    parser.add_argument("--node", action="append", help="only this node (default: all)")
    parser.add_argument("--call", action="append", default=[], help="only calls of this name")
    parser.add_argument("--about", action="append", default=[], help="only calls on paths or descriptors with this text")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--max-wrong", type=int, default=20, help="stop after so many wrong runs")
    parser.add_argument("names", nargs="*", metavar="NODE:THREAD:CALL:NUMBER:ERROR", help="only these failures, with the program's output")
    return parser.parse_args()


def is_asked_for(asked, call: str) -> bool:
    name, about = call.split(":")[1], call.partition(" ")[2]
    return not (asked.call or asked.about) or name in asked.call or any(text in about for text in asked.about)


def kind_of(call: str, folder: str, error: str) -> tuple:
    """The thread, the call, the file without parts that differ between runs, and the error."""
    name, _, about = call.partition(" ")
    about = re.sub(r"[0-9a-f]{6,}|\d+", "N", about.replace(folder, ""))
    return *name.split(":")[:2], about, error


def in_order(plan: list[tuple], seed: int) -> list[tuple]:
    """The failures in rounds, each with at most one of a kind, and within a round by the hash of the seed and their names."""
    hashed = sorted((hashlib.sha256(f"{seed}:{node}:{call}:{error}".encode()).digest(), (node, call, error, in_loader), kind)
                    for node, call, error, in_loader, kind in plan)
    taken = collections.Counter()
    rounds = []
    for digest, failure, kind in hashed:
        rounds.append((taken[kind], digest, failure))
        taken[kind] += 1
    print(f"{len(taken)} kinds of failures")
    return [failure for _, _, failure in sorted(rounds)]


def planned(asked, base) -> list[tuple]:
    if asked.names:
        plan, loader = [], {}
        for name in asked.names:
            node, call = name.split(":", 1)
            call, error = call.rsplit(":", 1)
            if node not in loader:
                place = Place(base, asked.program, asked.injector, next(one for one in NODES if one.name == node))
                loader[node] = {line.split(" ")[0] for line in place.calm()[2]}
            plan.append((node, call, error, call in loader[node]))
        return plan
    nodes = [node for node in NODES if not asked.node or node.name in asked.node]
    if not nodes:
        raise SystemExit(f"no such node; there are: {' '.join(node.name for node in NODES)}")
    plan = []
    for node in nodes:
        place = Place(base, asked.program, asked.injector, node)
        run, calls, loader = place.calm()
        failing = isinstance(node, trees.Scripts) and node.name.endswith("-failing")
        if (run.end == "exit 0") == failing:
            raise SystemExit(f"{node.name}: the calm run ended with {run.end}\n{run.output}")
        plan += [(node.name, call.split(" ")[0], error, call in loader, kind_of(call, str(place.folder), error))
                 for call in loader + calls for error in errors_of(call) if is_asked_for(asked, call)]
    if not plan:
        raise SystemExit("no call fits")
    return in_order(plan, asked.seed)[:asked.most]


def main():
    asked = options()
    os.umask(0o022)
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncing costs nothing there
    base = pathlib.Path(tempfile.mkdtemp(prefix="sunup-faults-", dir=parent))
    started, counts, missed, wrong = time.monotonic(), 0, 0, []
    try:
        plan = planned(asked, base)
        print(f"seed {asked.seed}: {len(plan)} failures of {len({name for name, *_ in plan})} nodes"
              + (f", as many as fit into {asked.seconds:.0f} s" if asked.seconds else ""), flush=True)
        work, running = iter(plan), set()
        with concurrent.futures.ProcessPoolExecutor(asked.jobs) as pool:
            while True:
                late = asked.seconds is not None and time.monotonic() - started > asked.seconds or len(wrong) >= asked.max_wrong
                while not late and len(running) < 2 * asked.jobs and (next_one := next(work, None)):
                    running.add(pool.submit(Worker.check, base, asked.program, asked.injector, *next_one))
                if not running:
                    break
                done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    name, hit, found, output = future.result()
                    counts += 1
                    missed += hit == "not reached"
                    if asked.names:
                        print(output)
                    if found:
                        wrong.append(name)
                    if found or asked.names:
                        print("\n  ".join([f"{name} ({hit})", *(found or ["as it should be"])]), flush=True)
                    if counts % 5000 == 0:
                        print(f"{counts} failures in {time.monotonic() - started:.0f} s, {len(wrong)} wrong", flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    if wrong:
        print(f"seed {asked.seed}; one of them alone, with its output: ./dev test faults {wrong[0]}")
    # A call that was not reached because of the timing of threads does not count as tested.
    print(f"{counts - missed} failing calls in {time.monotonic() - started:.0f} s, {len(wrong)} wrong, {missed} calls not reached")
    sys.exit(1 if wrong or counts == missed else 0)


if __name__ == "__main__":
    main()
