# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages that play a motion, in a real browser, by their pixels: player_browser.py PROGRAM [TEST ...]. Chromium without a
screen draws cloth, colliders, a rope, particles and two motions side by side; another frame, a turned or a nearer view
shows something else, by the mouse, fingers, the keyboard or the address; the page plays and pauses; it fits a phone, light
and dark; it asks for nothing from the network. Ends with 77 where there is no chromium."""
import base64
import collections
import shutil
import sys
import tempfile

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from html_browser import CONTRAST, Browser, complaints
from pictures import png
from program import Program, main

if not shutil.which("chromium"):
    print("no chromium here: not tested")
    sys.exit(77)
SOFTWARE = "--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
SETTLED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"


def is_red(pixel):
    return pixel[0] > pixel[2] + 60


def is_blue(pixel):
    return pixel[2] > pixel[0] + 60


def is_grey(pixel):
    return max(pixel) - min(pixel) < 14 and 60 < max(pixel) < 215


class Pages(Program):
    shares_folder = True

    @classmethod
    def prepare(cls):
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.browser = Browser(profile.name, SOFTWARE)
        cls.addClassCleanup(profile.cleanup)
        cls.addClassCleanup(cls.browser.close)
        cloth = ["scene=cloth", "grid=8", "integrator=implicit_euler", "frames=40", "frame_seconds=0.01", "save=every:1"]
        for name, options in {
                "cloth": cloth, "short": [*cloth[:3], "frames=20", *cloth[4:]],
                "rope": ["scene=rope", "nodes=12", "substeps=64", "frames=40", "save=every:1"],
                "dam": ["scene=dam_break", "spacing=0.1", "h=0.01", "duration=0.5", "save=every:5"],
                "ball": ["scene=cloth_on_sphere", "grid=8", "h=1e-3", "duration=0.2", "save=every:10"],
                "floor": [*cloth, "pins=none", "contact=penalty", "collider=plane:point=[0,0,-0.3],normal=[0,0,1]"]}.items():
            cls.call("case", *options, "-o", f"{name}.h5")
            cls.call("animate", f"{name}.h5", "-o", f"{name}.html")
        cls.call("animate", "cloth.h5", "short.h5", "-o", "pair.html")

    def open(self, name, place="frame=1", width=420, height=420, scheme="light"):
        self.browser.events = []
        self.browser.look(width, scheme)
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                          mobile=width < 400)
        self.browser.open("about:blank")
        self.address = (self.folder / f"{name}.html").as_uri()
        self.browser.open(f"{self.address}#{place}")
        return self.look()

    def look(self):
        """The pixels of each motion, row by row, without captions and rims."""
        self.browser.ask(SETTLED)
        found = self.browser.ask("""[...document.querySelectorAll("figure")].map((figure) => {
          const box = figure.getBoundingClientRect(), caption = figure.querySelector("figcaption").getBoundingClientRect();
          return [box.left + 2, Math.max(box.top, caption.bottom) + 2, box.right - 2, box.bottom - 2].map(Math.round); })""")
        self.boxes = found
        picture = self.browser.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"]
        rows = png(base64.b64decode(picture))[2]
        return [[row[left:right] for row in rows[top:bottom]] for left, top, right, bottom in found]

    def go(self, place):
        self.browser.ask(f"location.hash = {place!r}")
        return self.look()

    def key(self, key, **more):
        text = {"text": key} if len(key) == 1 else {}
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)
        return self.look()

    def mouse(self, kind, x, y, **more):
        self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drawn(self, view):
        """The pixels that are not paper."""
        pixels = [pixel for row in view for pixel in row]
        paper = collections.Counter(pixels).most_common(1)[0][0]
        return [pixel for pixel in pixels if pixel != paper]

    def changed(self, one, other):
        """The share of pixels that two views do not have in common."""
        pairs = [(p, q) for a, b in zip(one, other, strict=True) for p, q in zip(a, b, strict=True)]
        return sum(p != q for p, q in pairs) / len(pairs)

    def text(self, what):
        return self.browser.ask(f"document.querySelector({what!r}).textContent")

    def tearDown(self):
        self.assertEqual(list(complaints(self.browser.events, self.address)), [])
        self.assertEqual(self.text("#trouble"), "")

    def test_frames_of_a_cloth(self):
        first, = self.open("cloth")
        self.assertGreater(len(self.drawn(first)), 0.02 * len(first) * len(first[0]))
        self.assertEqual(sum(map(is_red, self.drawn(first))), 0)  # nothing is strained yet
        self.assertRegex(self.text("#now"), r"t = 0\.00 s\s+frame 1 of 41")
        later, = self.go("frame=36")
        self.assertGreater(self.changed(first, later), 0.02)
        self.assertGreater(sum(map(is_red, self.drawn(later))), 50)
        self.assertRegex(self.text("#now"), r"t = 0\.35 s\s+frame 36 of 41")
        self.assertRegex(self.text("#legend"), r"strain \(%\).*[\d.]+0≥? ?[\d.]+")
        plain, = self.go("colour=plain")
        self.assertEqual(sum(map(is_red, self.drawn(plain))), 0)
        self.assertGreater(sum(map(is_blue, self.drawn(plain))), 1000)
        self.assertEqual(self.key("c"), [later])
        bare, = self.key("m")
        self.assertGreater(self.changed(bare, later), 0.005)
        self.assertEqual(self.key("m"), [later])
        self.assertEqual(self.key("Home"), [first])
        for _ in range(35):
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
        self.assertEqual(self.look(), [later])
        self.browser.ask("""(() => { const scrub = document.getElementById("scrub"); scrub.value = 0;
          scrub.dispatchEvent(new Event("input")); })()""")
        self.assertEqual(self.look(), [first])

    def test_views(self):
        begin, = self.open("cloth", "frame=36")
        turned, = self.go("turn=100&tilt=40")
        self.assertGreater(self.changed(begin, turned), 0.05)
        self.assertEqual(self.key("r"), [begin])
        self.mouse("mousePressed", 150, 200, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", 250, 230, button="left", buttons=1)
        self.mouse("mouseReleased", 250, 230, button="left", clickCount=1)
        dragged, = self.look()
        self.assertGreater(self.changed(begin, dragged), 0.05)
        self.assertAlmostEqual(self.browser.ask("camera.turn"), 32 - 40)
        self.assertAlmostEqual(self.browser.ask("camera.tilt"), 72 - 12)
        self.browser.ask("document.getElementById('reset').click()")
        self.assertEqual(self.look(), [begin])
        self.mouse("mouseWheel", 200, 200, deltaX=0, deltaY=-400)
        nearer, = self.look()
        self.assertGreater(sum(map(is_red, self.drawn(nearer))), 1.3 * sum(map(is_red, self.drawn(begin))))
        self.key("r")
        self.assertEqual(self.key("+"), self.go("zoom=1.2"))
        self.key("r")
        self.assertEqual(self.key("ArrowLeft", modifiers=8), self.go("turn=37&tilt=72"))
        self.key("r")
        touch = lambda kind, *points: self.browser.call("Input.dispatchTouchEvent", type=kind,
                                                        touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])
        touch("touchStart", (150, 200), (250, 200))
        touch("touchMove", (100, 200), (300, 200))
        touch("touchEnd")
        self.look()
        self.assertAlmostEqual(self.browser.ask("camera.zoom"), 2, delta=0.05)
        self.assertAlmostEqual(self.browser.ask("camera.turn"), 32)

    def test_it_plays_and_pauses(self):
        self.open("rope")
        wait = lambda: self.browser.ask("new Promise((done) => setTimeout(() => done(state.index), 700))")
        before = wait()
        self.assertEqual(wait(), before)
        self.key(" ")
        after = wait()
        self.assertNotEqual(after, before)
        self.key(" ")
        still = self.browser.ask("state.index")
        self.assertEqual(wait(), still)
        self.browser.ask("document.getElementById('play').click()")
        self.assertNotEqual(wait(), still)
        self.assertEqual(self.browser.ask("document.getElementById('play').getAttribute('aria-label')"), "Pause")
        self.browser.ask("document.getElementById('play').click()")

    def test_ropes_particles_and_colliders(self):
        rope, = self.open("rope", "frame=30")
        self.assertGreater(len(self.drawn(rope)), 300)
        self.assertGreater(self.changed(rope, self.go("frame=20")[0]), 0.002)
        dam, = self.open("dam", "frame=10")
        hues = {tuple(c // 32 for c in pixel) for pixel in self.drawn(dam)}
        self.assertGreater(len(hues), 8)  # of viridis
        self.assertGreater(sum(g > r + 40 and g > 90 for r, g, _ in self.drawn(dam)), 50)
        self.assertIn("pressure (N/m)", self.text("#legend"))
        self.assertGreater(self.changed(dam, self.go("colour=density")[0]), 0.02)
        self.assertIn("density (kg/m²)", self.text("#legend"))
        ball, = self.open("ball", "frame=1&colour=plain")
        middle = [row[len(row) // 2 - 10:len(row) // 2 + 10] for row in ball[len(ball) // 2:]]
        self.assertGreater(sum(is_grey(pixel) for row in middle for pixel in row), 0.3 * len(middle) * 20)
        floor, = self.open("floor", "frame=1&colour=plain")
        self.assertGreater(sum(max(p) - min(p) < 14 for p in self.drawn(floor)), 0.1 * len(floor) * len(floor[0]))
        self.assertRegex(self.text("#legend"), r"squares of the plane: [\d.]+ m")

    def test_ground_and_shadow(self):
        with_all, = self.open("cloth", "frame=36&colour=plain")
        hide = lambda script: (self.browser.ask(f"{{ {script}; dirty = true; }}"), self.look()[0])[1]
        bare = hide("window.kept = ground; ground = null")
        lit = hide("ground = kept; views[0].castShade = () => {}; for (const { frame } of views[0].shades) { const { gl } = views[0];"
                   "gl.bindFramebuffer(gl.FRAMEBUFFER, frame); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT); gl.bindFramebuffer(gl.FRAMEBUFFER, null); }")
        dark = lambda view: sum(is_grey(pixel) for row in view for pixel in row)
        self.assertGreater(self.changed(with_all, bare), 0.05)
        self.assertGreater(self.changed(lit, bare), 0.05)
        self.assertEqual(self.changed([row[:20] for row in lit[:20]], [row[:20] for row in bare[:20]]), 0)
        self.assertGreater(dark(with_all), dark(lit) + 500)
        below, = self.go("tilt=120")
        self.assertEqual(self.changed(hide("ground = null"), below), 0)  # nothing between the net and who looks from below

    def test_a_picture_is_saved(self):
        self.open("pair", "frame=15&colour=plain", width=761, scheme="dark")
        shape = self.browser.ask("(() => { const [a, b] = views.map((v) => v.canvas.getBoundingClientRect()); return [b.right - a.left, a.height]; })()")
        before = self.look()
        found = {}
        for clear in (False, True):
            path = self.browser.saved(self.folder / f"saved_{clear}", f"at('clear').checked = {str(clear).lower()}; at('picture').click()")
            self.assertEqual(path.name, "cloth_0.14s.png")
            width, height, found[clear] = png(path, 4)
            self.assertEqual([width, height], [round(2 * x) for x in shape])
            shown = [pixel for row in found[clear] for pixel in row if pixel[3] == 255]
            self.assertGreater(sum(map(is_blue, shown)), 8000)
            self.assertTrue(any(is_blue(pixel) for row in found[clear][3 * height // 5:] for pixel in row))
        self.assertEqual({row[0] for row in found[False][:50]}, {(255, 255, 255, 255)})
        self.assertEqual({row[0] for row in found[True]}, {(0, 0, 0, 0)})
        self.assertFalse(any(is_grey(pixel[:3]) and pixel[3] < 200 and pixel[3] > 0 for row in found[True][-40:] for pixel in row))
        self.assertEqual(self.look(), before)

    def test_two_side_by_side(self):
        one, two = self.open("pair", "frame=15", width=761)
        self.assertEqual(len(self.boxes), 2)
        self.assertLess(self.boxes[0][2], self.boxes[1][0])
        self.assertLess(self.changed(one, two), 0.01)  # one motion, of which the other is the beginning
        one, two = self.go("frame=36")
        self.assertGreater(self.changed(one, two), 0.01)
        self.assertEqual(self.browser.ask("[...document.querySelectorAll('.over')].map((o) => o.hidden ? '' : o.textContent)"),
                         ["", "ended at 0.20 s"])
        again = self.go("turn=100")
        self.assertGreater(min(self.changed(one, again[0]), self.changed(two, again[1])), 0.03)
        self.assertEqual(self.browser.ask("[...document.querySelectorAll('figcaption strong')].map((s) => s.textContent)"),
                         ["frames = 40", "frames = 20"])
        self.open("pair", "frame=15", width=390, height=800)
        self.assertLess(self.boxes[0][3], self.boxes[1][1])  # one above the other

    def test_phone_and_desk_light_and_dark(self):
        for width in (390, 1280):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    view, = self.open("cloth", "frame=36", width=width, height=700, scheme=scheme)
                    self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), width)
                    self.assertLessEqual(self.browser.ask("document.documentElement.scrollHeight"), 700)
                    self.assertEqual(view[0][0], (255, 255, 255) if scheme == "light" else (20, 23, 27))
                    self.assertGreater(self.browser.ask(CONTRAST)[0], 4.5)
                    self.assertGreater(len(self.drawn(view)), 2000)

    def test_lost_graphics_come_back(self):
        """As after a laptop slept: the same pixels, and a word in between."""
        before = self.open("cloth", "frame=30")
        self.browser.ask("(() => { window.ext = views[0].gl.getExtension('WEBGL_lose_context'); ext.loseContext(); })()")
        self.look()
        self.assertEqual(self.browser.ask("[views[0].gl.isContextLost(), views[0].sorrow.hidden]"), [True, False])
        self.assertIn("taken the graphics away", self.text(".lost"))
        self.browser.ask("ext.restoreContext()")
        while self.browser.ask("views[0].gl.isContextLost() || dirty"):
            self.look()
        self.assertTrue(self.browser.ask("views[0].sorrow.hidden"))
        self.assertEqual(self.look(), before)

    def test_without_webgl_it_says_why(self):
        self.open("cloth")
        said = self.browser.ask("""(() => { HTMLCanvasElement.prototype.getContext = () => null;
          try { new View(motions[0], document.querySelector("figure")); } catch (e) { return e.message; } })()""")
        self.assertIn("no WebGL 2", said)


main()
