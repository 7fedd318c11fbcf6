#!/usr/bin/env python3
"""The HTML page in a real browser: it renders, the chain is to be seen, hovering explains, both themes work, nothing is fetched."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser

HERE = Path(__file__).resolve().parent


def page_of(case: str, directory: Path) -> Path:
    """The page as the program makes it; the expectation of a case leaves out what is the same in all."""
    page = directory / f"{case}.html"
    subprocess.run([os.environ["SUNUP"], "timeline", HERE / "cases" / case / "input", "--format", "html", "--out", page], check=True)
    return page


def milestones(case: str) -> dict:
    return json.loads((HERE / "cases" / case / "expected.json").read_text())


CENTRE = """
  const r = [...document.querySelectorAll('#chart .row')].find(r => r.querySelector('.name').textContent === arguments[0]);
  r.scrollIntoView({block: 'center'});
  const b = (r.querySelector('.bar') || r.querySelector('.mark')).getBoundingClientRect();
  return [b.x + b.width / 2, b.y + b.height / 2];
"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = browser.browser()
        cls.b = cls.context.__enter__()
        cls.pages = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)
        cls.pages.cleanup()

    def open(self, case: str):
        self.b.open(page_of(case, Path(self.pages.name)))
        return milestones(case)

    def test_every_milestone_and_span_is_drawn_inside_the_chart(self):
        for case in sorted(p.name for p in (HERE / "cases").iterdir()):
            expected = self.open(case)
            drawn = self.b.js("return [...document.querySelectorAll('#chart .row')].map(r => {const b = (r.querySelector('.bar') ||"
                              " r.querySelector('.mark')).getBoundingClientRect(), c = document.getElementById('chart').getBoundingClientRect();"
                              " return b.width > 0 && b.height > 0 && b.left >= c.left - 1 && b.right <= c.right + 1})")
            self.assertEqual(len(drawn), len(expected["milestones"]) + len(expected["spans"]), case)
            self.assertTrue(all(drawn), case)

    def test_the_chain_is_to_be_seen(self):
        expected = self.open("scripts")
        box = self.b.js("const b = document.querySelector('#chart .chain').getBoundingClientRect(); return [b.width, b.height]")
        self.assertGreater(box[0], 200)
        self.assertGreater(box[1], 200)
        chain = self.b.js("return getComputedStyle(document.querySelector('#chart .chain')).stroke")
        mark = self.b.js("return getComputedStyle(document.querySelector('#chart .row.milestone.critical .mark')).fill")
        plain = self.b.js("return getComputedStyle(document.querySelector('#chart .row.milestone:not(.critical) .mark')).fill")
        self.assertEqual(chain, mark)
        self.assertNotEqual(chain, plain)
        self.assertEqual(self.b.js("return document.querySelectorAll('#strip .part').length"), len(expected["chain"]))

    def test_hovering_tells_needs_provides_retries_and_why(self):
        self.open("native-retries")
        self.b.hover(*self.b.js(CENTRE, "imds.metadata"))
        shown = self.b.js("const t = document.getElementById('tip'); return t.hidden ? '' : t.innerText")
        for text in ("imds.metadata", "retries", "HTTP status 500", "ran because", "not done before"):
            self.assertIn(text, shown)
        self.b.hover(*self.b.js(CENTRE, "kubelet.start"))
        shown = self.b.js("return document.getElementById('tip').innerText")
        for text in ("needs", "registry.known", "provides", "kubelet.started"):
            self.assertIn(text, shown)
        self.b.hover(2, 2)
        self.assertTrue(self.b.js("return document.getElementById('tip').hidden"))

    def test_hovering_over_the_chain_says_what_was_waited_for(self):
        expected = self.open("scripts")
        longest = max(range(len(expected["chain"])), key=lambda i: expected["chain"][i]["gap"])
        at = self.b.js("const p = document.querySelectorAll('#strip .part')[arguments[0]]; p.scrollIntoView({block: 'center'});"
                       "const b = p.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", longest)
        self.b.hover(*at)
        self.assertIn(expected["chain"][longest]["waitedFor"], self.b.js("return document.getElementById('tip').innerText"))

    def test_light_and_dark_follow_the_system_until_somebody_chooses(self):
        self.open("scripts")
        colour = "return getComputedStyle(document.body).backgroundColor"
        self.b.dark(False)
        light = self.b.js(colour)
        self.b.dark(True)
        dark = self.b.js(colour)
        self.assertNotEqual(light, dark)
        self.b.click("#theme")
        self.assertEqual(self.b.js(colour), light)
        self.b.dark(False)

    def test_nothing_is_fetched_and_nothing_goes_wrong(self):
        self.open("native")
        self.assertEqual(self.b.js("return performance.getEntriesByType('resource').length"), 0)
        self.assertEqual([e for e in self.b.log() if e["level"] == "SEVERE"], [])

    def test_ten_thousand_spans_can_be_looked_at(self):
        head = {"sunup": "run record", "v": 1, "boot": "b", "t": 10**9, "wall": 1794769175 * 10**9, "mode": "native"}
        lines = [head]
        for i in range(10_000):
            needs = [f"step{i - 1}"] if i else []
            lines.append({"t": 10**9, "e": "declared", "step": f"step{i}", "needs": needs})
            lines.append({"t": 10**9 + i * 10**6, "e": "started", "step": f"step{i}", "attempt": 1})
            lines.append({"t": 10**9 + i * 10**6 + 900_000, "e": "ended", "step": f"step{i}", "attempt": 1})
        lines.append({"t": 11 * 10**9 + 10**9, "e": "run ended"})
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory) / "page.html"
            (Path(directory) / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            subprocess.run([os.environ["SUNUP"], "timeline", directory, "--format", "html", "--out", page], check=True)
            self.b.open(page)
            rows = self.b.js("return document.querySelectorAll('#chart .row').length")
            took = self.b.js("const t = performance.getEntriesByType('navigation')[0]; return t.domComplete - t.responseEnd")
        self.assertEqual(rows, 10_000 + 2)
        print(f"10,000 spans: the browser had the page ready after {took:.0f} ms", file=sys.stderr)


if __name__ == "__main__":
    if reason := browser.missing():
        print(f"skipped: {reason}", file=sys.stderr)
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    unittest.main()
