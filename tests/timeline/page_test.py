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
import picture

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


# The rows that are visible now, by name, with the positions of their bars.
SEEN = """
  const seen = {};
  for (const r of document.querySelectorAll('#chart .row')) {
    const b = (r.querySelector('.bar') || r.querySelector('.mark')).getBoundingClientRect();
    if (b.bottom > 0 && b.top < innerHeight && b.width > 0) seen[r.querySelector('.name').textContent] = [b.x, b.y, b.width, b.height];
  }
  return seen;
"""
# After the frame in which the page heard of the scrolling.
SCROLLED = """
  const done = arguments[arguments.length - 1];
  scrollTo(0, arguments[0]);
  requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY)));
"""


class LargePage(unittest.TestCase):
    """A page that cannot contain all of its rows: they must exist wherever the user scrolls."""

    SPANS = 10_000

    @classmethod
    def setUpClass(cls):
        cls.context = browser.browser()
        cls.b = cls.context.__enter__()
        cls.directory = tempfile.TemporaryDirectory()
        (Path(cls.directory.name) / "trace.jsonl").write_text(picture.record(cls.SPANS))
        cls.page = picture.page_of(Path(cls.directory.name), Path(cls.directory.name) / "page.html")

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)
        cls.directory.cleanup()

    def setUp(self):
        self.b.open(self.page)
        self.rows = len(self.b.js("return JSON.parse(document.getElementById('data').textContent).rows"))

    def scroll(self, y: float) -> float:
        return self.b.call("POST", "/execute/async", {"script": SCROLLED, "args": [y]})

    def scroll_to_row(self, i: int):
        """By the page's length alone: nothing of the page's own script is asked."""
        return self.scroll(self.b.js("const c = document.getElementById('chart').getBoundingClientRect();"
                                     "return scrollY + c.top + c.height * (arguments[0] + .5) / arguments[1] - innerHeight / 2", i, self.rows))

    def in_document(self) -> int:
        return self.b.js("return document.querySelectorAll('#chart .row').length")

    def test_is_ready_without_laying_out_what_nobody_sees(self):
        self.assertEqual(self.rows, self.SPANS + 2)
        self.assertLess(self.in_document(), 1000)
        shown, _, loaded = self.b.call("POST", "/execute/async", {"script": picture.RENDERED, "args": []})
        print(f"{self.SPANS} spans: loaded after {loaded:.0f} ms, asked and painted after {shown:.0f} ms", file=sys.stderr)

    def test_every_row_is_there_when_it_is_scrolled_to(self):
        seen, at, height = {}, 0, self.b.js("return innerHeight")
        while True:
            was = self.scroll(at)
            now = self.b.js(SEEN)
            for name, (_, y, _, _) in now.items():
                self.assertAlmostEqual(seen.setdefault(name, y + was), y + was, delta=1, msg=f"{name} moved")
            if was < at:
                break
            at += height - 10
        self.assertEqual(sorted(n for n in seen if n.startswith("step")), sorted(f"step{i}" for i in range(self.SPANS)))
        self.assertEqual(len(seen), self.rows)
        tops = [seen[f"step{i}"] for i in range(self.SPANS)]
        self.assertEqual(tops, sorted(tops), "rows are in the order they began")
        self.assertLess(self.in_document(), 1000, "what is out of sight is let go")

    def test_chain_is_to_be_seen_wherever_one_looks(self):
        for i in (0, 137, 5000, self.SPANS - 2):
            self.scroll_to_row(i)
            on = self.b.js("""
              const r = [...document.querySelectorAll('#chart .row')].find(r => r.querySelector('.name').textContent === arguments[0]);
              const bar = r.querySelector('.bar'), path = document.querySelector('#chart .chain'), p = document.getElementById('chart').createSVGPoint();
              p.x = +bar.getAttribute('x'); p.y = +bar.getAttribute('y') + bar.getAttribute('height') / 2;
              return [path.isPointInStroke(p), getComputedStyle(path).stroke !== 'none']""", f"step{i}")
            self.assertEqual(on, [True, True], f"step{i}")
        self.assertGreater(self.b.js("return document.querySelectorAll('#strip .part').length"), 100)
        self.assertGreater(self.b.js("return document.querySelectorAll('#waits td.bar').length"), 100)

    def hover_row(self, name: str) -> str:
        x, y, width, height = self.b.js(SEEN)[name]
        self.b.hover(x + width / 2, y + height / 2)
        return self.b.js("const t = document.getElementById('tip'); return t.hidden ? '' : t.innerText")

    def test_hovering_explains_the_row_under_the_mouse(self):
        for i in (3, 5000, self.SPANS - 1):
            self.scroll_to_row(i)
            shown = self.hover_row(f"step{i}")
            for text in (f"step{i}\n", "needs", f"step{i - 1}", "critical"):
                self.assertIn(text, shown)

    def test_pinned_row_stays_pinned_when_it_comes_back(self):
        self.scroll_to_row(4000)
        shown = self.hover_row("step4000")
        x, y, width, height = self.b.js(SEEN)["step4000"]
        self.b.js("document.elementFromPoint(...arguments).dispatchEvent(new MouseEvent('click', {bubbles: true}))", x + width / 2, y + height / 2)
        self.scroll_to_row(9000)
        tip = "const t = document.getElementById('tip'); return t.hidden ? '' : t.innerText"
        self.assertEqual(self.b.js(tip), shown)
        self.scroll_to_row(4000)
        pinned = "return [...document.querySelectorAll('.pinned .name')].map(n => n.textContent)"
        self.assertEqual(self.b.js(pinned), ["step4000"])
        self.b.js("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
        self.assertEqual(self.b.js(pinned), [])
        self.assertEqual(self.b.js(tip), "")

    def test_what_is_looked_for_is_found_though_it_was_not_drawn(self):
        self.b.js("""
          const find = document.getElementById('find');
          find.value = 'step777'; find.dispatchEvent(new Event('input'));""")
        enter = "document.getElementById('find').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))"
        dim = """return [...document.querySelectorAll('#chart .row')].filter(r => !r.classList.contains('dim')).map(r => r.querySelector('.name').textContent)"""
        for name in ("step777", "step7770", "step7771"):
            self.b.js(enter)
            self.scroll(self.b.js("return scrollY"))
            self.assertIn(name, self.b.js(SEEN))
        self.assertEqual(self.b.js(dim), [f"step777{i}" for i in range(10)])

    def test_print_has_all_rows(self):
        self.b.js("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.in_document(), self.rows)
        self.b.js("dispatchEvent(new Event('afterprint'))")
        self.assertLess(self.in_document(), 1000)

    def test_without_scripts_it_says_what_is_missing(self):
        self.assertIn(f"draws its {self.rows} rows with a script", self.page.read_text().split("<noscript>")[1].split("</noscript>")[0])


if __name__ == "__main__":
    if reason := browser.missing():
        print(f"skipped: {reason}", file=sys.stderr)
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    unittest.main()
