#!/usr/bin/env python3
"""The page in a headless browser, not as a test: pictures for the docs, and how long a large one takes.

SUNUP=out/bin/sunup tests/timeline/picture.py screenshots docs/images
SUNUP=out/bin/sunup tests/timeline/picture.py time [SPANS]
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import browser

CASES = Path(__file__).resolve().parent / "cases"
HOVERED = """
  const r = [...document.querySelectorAll('#chart .row')].find(r => r.querySelector('.name').textContent === arguments[0]);
  scrollTo(0, 0);
  const b = r.querySelector('.bar').getBoundingClientRect();
  return [b.x + b.width / 2, b.y + b.height / 2];
"""
# Two frames after the load event what was parsed is also laid out and painted.
RENDERED = """
  const done = arguments[arguments.length - 1];
  requestAnimationFrame(() => requestAnimationFrame(() => done([performance.now(), document.querySelectorAll('#chart .row').length,
    performance.getEntriesByType('navigation')[0].loadEventEnd])));
"""


def page_of(logs: Path, page: Path) -> Path:
    subprocess.run([os.environ["SUNUP"], "timeline", logs, "--format", "html", "--out", page], check=True)
    return page


def screenshots(directory: Path):
    directory.mkdir(parents=True, exist_ok=True)
    with browser.browser() as b, tempfile.TemporaryDirectory() as pages:
        for case, span, dark, name in (("scripts", "ensureKubelet", False, "timeline-light.png"),
                                       ("native-retries", "imds.metadata", True, "timeline-dark.png")):
            b.open(page_of(CASES / case / "input", Path(pages) / f"{case}.html"))
            b.dark(dark)
            b.hover(*b.js(HOVERED, span))
            b.screenshot(directory / name)


def record(spans: int) -> str:
    """A run of so many steps, each needing the one before it."""
    lines = [{"sunup": "run record", "v": 1, "boot": "b0", "t": 10**9, "wall": 1794769175 * 10**9, "version": "1", "mode": "native"}]
    lines += [{"t": 10**9, "e": "declared", "step": f"step{i}", "needs": [f"step{i - 1}"] if i else []} for i in range(spans)]
    for i in range(spans):
        at = 10**9 + i * 10**6
        lines += [{"t": at, "e": "started", "step": f"step{i}", "attempt": 1}, {"t": at + 900_000, "e": "ended", "step": f"step{i}", "attempt": 1}]
    lines.append({"t": 10**9 + spans * 10**6, "e": "run ended"})
    return "".join(json.dumps(line) + "\n" for line in lines)


def processor_seconds(pid: int) -> float:
    """Of a process and all below it that live: what a machine with other work to do does not change."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(") ", 1)[1].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
        used[int(stat.parent.name)] = int(fields[11]) + int(fields[12])

    def below(one: int) -> bool:
        while one in parents and one != pid:
            one = parents[one]
        return one == pid
    return sum(ticks for one, ticks in used.items() if below(one)) / os.sysconf("SC_CLK_TCK")


def measure(spans: int):
    with browser.browser() as b, tempfile.TemporaryDirectory() as directory:
        logs = Path(directory) / "logs"
        logs.mkdir()
        (logs / "trace.jsonl").write_text(record(spans))
        page = page_of(logs, Path(directory) / "page.html")
        taken = []
        for _ in range(5):
            before = processor_seconds(b.driver.pid)
            b.open(page)
            shown, rows, loaded = b.call("POST", "/execute/async", {"script": RENDERED, "args": []})
            taken.append((shown, loaded, processor_seconds(b.driver.pid) - before))
        taken.sort()
        shown, loaded, used = taken[len(taken) // 2]
        print(f"{spans} spans, {rows} rows, {page.stat().st_size >> 10} KiB, median of {len(taken)}: loaded after {loaded:.0f} ms, rendered after"
              f" {shown:.0f} ms; {used:.2f} s of processor time in all of the browser's processes")


if __name__ == "__main__":
    if reason := browser.missing():
        sys.exit(reason)
    match sys.argv[1:]:
        case ["screenshots", directory]:
            screenshots(Path(directory))
        case ["time", *spans]:
            measure(int(spans[0]) if spans else 10_000)
        case _:
            sys.exit(__doc__)
