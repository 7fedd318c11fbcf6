#!/usr/bin/env python3
"""The page of `sunup serve` in a real browser: what a person sees of a text, with the mouse and with the keyboard."""

import base64
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(os.environ["SUNUP_SOURCE_DIR"]) / "tests"
sys.path[:0] = [str(TESTS / name) for name in ("nbc", "server", "timeline")]
import browser  # noqa: E402
import command  # noqa: E402
from cluster import Cluster  # noqa: E402
from serving import SOURCE, SUNUP, Server, make_ca, make_certificate  # noqa: E402

EXAMPLES = SOURCE / "examples"

TAB, SHIFT, CONTROL, ENTER, RIGHT, END, ESCAPE = "\ue004", "\ue008", "\ue009", "\ue007", "\ue014", "\ue010", "\ue00c"

# Calls back when no request is pending and the documentation of the fields is loaded.
IDLE = """
  const done = arguments[arguments.length - 1];
  const busy = () => [document.body, document.getElementById('field')].some(e => e.getAttribute('aria-busy') === 'true');
  if (!busy()) return done();
  const watch = new MutationObserver(() => { if (!busy()) { watch.disconnect(); done(); } });
  watch.observe(document.body, {attributes: true, subtree: true, attributeFilter: ['aria-busy']});
"""
FRAME = "const done = arguments[arguments.length - 1]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
# Types in a way that the page cannot distinguish from a person.
ENTER_TEXT = """
  const t = document.getElementById('text');
  t.value = arguments[0];
  t.dispatchEvent(new Event('input', {bubbles: true}));
"""
# The middle of the first character of a text in the editor, in the window.
PLACE = """
  const t = document.getElementById('text'), at = t.value.indexOf(arguments[0]), before = t.value.slice(0, at).split('\\n');
  const c = document.createElement('canvas').getContext('2d'), b = t.getBoundingClientRect();
  c.font = getComputedStyle(t).font;
  const width = c.measureText('M').width;
  t.scrollTop = Math.max(0, (before.length - 5) * 20);
  t.scrollLeft = Math.max(0, before.at(-1).length * width - 40);
  return [b.left + 10 - t.scrollLeft + (before.at(-1).length + 1.5) * width, b.top + 8 - t.scrollTop + (before.length - .5) * 20];
"""


@contextlib.contextmanager
def server(*flags):
    """Its URL."""
    running = Server(*flags)
    try:
        yield f"http://127.0.0.1:{running.port}/"
    finally:
        running.kill()


def of_text(selector: str) -> str:
    return f"return document.querySelector('{selector}').innerText"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.url = cls.stack.enter_context(server())
        cls.b = cls.stack.enter_context(browser.browser())
        cls.b.call("POST", "/timeouts", {"script": 60_000})
        cls.folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def setUp(self):
        self.refusals = False  # whether the API may refuse something
        self.b.log(), self.b.log("performance")
        self.b.open(self.url)
        self.b.wait_js(IDLE)

    def tearDown(self):
        """After every test: no error occurred in the page, and no other host was contacted."""
        wrong = [e["message"] for e in self.b.log() if e["level"] in ("SEVERE", "WARNING")]
        # The browser logs every response that is not a success, also one that the page displays.
        self.assertEqual([message for message in wrong if not (self.refusals and re.search("status of (401|403|422)", message))], [])
        for request in self.requests():
            # The browser's own pages (chrome:) are on no network.
            self.assertTrue(request["url"].startswith((self.url, "data:", "chrome:")), request["url"])

    def open_guarded(self):
        """Opens the page of a server that wants tokens, with a stand-in for the cluster that judges them."""
        make_ca(self.folder)
        make_certificate(self.folder, "apiserver", "/CN=apiserver")
        (self.folder / "token").write_text("service-token")
        cluster = Cluster(self.folder)
        self.addCleanup(cluster.close)
        cluster.users = {"good-token": ("anna", ["ops"]), "guest-token": ("gast", [])}
        cluster.allowed = {("ops", verb, "/v1/") for verb in ("get", "post")}
        kept = contextlib.ExitStack()
        self.addCleanup(kept.close)
        self.requests()
        before, self.refusals = self.url, True
        self.addCleanup(setattr, self, "url", before)
        self.url = kept.enter_context(server("--cluster", cluster.url, "--cluster-ca", str(self.folder / "ca.crt"), "--cluster-token-file", str(self.folder / "token")))
        self.b.open(self.url)
        self.b.wait_js(IDLE)

    def use_token(self, token: str):
        self.b.js("const t = document.getElementById('token'); t.focus(); t.select()")
        self.b.press(token, ENTER)
        self.b.wait_js(IDLE)

    def test_token_is_asked_for_used_and_forgotten(self):
        self.open_guarded()
        config = (EXAMPLES / "node/config.json").read_text()
        self.put(config)
        self.assertIn("needs a token", self.summary())
        self.assertFalse(self.b.js("return document.getElementById('access').hidden"))
        self.assertEqual(self.b.js("const t = document.getElementById('token'); return [t.type, t.autocomplete, t.value]"), ["password", "off", ""])
        for wrong, note, summary in (("bad-token", "does not accept this token", "does not know who is calling"),
                                     ("guest-token", "", "may not use"), ("two words", "only printable ASCII", "cannot be sent")):
            self.use_token(wrong)
            self.assertIn(note, self.b.js(of_text("#access-note")))
            self.assertIn(summary, self.summary())
        self.use_token("good-token")
        self.assertIn("No findings", self.summary())
        self.assertEqual(self.b.js(of_text("#access-note")), "")
        self.assertIn("bytes", self.b.js(of_text("#size")))
        self.assertTrue(self.hover_over('"network_plugin"'))  # the documentation, which was refused at first
        self.assertEqual(self.b.js("return [localStorage.length, sessionStorage.length, document.cookie, location.href]"), [0, 0, "", self.url])
        self.assertNotIn("good-token", self.b.js("return document.documentElement.outerHTML"))
        # A reload forgets it.
        self.b.call("POST", "/refresh", {})
        self.b.wait_js(IDLE)
        self.assertEqual(self.b.js("return document.getElementById('token').value"), "")
        self.put(config)
        self.assertIn("needs a token", self.summary())

    def test_token_field_is_opened_and_closed_with_the_keyboard(self):
        self.assertTrue(self.b.js("return document.getElementById('access').hidden"))
        self.b.js("document.getElementById('access-button').focus()")
        self.b.press(ENTER)
        self.assertEqual(self.b.js("return [document.activeElement.id, document.getElementById('access-button').getAttribute('aria-expanded')]"), ["token", "true"])
        self.b.js("document.getElementById('access-button').focus()")
        self.b.press(ENTER)
        self.assertEqual(self.b.js("return [document.getElementById('access').hidden, document.getElementById('access-button').getAttribute('aria-expanded')]"), [True, "false"])

    def requests(self) -> list[dict]:
        """Those since the last call. An entry has `url` and, once it is known, `canceled`."""
        found = {}
        for entry in self.b.log("performance"):
            message = json.loads(entry["message"])["message"]
            key = message["params"].get("requestId")
            if message["method"] == "Network.requestWillBeSent":
                found[key] = {"url": message["params"]["request"]["url"]}
            elif message["method"] == "Network.loadingFailed" and key in found:
                found[key]["canceled"] = message["params"].get("canceled", False)
        return list(found.values())

    def put(self, text: str):
        self.b.js(ENTER_TEXT, text)
        self.b.wait_js(IDLE)

    def summary(self) -> str:
        return self.b.js(of_text("#summary"))

    def hover_over(self, text: str) -> str:
        self.b.hover(*self.b.js(PLACE, text))
        self.b.wait_js(FRAME)
        return self.b.js("const t = document.getElementById('tip'); return t.hidden ? '' : t.innerText")

    def drop(self, name: str, text: str):
        file = self.folder / name
        file.write_text(text)
        x, y = self.b.js("const b = document.getElementById('text').getBoundingClientRect(); return [b.x + 50, b.y + 50]")
        for kind in ("dragEnter", "dragOver", "drop"):
            self.b.cdp("Input.dispatchDragEvent", type=kind, x=x, y=y, data={"items": [], "files": [str(file)], "dragOperationsMask": 1})
        self.b.wait_js("const done = arguments[1], t = document.getElementById('text'), look = () => t.value.startsWith(arguments[0]) ? done() : requestAnimationFrame(look); look()", text[:40])
        self.b.wait_js(IDLE)

    def test_pasted_config_has_its_findings_at_their_lines(self):
        # Cut from a text area elsewhere, and pasted.
        self.b.js("const t = document.createElement('textarea'); t.value = arguments[0]; document.body.append(t); t.focus()", (EXAMPLES / "node/broken.json").read_text())
        self.b.press(CONTROL + "a", CONTROL + "x")
        self.b.js("document.activeElement.remove(); document.getElementById('text').focus()")
        self.b.press(CONTROL + "v")
        self.b.wait_js(IDLE)
        self.assertEqual(self.summary(), "2 errors, 2 warnings")
        self.assertEqual(self.b.js("return document.getElementById('summary').getAttribute('aria-live')"), "polite")
        first = self.b.js(of_text("#findings li"))
        self.assertIn("error line 10: $.kubernetes_ca_cert this is not a certificate", " ".join(first.split()))
        self.b.js("document.querySelector('#findings button').click()")
        self.b.wait_js(FRAME)  # the lines are drawn when the scrolled text is
        # The cursor is in line 10, which is marked, and so is its number.
        self.assertEqual(self.b.js("const t = document.getElementById('text'); return t.value.slice(0, t.selectionStart).split('\\n').length"), 10)
        self.assertEqual(self.b.js("return [...document.querySelectorAll('#marks .error')].map(e => +e.dataset.line)"), [10, 21])
        self.assertEqual(self.b.js("return [...document.querySelectorAll('#gutter .mark.error')].map(e => +e.textContent)"), [10, 21])
        line, mark = self.b.js("""
          const m = document.querySelector('#marks .error').getBoundingClientRect(), t = document.getElementById('text');
          return [t.getBoundingClientRect().top + 8 + 9 * 20 - t.scrollTop, m.top]""")
        self.assertAlmostEqual(line, mark, delta=1)

    def test_text_that_is_no_config_says_where_and_draws_nothing(self):
        self.put('{\n  "version": "v1",\n  oops\n}')
        self.assertIn("This cannot be used: 1 error", self.summary())
        self.assertIn("line 3", self.b.js(of_text("#findings li")))
        self.assertEqual(self.b.js("return document.querySelectorAll('#plan svg').length"), 0)

    def test_hovering_and_the_cursor_tell_what_a_field_is(self):
        self.put((EXAMPLES / "node/broken.json").read_text())
        shown = self.hover_over('"kubelet_flags"')
        for text in ("kubelet_config.kubelet_flags", "map of string to string", "KUBELET_FLAGS", "/etc/default/kubelet"):
            self.assertIn(text, shown)
        self.assertIn("kubelet_config.kubelet_flags", self.hover_over('"--max-pods"'))  # a key of the map
        self.assertIn("not a certificate", self.hover_over('"kubernetes_ca_cert"'))     # the finding of the line
        self.b.press(ESCAPE)
        self.assertTrue(self.b.js("return document.getElementById('tip').hidden"))
        self.b.js("const t = document.getElementById('text'); t.focus(); t.setSelectionRange(...arguments)", *[
            (EXAMPLES / "node/broken.json").read_text().index('"vm_size"') + 3] * 2)
        self.b.wait_js(FRAME)
        self.assertIn("vm_size", self.b.js(of_text("#field-text")))

    def test_dropped_command_is_read_as_a_command(self):
        config = EXAMPLES / "node/config.json"
        text = command.command_for(SUNUP, config.read_bytes())
        self.drop("command.sh", text)
        self.assertEqual(self.b.js(of_text("#kind")), "A command")
        self.assertNotIn("cannot be used", self.summary())
        self.assertGreater(self.b.js("return document.querySelectorAll('#plan [data-step]').length"), 20)
        self.assertIn("bytes", self.b.js(of_text("#size")))
        self.assertIn("kubelet_config.kubelet_flags", self.hover_over("KUBELET_FLAGS="))
        self.put(text.replace("LOCATION=", "LOCATION=$(reboot)", 1))
        self.assertIn("This cannot be used", self.summary())

    def test_node_pool_and_its_class_become_a_node(self):
        pool, node_class = ((EXAMPLES / f"fleet/{name}.yaml").read_text() for name in ("nodepool", "nodeclass"))
        self.drop("pool.yaml", f"{pool}---\n{node_class}")
        self.assertFalse(self.b.js("return document.getElementById('settings-box').hidden"))
        self.assertNotIn("cannot be used", self.summary())
        self.assertGreater(self.b.js("return document.querySelectorAll('#plan [data-step]').length"), 20)
        for text in ("--max-pods", "60", "instead of 110"):
            self.assertIn(text, self.hover_over("maxPods: 60"))
        self.assertIn("label team", self.hover_over("team: web"))
        self.put(f"{pool}---\n{node_class.replace('maxPods: 60', 'maxPods: 61')}")
        self.assertIn("--max-pods", self.b.js(of_text("#changes")))
        self.put(f"{pool}---\n{node_class.replace('maxPods: 60', 'maxPods: 1')}")
        self.assertIn("must be 10..250", self.b.js(of_text("#findings")))
        line = f"{pool}---\n{node_class}".split("\n").index("  maxPods: 60") + 1
        self.assertIn(f"line {line}", self.b.js(of_text("#findings li")))

    def test_plan_is_a_picture_in_the_order_of_the_steps(self):
        self.put((EXAMPLES / "node/config.json").read_text())
        # Every arrow leads to the right, from one box to another; the steps that decide are marked.
        arrows = self.b.js("""
          const box = i => document.querySelector(`#plan [data-step="${i}"] rect`).getBBox();
          return [...document.querySelectorAll('#plan path')].map(p => box(p.dataset.from).x + box(p.dataset.from).width < box(p.dataset.to).x)""")
        self.assertGreater(len(arrows), 20)
        self.assertTrue(all(arrows))
        places = self.b.js("return [...document.querySelectorAll('#plan rect')].map(r => r.getBBox().x + ',' + r.getBBox().y)")
        self.assertEqual(len(places), len(set(places)), "boxes lie upon each other")
        self.assertGreater(self.b.js("return document.querySelectorAll('#plan g.decides').length"), 2)
        self.assertIn("ubuntu2204", self.b.js(of_text("#assumed")))
        steps = self.b.js("return [...document.querySelectorAll('#plan-list code')].map(e => e.textContent)")
        self.assertLess(steps.index("containerd.start"), steps.index("kubelet.start"))
        # With the keyboard.
        self.b.js("document.querySelector('#plan [tabindex=\"0\"]').focus()")
        self.b.press(RIGHT)
        self.assertIn(steps[1], self.b.js(of_text("#step")))
        self.b.press(END)
        self.assertIn(steps[-1], self.b.js(of_text("#step")))

    def test_size_is_shown_against_the_limit(self):
        config = json.loads((EXAMPLES / "node/config.json").read_text())
        self.put(json.dumps(config))
        shown = self.b.js(of_text("#size"))
        data = subprocess.run([SUNUP, "render", "custom-data", "--config", "-", "--encoding", "none"], input=json.dumps(config).encode(), check=True,
                              capture_output=True).stdout
        self.assertIn(f"{len(data):,} of 65,535 bytes", shown)
        self.assertEqual(self.b.js("return document.getElementById('meter').value"), len(data))
        self.refusals = True
        config["message_of_the_day"] = base64.b64encode(os.urandom(60_000)).decode()
        self.put(json.dumps(config))
        self.assertEqual(self.b.js("return document.getElementById('meter').value"), 65535)
        self.assertIn("message_of_the_day", self.b.js(of_text("#size")))

    def test_change_says_what_it_does_to_the_node(self):
        good = (EXAMPLES / "node/config.json").read_text()
        self.put(good)
        self.assertIn("the same as before", self.b.js(of_text("#changes-summary")))
        token = json.loads(good)["bootstrapping_config"]["tls_bootstrapping_token"]
        edited = re.sub(r'"--max-pods": "\d+"', '"--max-pods": "42"', good).replace(token, "abcdef.fedcba9876543210")
        self.put(edited)
        shown = self.b.js(of_text("#changes"))
        for text in ('$.kubelet_config.kubelet_flags["--max-pods"]', '"42"', "changes files /etc/default/kubelet", "secret, differs"):
            self.assertIn(text, shown)
        self.assertNotIn("fedcba9876543210", shown)
        self.assertIn("2 fields differ", self.b.js(of_text("#changes-summary")))
        self.b.click("#accept")
        self.assertEqual(self.b.js("return document.querySelectorAll('#changes li').length"), 0)
        self.put(good)
        self.assertIn("2 fields differ", self.b.js(of_text("#changes-summary")))

    def test_light_and_dark_follow_the_system_until_somebody_chooses(self):
        colour = "return getComputedStyle(document.body).backgroundColor"
        self.b.dark(False)
        light = self.b.js(colour)
        self.b.dark(True)
        dark = self.b.js(colour)
        self.assertNotEqual(light, dark)
        self.b.wait_js(FRAME)
        self.assertEqual(self.b.js("return document.getElementById('theme').getAttribute('aria-pressed')"), "true")
        self.b.click("#theme")
        self.assertEqual(self.b.js(colour), light)
        self.b.dark(False)
        self.b.click("#theme")
        self.assertEqual(self.b.js(colour), dark)

    def test_everything_is_reached_with_the_keyboard(self):
        self.put((EXAMPLES / "node/broken.json").read_text())
        self.b.js("document.activeElement.blur(); scrollTo(0, 0)")
        seen = []
        for _ in range(30):
            self.b.press(TAB)
            seen.append(self.b.js("""
              const e = document.activeElement, s = getComputedStyle(e);
              return [e.id || e.dataset.rule || (e.dataset.step !== undefined ? 'plan' : e.className || e.tagName), s.outlineStyle !== 'none' || e.dataset.step !== undefined]"""))
        names = [name for name, _ in seen]
        for name in ("skip", "os", "access-button", "theme", "open", "example", "text", "cluster-ca", "unknown-field", "plan"):
            self.assertIn(name, names)
        self.assertLess(names.index("text"), names.index("cluster-ca"))
        self.assertTrue(all(visible for name, visible in seen if name != "BODY"), seen)
        self.b.js("document.querySelector('[data-rule=\"unknown-field\"]').focus()")
        self.b.press(ENTER)
        self.assertEqual(self.b.js("const t = document.activeElement; return t.value.slice(0, t.selectionStart).split('\\n').length"), 36)

    def test_hostile_names_and_values_stay_text(self):
        evil = "<img src=x onerror=\"window.hit=1\"></textarea></script><script>window.hit=1</script>"
        config = json.loads((EXAMPLES / "node/config.json").read_text())
        self.put(json.dumps(config, indent=1))
        config[evil] = evil
        config["cluster_config"]["location"] = evil
        config["kubelet_config"]["kubelet_flags"]["--" + evil] = evil
        config["kubelet_config"]["kubelet_node_labels"] = {evil: evil, "__proto__": "x", "constructor": evil}
        self.put(json.dumps(config, indent=1))
        self.assertIn("<img src=x", self.b.js(of_text("#findings")))
        self.assertIn("<img src=x", self.b.js(of_text("#changes")))
        for name in ("location", "constructor", "__proto__"):
            self.hover_over(f'"{name}"')
        self.put(f"apiVersion: '{evil}'\nkind: NodePool\nmetadata: {{name: '{evil}'}}\nspec: {{'{evil}': 1}}\n")
        self.put(f"{evil}\n{{")
        self.assertEqual(self.b.js("return [document.images.length, document.scripts.length, typeof window.hit]"), [0, 1, "undefined"])

    def test_megabyte_is_looked_at_once_and_only_what_is_seen_is_drawn(self):
        config = json.loads((EXAMPLES / "node/config.json").read_text())
        config["kubelet_config"]["kubelet_node_labels"] = {f"example.com/label-{i:06}": f"value-{i}" for i in range(20_000)}
        text = json.dumps(config, indent=1)
        self.assertGreater(len(text), 900_000)
        self.refusals = True  # so many labels are too many for custom data
        self.requests()
        # Two edits without a pause, then one as soon as the text is on its way to the server.
        self.b.wait_js("""
          const [text, done] = arguments, t = document.getElementById('text'), send = fetch;
          const edit = more => { t.value = text + more; t.dispatchEvent(new Event('input')) };
          window.fetch = (...args) => { window.fetch = send; const sent = send(...args); edit('    '); done(); return sent; };
          for (const more of ['', ' ']) edit(more);""", text)
        self.b.wait_js(IDLE)
        checks = [request for request in self.requests() if request["url"].endswith("/v1/config/check")]
        self.assertEqual([request.get("canceled", False) for request in checks], [True, False])
        self.assertLess(self.b.js("return document.querySelectorAll('#gutter div').length"), 100)
        self.assertLess(self.b.js("return document.querySelectorAll('#findings li').length"), 400)
        self.b.js("document.getElementById('text').scrollTop = 1e9")
        self.b.wait_js(FRAME)
        self.assertEqual(self.b.js("return +document.querySelector('#gutter div:last-child').textContent"), text.count("\n") + 1)

    def test_fits_a_telephone(self):
        self.b.cdp("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
        try:
            for text in ((EXAMPLES / "node/broken.json").read_text(), (EXAMPLES / "node/config.json").read_text()):
                self.put(text)
                self.assertEqual(self.b.js("return document.scrollingElement.scrollWidth"), 360)
                self.assertGreater(self.b.js("return document.getElementById('text').clientWidth"), 200)
        finally:
            self.b.cdp("Emulation.clearDeviceMetricsOverride")

    def test_example_and_image_can_be_chosen(self):
        self.b.js("const e = document.getElementById('example'); e.value = 'pool'; e.dispatchEvent(new Event('change'))")
        self.b.wait_js(IDLE)
        self.b.js("const e = document.getElementById('os'); e.value = 'flatcar'; e.dispatchEvent(new Event('change'))")
        self.b.wait_js(IDLE)
        self.assertIn("flatcar", self.b.js(of_text("#assumed")))
        for name in self.b.js("return [...document.getElementById('os').options].map(o => o.value)"):
            self.b.js("const e = document.getElementById('os'); e.value = arguments[0]; e.dispatchEvent(new Event('change'))", name)
            self.b.wait_js(IDLE)
            self.assertIn(" bytes", self.b.js(of_text("#size")), name)
            self.assertIn(name, self.b.js(of_text("#assumed")))

    def test_no_other_server_no_markup_and_nothing_stored(self):
        self.put((EXAMPLES / "node/config.json").read_text())
        self.assertEqual(self.b.js("return [localStorage.length, sessionStorage.length, document.cookie]"), [0, 0, ""])
        other = self.url.replace("127.0.0.1", "127.0.0.2")
        self.assertEqual(self.b.wait_js("fetch(arguments[0]).then(() => 'sent', e => e.name).then(arguments[1])", other), "TypeError")
        self.assertEqual(self.b.js("try { document.body.innerHTML = '<b>x</b>'; return 'parsed' } catch (e) { return e.name }"), "TypeError")
        ran = "const s = document.createElement('script'); try { s.textContent = 'window.hit = 1' } catch {} document.body.append(s); return window.hit"
        self.assertIsNone(self.b.js(ran))
        # The browser complains about each of the three.
        complaints = [e["message"] for e in self.b.log()]
        self.assertTrue(all("Content Security Policy" in message or "TrustedScript" in message or "TrustedHTML" in message for message in complaints), complaints)


def picture(folder: Path):
    """The picture of docs/page.md: page_test.py --picture docs/images"""
    with server() as url, browser.browser() as b:
        b.cdp("Emulation.setDeviceMetricsOverride", width=1400, height=1500, deviceScaleFactor=1, mobile=False)
        b.open(url)
        b.wait_js(IDLE)
        for name in ("config", "broken"):
            b.js(ENTER_TEXT, (EXAMPLES / f"node/{name}.json").read_text())
            b.wait_js(IDLE)
        for dark in (False, True):
            b.dark(dark)
            b.hover(*b.js(PLACE, '"network_plugin"'))
            b.wait_js(FRAME)
            b.screenshot(folder / f"page-{'dark' if dark else 'light'}.png")


if __name__ == "__main__":
    if lacking := browser.missing():
        sys.exit(lacking)
    if sys.argv[1:2] == ["--picture"]:
        picture(Path(sys.argv[2]))
    else:
        unittest.main()
