# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of springbench live in a real browser: live_browser.py PROGRAM [TEST ...]. Chromium without a screen turns
knobs, drags and pins vertices, blows wind, compares two simulations, watches while another page has the hand, loads the
page again and hides it. It sees a simulation that is stuck and one that ends. The page fits a phone and a desk, light
and dark, and is fast enough. Ends with 77 where there is no chromium or no libwebsockets."""
import base64
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

sys.path[:0] = [__file__.rsplit("/", 2)[0] + folder for folder in ("", "/report", "/live")]
from client import Live
from html_browser import CONTRAST, Browser, complaints
from pictures import png
from program import PROGRAM, Program, main

if not shutil.which("chromium") or not pathlib.Path(f"{PROGRAM}-live").exists():
    print("no chromium or no libwebsockets here: not tested")
    sys.exit(77)
SOFTWARE = "--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
CLOTH = ["scene=cloth", "grid=10", "h=2e-3"]


class Pages(Program):
    live = None

    @classmethod
    def setUpClass(cls):
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.browser = Browser(profile.name, SOFTWARE)
        cls.addClassCleanup(profile.cleanup)
        cls.addClassCleanup(cls.browser.close)

    def open(self, *options, width=1280, height=800, scheme="light"):
        self.live = Live(PROGRAM, *(options or CLOTH), folder=self.folder)
        self.address = self.live.address
        self.browser.events = []
        self.browser.look(width, scheme)
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                          mobile=width < 400)
        self.load()

    def load(self):
        self.browser.open("about:blank")
        self.browser.open(self.live.address)
        self.until("live.sides[0]?.view && live.knobs.size > 50 && live.sides[0].now.step > 0")

    def end(self):
        self.browser.open("about:blank")
        self.assertEqual(self.live.end(), (0, ""))
        self.live.process.stdout.close(), self.live.process.stderr.close()
        self.live = None
        self.assertEqual(list(complaints(self.browser.events, self.address)), [])

    def tearDown(self):
        if self.live:
            self.end()

    def ask(self, script):
        return self.browser.ask(script)

    def until(self, what, seconds=30):
        """Waits for a condition in the page."""
        end = time.monotonic() + seconds
        while not (found := self.ask(what)):
            self.assertLess(time.monotonic(), end, f"{what}: {self.ask('document.body.innerText')}")
            time.sleep(0.02)
        return found

    def click(self, name):
        self.ask(f"at({name!r}).click()")

    def set(self, knob, text):
        """Types a value."""
        self.ask(f"""(() => {{ const {{ field }} = live.knobs.get({knob!r}); field.value = {text!r};
          field.dispatchEvent(new Event("change")); }})()""")

    def value(self, knob):
        return self.ask(f"live.sides[0].values[{knob!r}]")

    def row(self, knob):
        return self.ask(f"live.knobs.get({knob!r}).row.innerText")

    def key(self, key, kinds=("keyDown", "keyUp")):
        for kind in kinds:
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def mouse(self, kind, place):
        self.browser.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=place[0], y=place[1], button="left",
                          buttons=int(kind != "Released"), clickCount=1)

    def drag(self, *places):
        self.mouse("Pressed", places[0])
        for place in places[1:]:
            self.mouse("Moved", place)
        self.mouse("Released", places[-1])

    def pixel(self, vertex):
        return self.ask(f"""(() => {{ const {{ net, view }} = live.sides[0], box = view.canvas.getBoundingClientRect();
          const [x, y] = view.lens().see(placeOf(net, {vertex})); return [box.left + x, box.top + y]; }})()""")

    def pause(self):
        self.click("run")
        self.until("!live.state.running && newest === null")

    def simulations(self):
        """Processes of the simulations."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words, status = (path / "cmdline").read_text(), (path / "stat").read_text()
            except OSError:
                continue
            if "springbench-live-cases" in words and int(status.rsplit(")", 1)[1].split()[1]) == self.live.process.pid:
                found.append(int(path.name))
        return found

    def test_knobs(self):
        self.open()
        names = self.ask("[...document.querySelectorAll('.knob label')].map((label) => label.textContent)")
        self.assertGreater(len(names), 8)
        self.assertTrue({"integrator", "grid", "stiffness", "h"} <= set(names), names)
        self.assertEqual(self.value("h"), "0.002")
        self.set("h", "1 ms")
        self.until("live.sides[0].values.h === '0.001' && live.sides[0].now.h === 0.001")
        self.assertIn("time step", self.row("h"))
        self.ask("live.knobs.get('stiffness').slider.focus()")
        for _ in range(10):
            self.key("ArrowLeft", ["rawKeyDown"])
        self.until("Number(live.sides[0].values.stiffness) < 950 && !live.knobs.get('stiffness').busy")
        self.assertEqual(self.ask("live.knobs.get('stiffness').field.value"), self.value("stiffness"))
        self.ask("{ at('search').value = 'damping'; at('search').dispatchEvent(new Event('input')); }")
        self.assertIn("spring damping", self.ask("at('knobs').innerText"))
        self.click("wires")
        self.key("2")
        self.until("live.sides[0].net.vertices === 32 * 32 && !live.sides[0].fresh")
        self.assertEqual(self.value("grid"), "31")

    def test_refusals(self):
        self.open()
        before = self.value("stiffness")
        self.set("stiffness", "-5")
        self.until("live.knobs.get('stiffness').note.className === 'bad'")
        self.assertRegex(self.row("stiffness"), r"-5")
        self.assertEqual(self.value("stiffness"), before)
        step = self.ask("live.sides[0].now.step")
        self.until(f"live.sides[0].now.step > {step}")
        self.set("stiffness", "500")
        self.until("live.sides[0].values.stiffness === '500' && live.knobs.get('stiffness').note.className === ''")
        self.click("all")
        self.assertTrue(self.ask("live.knobs.get('mesh').field.disabled"))
        self.assertIn("command line", self.row("mesh"))
        self.ask("send({ do: 'set', side: 0, option: 'mesh', value: '/etc/passwd' })")
        self.until("/command line/.test(live.knobs.get('mesh').note.textContent)")

    def test_dragging_pinning_and_wind(self):
        self.open()
        time.sleep(0.5)
        self.pause()
        vertex = 115
        x, y = self.pixel(vertex)
        self.mouse("Pressed", (x, y))
        for i in range(1, 6):
            self.mouse("Moved", (x + 12 * i, y - 9 * i))
        self.until(f"Math.hypot(...sum(placeOf(live.sides[0].net, {vertex}), held.to, -1)) < 1e-4")
        at = self.pixel(vertex)
        self.assertAlmostEqual(at[0], x + 60, delta=1)
        self.assertAlmostEqual(at[1], y - 45, delta=1)
        self.mouse("Released", (x + 60, y - 45))
        self.until(f"live.sides[0].net.marked[{vertex}] === 0")
        for pinned in (1, 0):
            self.drag(self.pixel(60))
            self.until(f"live.sides[0].net.marked[60] === {pinned}")
        step = self.ask("live.sides[0].now.step")
        self.key("."), self.until(f"live.sides[0].now.step === {step + 1}")
        turn = self.ask("camera.turn")
        self.drag((40, 500), (80, 500))
        self.assertAlmostEqual(self.ask("camera.turn"), turn - 16)
        self.click("run")
        self.key("w", ["keyDown"])
        self.until("live.sides[0].net.high[1] > 1.5")  # it is blown away from who looks
        self.key("w", ["keyUp"])
        self.assertFalse(self.ask("blowing"))

    def test_two_beside_each_other(self):
        self.open("scene=cloth", "grid=8", "h=0.01", "integrator=implicit_euler")
        self.key("t")
        self.until("live.state.sides === 2 && live.sides[1]?.view && live.knobs.get('minimizer').isRead")
        self.set("minimizer", "local_global")
        self.until("live.sides[1].values.minimizer === 'local_global'")
        self.assertEqual(self.value("minimizer"), "newton")
        self.set("max_iterations", "1")
        self.until("live.sides[1].now?.iterations === 1 && live.sides[0].now.distance > 1e-6")
        self.assertEqual(self.ask("live.sides.map((side) => side.name.textContent.split(',')[0])"),
                         ["minimizer = newton", "minimizer = local_global"])
        self.assertEqual(*self.ask("live.sides.map((side) => side.now.time)"))
        self.until("document.querySelectorAll('#strips section:not([hidden])').length === 6")
        self.click("command")
        self.assertRegex(self.until("document.querySelector('#said code')?.textContent"), "^springbench case ")
        self.click("save")
        self.until("/written to/.test(at('said').textContent)")
        self.ask("live.knobs.get('h').row.querySelector('.track button').click()")
        line = self.until("document.querySelector('#said code')?.textContent.match(/^springbench run .*/)?.[0]")
        self.assertTrue((self.folder / line.split()[-1]).exists())
        self.key("t")
        self.until("live.state.sides === 1 && document.querySelectorAll('figure:not([hidden])').length === 1")

    def test_two_pages_and_the_hand(self):
        self.open()
        other = self.live.page()
        other.until(lambda m: isinstance(m, dict) and m["type"] == "state" and m["hand"] == "another")
        self.until("live.state.pages === 2 && live.state.hand === 'yours'")
        other.say("take")
        self.until("live.state.hand === 'another' && !at('watch').hidden")
        self.assertEqual(self.ask("['run', 'save'].map((id) => at(id).matches(':disabled'))"), [True, True])
        self.key(" "), self.drag(self.pixel(60))
        self.assertTrue(self.ask("live.state.running"))
        self.click("take")
        self.until("live.state.hand === 'yours'")
        self.pause()
        other.socket.close()
        self.until("live.state.pages === 1")

    def test_reload_and_hidden_page(self):
        self.open()
        self.set("stiffness", "700")
        self.until("live.sides[0].values.stiffness === '700'")
        step = self.ask("live.sides[0].now.step")
        self.load()
        self.assertEqual(self.value("stiffness"), "700")
        self.assertGreaterEqual(self.until("live.sides[0].now.step"), step)
        hide = """Object.defineProperty(document, "hidden", { value: %s, configurable: true });
          document.onvisibilitychange()"""
        self.ask(hide % "true")
        time.sleep(0.5)
        step = self.ask("live.sides[0].now.step")
        time.sleep(0.5)
        self.assertEqual(self.ask("live.sides[0].now.step"), step)
        self.ask(hide % "false")
        self.until(f"live.sides[0].now.step > {step}")

    def test_stuck_stopped_and_ended(self):
        self.open()
        said = "(document.querySelector('.stop:not([hidden])')?.innerText ?? '')"
        process, = self.simulations()
        os.kill(process, signal.SIGSTOP)
        self.until(f"/A step has taken/.test({said})")
        os.kill(process, signal.SIGCONT)
        self.until(f"{said} === ''")
        os.kill(process, signal.SIGKILL)
        self.until(f"/ended/.test({said})")
        self.ask("document.querySelector('.stop button').click()")
        self.until(f"{said} === '' && live.sides[0].now?.step === 0")
        self.click("run")
        self.set("h", "0.1")
        self.until(f"/Stopped, diverged/.test({said})")
        self.set("h", "1e-3")
        self.until(f"live.sides[0].values.h === '0.001' && {said} === ''")
        self.click("run")
        self.until("live.sides[0].now.step > 0")

    def test_phone_and_desk_light_and_dark(self):
        for width in (390, 1280):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.open(width=width, scheme=scheme)
                    self.key("t")
                    self.until("live.state.sides === 2 && live.sides[1]?.now?.step > 0")
                    self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
                    self.assertGreater(self.ask(CONTRAST)[0], 4.5)
                    rows = png(base64.b64decode(self.browser.call("Page.captureScreenshot", format="png")["data"]))[2]
                    red = sum(p[0] > p[2] + 30 for row in rows[60:400] for p in row[:width // 2])
                    self.assertGreater(red, 30)  # what is strained
                    self.end()

    def test_cost_of_a_picture(self):
        """The page's own code takes at most 4 ms of a picture of 41×41 vertices, and 12 ms of one of 161×161."""
        for grid, most in ((40, 4), (160, 12)):
            self.open("scene=cloth", f"grid={grid}", "h=1e-4", "stiffness=100")
            self.until("live.count > 60")
            self.assertLess(self.ask("live.cost"), most)
            self.end()


main()
