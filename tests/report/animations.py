# SPDX-License-Identifier: GPL-3.0-or-later
"""Films: GIFs of the frames and size asked for, strips without holes, the animations of a sweep, and what cannot be drawn
refused with the reason. A stand-in for gnuplot writes down its commands, so that numbers are looked at, not pixels:
colliders where and as large as they are, lines of ropes, strains, particles and their pressures; and what a gnuplot that fails or is not there leads
to. GIF and PNG are read here, without other packages.

usage: animations.py PROGRAM [TEST ...]"""
import math
import os
import pathlib
import re
import stat
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from pictures import png
from program import PROGRAM, Program, main

ALONE = dict(OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_btl="self", OMPI_MCA_pml="ob1", OMPI_MCA_osc="^ucx",
             OMPI_MCA_coll="^hcoll,tuned,ucc", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
             OMPI_MCA_orte_create_session_dirs="0")
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("OMPI_", "PMIX_", "PETSC_", "DISPLAY", "WAYLAND"))}
ROPE = ["scene=rope", "nodes=4", "substeps=64", "frames=20"]
SHEET = ["scene=cloth", "grid=4", "gravity=[0,0,0]", "h=0.01", "duration=0.02", "save=every:1"]
BALL = ["scene=sphere", "contact=none", "gravity=[0,0,0]", "h=0.01", "duration=0.02", "save=every:1"]
BAR = ["scene=bar", "grid=2", "gravity=[0,0,0]", "h=0.01", "duration=0.02", "save=every:1", "pins=none"]
SWEEP = """springbench: 1
name: small
question: Does it move?
driver: trajectory
timed: false
defaults: {scene: rope, nodes: 4, frames: 30%s}
sweep:
  - grid: {substeps: [16, 64], integrator: [symplectic_euler, velocity_verlet]}
tables: [{id: t, rows: substeps, columns: integrator, cell: status}]
animations:
  - {id: swing, title: It swings, frames: 11%s}
"""
ONE = ", where: substeps == 64 and integrator == symplectic_euler"

STAND_IN = """#!/bin/sh
cat > "told.$$"
mv "told.$$" "told.$(ls told.[0-9] 2>/dev/null | wc -l)"
[ -z "$STAND_IN_SAYS" ] || printf "$STAND_IN_SAYS" >&2
exit ${STAND_IN_ENDS:-0}
"""
SHORT = ["h=0.01", "duration=0.02", "save=every:1"]
DAM = ["scene=dam_break", "spacing=0.2", "h=0.01", "duration=0.6", "save=every:10"]
VORTICES = ["scene=taylor_green", "spacing=1/16", "relaxation=10", "h=0.01", "duration=0.1", "save=every:2"]
COLLIDERS = ("sphere:centre=[3,0.5,-1],radius=0.25;capsule:start=[-3,0,0],end=[-3,2,1],radius=0.5;"
             "capsule:start=[-5,0,0],end=[-3,0,0],radius=0.1;plane:point=[0,-2,0],normal=[1,2,0]")


def gif(path):
    """Width and height, and per frame its delay in 1/100 s and its compressed pixels."""
    data = pathlib.Path(path).read_bytes()
    assert data[:6] == b"GIF89a" and data[-1:] == b";", data[:6]
    size, frames, delay = struct.unpack("<HH", data[6:10]), [], None
    at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 128 else 0)
    while data[at] != 0x3b:
        picture = data[at] == 0x2c
        if not picture:
            if data[at + 1] == 0xf9:
                delay = struct.unpack("<H", data[at + 4:at + 6])[0]
            at += 2
        else:
            flags = data[at + 9]
            at += 10 + (3 << (flags & 7) + 1 if flags & 128 else 0) + 1
        start = at
        while data[at]:
            at += data[at] + 1
        at += 1
        if picture:
            frames.append((delay, data[start:at]))
    return size, frames


class Animations(Program):
    environment = CLEAN | ALONE | {"SPRINGBENCH": ""}

    @classmethod
    def prepare(cls):
        cls.file = cls.folder / "a.h5"

    def call(self, *arguments, **more):
        done = super().call(*arguments, **more)
        return done.stdout + done.stderr

    def simulate(self, *options):
        self.call("case", *options, "-o", self.file)

    def write_sweep(self, defaults="", animation=ONE):
        (self.folder / "small.yaml").write_text(SWEEP % (defaults, animation))

    def test_film(self):
        self.simulate(*ROPE, "save=every:1")
        said = self.call("animate", self.file, "--frames", 11, "--size", "200x120", "--seconds", 2.2, "--stills", 4)
        self.assertEqual(said.split(), [str(self.folder / "a.gif"), str(self.folder / "a.png")])
        size, frames = gif(self.folder / "a.gif")
        self.assertEqual((size, len(frames)), ((200, 120), 11))
        self.assertEqual({delay for delay, _ in frames}, {20})
        self.assertEqual(len({pixels for _, pixels in frames}), 11)
        self.assertEqual(png(self.folder / "a.png")[:2], (400, 240))
        for chosen, frames in ([], 21), (["--frames", 12], 11):  # every other: 12 would stumble
            self.call("animate", self.file, "--gif", "--size", "96x64", "-o", "b.gif", *chosen)
            self.assertEqual(len(gif(self.folder / "b.gif")[1]), frames)
        self.assertFalse((self.folder / "b.png").exists())

    def picture(self, *options, scene=SHEET):
        self.simulate(*scene, *options)
        self.call("animate", self.file, "--strip", "--stills", 1, "--size", "200x200")
        width, height, rows = png(self.folder / "a.png")
        return [row[width // 10:] for row in rows[height // 8:]]  # without the time

    def test_surface_without_holes(self):
        for part, scene in [(1, SHEET + ["pins=none"]), (0.785, BALL)]:  # of a square, of a disc
            rows = self.picture(scene=scene)
            blue = [(x, y) for y, row in enumerate(rows) for x, (r, _, b) in enumerate(row) if b > r + 20]
            width = max(x for x, _ in blue) - min(x for x, _ in blue) + 1
            height = max(y for _, y in blue) - min(y for _, y in blue) + 1
            self.assertGreater(min(width, height), 80)
            self.assertGreater(len(blue), 0.97 * part * width * height)

    def test_solid_without_holes_in_the_middle(self):
        self.simulate(*BAR)
        self.call("animate", self.file, "--strip", "--stills", 1, "--size", "480x420")
        blue = [[x for x, (r, _, b) in enumerate(row) if b > r + 20] for row in png(self.folder / "a.png")[2]]
        rows = [y for y, row in enumerate(blue) if row]
        left, right = min(min(blue[y]) for y in rows), max(max(blue[y]) for y in rows)
        self.assertGreater(right - left, 0.85 * 480)
        self.assertLess(abs(left + right - 479), 12)
        self.assertLess(abs(rows[0] + rows[-1] - 419), 12)
        # Seen from anywhere a box has no dents: what is between its ends in a row is all there, as far as edges allow.
        self.assertGreater(sum(map(len, blue)), 0.985 * sum(max(blue[y]) - min(blue[y]) + 1 for y in rows))
        for first, middle, last in zip(rows, rows[3:], rows[6:]):
            self.assertGreaterEqual(2 * len(blue[middle]) + 6, len(blue[first]) + len(blue[last]))

    def test_strains_stand_beside_their_scale(self):
        self.simulate(*(SHEET + ["pins=none"]))
        self.call("animate", self.file, "--strip", "--stills", 1, "--size", "480x420", "--colour", "strain")
        rows = png(self.folder / "a.png")[2][60:]
        drawn = [x for x in range(480) if any(max(row[x]) < 240 for row in rows)]
        gaps = [(x, y) for x, y in zip(drawn, drawn[1:]) if y - x > 4]
        self.assertIn(gaps[0][1], (383, 384), "between sheet and scale")
        self.assertGreater(min(drawn), 10)
        self.assertGreater(gaps[0][0] - min(drawn), 0.6 * 480)

    def test_particles_have_the_colours_of_their_pressures(self):
        self.simulate(*DAM)
        self.call("animate", self.file, "--frames", 3, "--stills", 2, "--colour", "pressure")
        width, height, rows = png(self.folder / "a.png")
        self.assertEqual(gif(self.folder / "a.gif")[0][1], height)  # stills are as high as the film, which is low:
        self.assertLess(height, 300)  # the tank is
        self.assertGreater(width, 2.5 * height)
        cell = (width - 112) // 2  # without what is beside
        first, second = [[pixel for row in rows for pixel in row[start:start + cell]] for start in (0, cell)]
        purple = lambda pixels: sum((r, g, b) == (68, 1, 84) for r, g, b in pixels)
        green = lambda pixels: len({(r, g, b) for r, g, b in pixels if g > r + 40 and g > b})
        self.assertGreater(purple(first), 1000)  # nothing has been solved yet
        self.assertEqual(green(first), 0)
        self.assertGreater(purple(second), 100)
        self.assertGreater(green(second), 3)
        self.call("animate", self.file, "--strip", "--stills", 1, "--size", "400x400", "--colour", "pressure")
        self.assertEqual(png(self.folder / "a.png")[:2], (400, 400))

    def test_a_rope_at_rest_is_grey(self):
        self.simulate(*ROPE, "save=every:1")
        self.call("animate", self.file, "--strip", "--stills", 2, "--size", "300x300", "--colour", "strain")
        first, second = [[pixel for row in png(self.folder / "a.png")[2] for pixel in row[start:start + 240]]
                         for start in (0, 300)]
        red = lambda pixels: sum(r > g + 40 for r, g, _ in pixels)
        self.assertEqual(red(first), 0)
        self.assertGreater(red(second), 20)

    def test_pins_are_marked(self):
        dark = lambda rows: sum(max(pixel) < 70 for row in rows for pixel in row)
        self.assertEqual(dark(self.picture("pins=none")), 0)
        self.assertGreater(dark(self.picture("pins=corners2")), 2)

    def test_what_cannot_be_drawn(self):
        self.simulate(*ROPE, "save=final")
        self.assertIn("one state is stored", self.call("animate", self.file, status=2))
        self.call("animate", self.file, "--strip")
        self.simulate("driver=pressure", "scene=column", "spacing=0.2", "save=final")
        said = self.call("animate", self.file, status=2)
        self.assertIn("driver 'pressure' computes one", said)
        self.assertNotIn("save=", said)
        self.simulate(*ROPE, "save=none")
        self.assertIn("save=every:1", self.call("animate", self.file, status=2))
        self.assertFalse((self.folder / "a.gif").exists())
        (self.folder / "text.h5").write_text("no case")
        self.call("animate", "text.h5", status=2)
        self.assertIn("neither", self.call("animate", "missing.h5", status=2))
        self.call("animate", self.folder / "no" / "0123456789abcdef", status=2)

    def test_names_do_not_run(self):
        self.simulate(*ROPE, "save=every:5")
        name = "it's `touch SPRUNG` $(touch SPRUNG) ' ; system('touch SPRUNG') #.gif"
        self.call("animate", self.file, "--gif", "--size", "96x64", "-o", name)
        self.assertEqual(len(gif(self.folder / name)[1]), 5)
        self.assertIn("control character",
                      self.call("animate", self.file, "-o", "x'\n!touch SPRUNG\nsystem 'touch SPRUNG'\n#.gif", status=2))
        self.assertFalse((self.folder / "SPRUNG").exists())

    def test_sweep(self):
        self.write_sweep()
        self.assertIn("1 animation,", self.call("check", "small.yaml"))
        (self.folder / "index.md").write_text("<!-- made by springbench, which writes this file anew -->\n")
        self.call("run", "small.yaml", "-o", "out")
        film, strip = self.folder / "out/animations/swing.gif", self.folder / "out/animations/swing.png"
        self.assertEqual(len(gif(film)[1]), 11)  # 31 frames, of which every third is stored
        self.assertTrue(strip.exists())
        self.assertIn("](animations/swing.gif)", (self.folder / "out/report.md").read_text())
        rows = [line.split(",") for line in (self.folder / "out/results.csv").read_text().splitlines()]
        shown = [row[0] for row in rows if "64" in row and "symplectic_euler" in row]
        others = [row[0] for row in rows[1:] if row[0] not in shown]
        self.assertEqual((len(shown), len(others)), (1, 3))
        self.call("animate", f"out/{shown[0]}", "--gif", "--size", "96x64", "-o", "one.gif")
        self.assertIn("one state", self.call("animate", f"out/{others[0]}", status=2))
        made = film.stat().st_mtime_ns
        text = (self.folder / "small.yaml").read_text()
        (self.folder / "small.yaml").write_text(text.replace("cell: status", "cell: steps_done"))
        self.call("run", "small.yaml", "-o", "out")  # the film is of the same case in the same way
        self.assertEqual(film.stat().st_mtime_ns, made)
        (self.folder / "small.yaml").write_text(text.replace("frames: 11", "frames: 6"))
        self.call("run", "small.yaml", "-o", "out")
        self.assertEqual(len(gif(film)[1]), 6)
        self.assertIn("swing.png", self.call("animate", "out"))
        self.call("animate", "out", "swing")
        self.assertIn("there are: swing", self.call("animate", "out", "swim", status=2))
        self.assertIn("the sweep file defines its animations", self.call("animate", "out", "--stills", 2, status=2))

    def test_narrowed_sweep(self):
        self.write_sweep()
        said = self.call("run", "small.yaml", "-o", "out", "-f", "substeps == 16")
        self.assertIn("animation 'swing': its case has not been run", said)
        self.assertFalse((self.folder / "out/animations/swing.gif").exists())
        self.call("animate", "out", "swing", status=2)

    def test_quick_leaves_films_for_later(self):
        self.write_sweep()
        self.call("run", "small.yaml", "-o", "out", "--quick")
        self.assertEqual(["swing.html"], [path.name for path in (self.folder / "out/animations").iterdir()])
        self.assertIn("](animations/swing.html)", (self.folder / "out/report.md").read_text())
        self.call("animate", "out")
        self.assertTrue((self.folder / "out/animations/swing.gif").exists())

    def test_wrong_sweeps(self):
        for animation, message in [("", "selects 4"), (", where: substeps == 8", "selects 0"), (ONE + ", view: 3", "'view'"),
                                   (ONE + ", view: [3, x]", "'view' is a number"), (ONE + ", stills: 0", "[1,24]"),
                                   (", where: steps_done > 3", "steps_done"),
                                   (", where: 'drag[substeps=3] == 0'", "no row has substeps=3"), (ONE + ", colour: red", "plain, strain, pressure"),
                                   (ONE + ", colour: pressure", "shows a net, which has no pressures"),
                                   (ONE + "}\n  - {id: swing" + ONE, "given twice"), (ONE + ", shape: 3", "'shape'")]:
            self.write_sweep(animation=animation)
            said = self.call("check", "small.yaml", status=2)
            self.assertIn(message, said)
            self.assertRegex(said, r"small\.yaml:1[0-2]:\d+: error: ")
        (self.folder / "small.yaml").write_text((SWEEP % ("", ", colour: strain")).replace("scene: rope, nodes: 4", "scene: dam_break")
                                                .replace("substeps: [16, 64], integrator: [symplectic_euler, velocity_verlet]",
                                                         "spacing: [0.2]").replace("rows: substeps, columns: integrator", "rows: spacing")
                                                .replace("driver: trajectory", "driver: flow"))
        said = self.call("check", "small.yaml", status=2)
        self.assertIn("shows particles, which have no strains", said)
        self.assertRegex(said, r"small\.yaml:1[0-2]:\d+: error: ")
        self.write_sweep(defaults=", save: final")
        self.assertIn("stores no frames", self.call("check", "small.yaml", status=2))
        self.write_sweep(defaults=", save: 'every:10'")
        self.call("run", "small.yaml", "-o", "out")
        self.assertEqual(len(gif(self.folder / "out/animations/swing.gif")[1]), 4)


class Films(Program):
    @classmethod
    def setUpClass(cls):
        cls.make_folder()
        cls.shared = cls.folder
        (cls.shared / "bin").mkdir()
        program = cls.shared / "bin/gnuplot"
        program.write_text(STAND_IN)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        cls.environment = CLEAN | ALONE | {"PATH": f"{cls.shared}/bin:{os.environ['PATH']}"}
        cls.rope = cls.case("rope.h5", *ROPE, "save=every:1", "gravity=[0,-9.81,0]")
        cls.touching = cls.case("touching.h5", "scene=cloth", "grid=3", "pins=none", "contact=penalty",
                                f"collider={COLLIDERS}", "gravity=[0,-9.81,0]", *SHORT)

    @classmethod
    def case(cls, name, *options):
        cls.call("case", *options, "-o", cls.shared / name, env=None)
        return cls.shared / name

    def animate(self, *arguments, status=0, **environment):
        done = self.call("animate", *arguments, status=status, env=self.environment | environment)
        return done.stdout + done.stderr

    def told(self, number=0):
        return (self.folder / f"told.{number}").read_text()

    def frames(self, text):
        """Per frame what is drawn and the blocks of numbers of each inline data set."""
        frames = []
        for part in text.split("\nsplot ")[1:]:
            head, _, rest = part.partition("\n")
            sets = re.split(r"(?:^|\n)e\n", rest)[:head.count("'-'")]
            frames.append((head, [[[float(x) for x in line.split()] for line in one.splitlines() if line]
                                  for one in sets]))
        return frames

    def test_colliders_stand_where_they_are(self):
        self.animate(self.touching, "--strip", "--stills", 1, "-o", "a.png")
        head, (net, solids) = self.frames(self.told())[0]
        self.assertIn("with lines", head)
        self.assertIn("pm3d fc rgb variable", head)

        def place(point):  # up is against gravity, -y here; z comes out of the picture
            return point[0], -point[2], point[1]
        for x, y, z in net:  # the plane x + 2 y = -4
            self.assertAlmostEqual(x + 2 * z, -4, delta=1e-3)
        self.assertEqual(len(net), 2 * 2 * 13)
        grey = [(x, y, z) for x, y, z, rgb in solids if len({int(rgb) >> 16, int(rgb) >> 8 & 255, int(rgb) & 255}) == 1]
        def nearest(p, a, b):
            axis = [v - u for u, v in zip(a, b)]
            square = sum(v * v for v in axis)
            s = 0 if square == 0 else max(0, min(1, sum((x - u) * v for x, u, v in zip(p, a, axis)) / square))
            return [u + s * v for u, v in zip(a, axis)]

        def dot(p, q):
            return sum(x * y for x, y in zip(p, q))
        tilt, turn = math.radians(72), math.radians(32)
        across = (math.cos(turn), math.sin(turn), 0)
        up = (-math.sin(turn) * math.cos(tilt), math.cos(turn) * math.cos(tilt), math.sin(tilt))
        away = (-math.sin(turn) * math.sin(tilt), math.cos(turn) * math.sin(tilt), -math.cos(tilt))
        shapes = [((3, 0.5, -1), (3, 0.5, -1), 0.25), ((-3, 0, 0), (-3, 2, 1), 0.5), ((-5, 0, 0), (-3, 0, 0), 0.1)]
        shapes = [(place(start), place(end), 0.965 * radius) for start, end, radius in shapes]
        off = [[math.dist(p, nearest(p, start, end)) - radius for start, end, radius in shapes] for p in grey]
        self.assertLess(max(min(map(abs, each)) for each in off), 1e-3)
        for number, (start, end, radius) in enumerate(shapes):
            points = [p for p, each in zip(grey, off) if abs(each[number]) < 1e-3]
            self.assertLess(0.45 * 48 * 24 * 4, len(points))
            self.assertLess(len(points), 0.65 * 48 * 24 * 4)  # of the faces that look away there are none
            self.assertLess(max(dot([x - y for x, y in zip(p, nearest(p, start, end))], away) for p in points),
                            0.2 * radius)
            for side in across, up:  # it reaches around on all sides that are seen
                low, high = sorted((dot(start, side), dot(end, side)))
                self.assertLess(min(dot(p, side) for p in points), low - 0.9 * radius)
                self.assertGreater(max(dot(p, side) for p in points), high + 0.9 * radius)
        for axis, low, high in [("x", -5.1, 3.25), ("z", -0.5, 2.5)]:  # the picture holds them
            shown = [float(x) for x in re.search(rf"set {axis}range \[(.*):(.*)\]", self.told()).groups()]
            self.assertLess(shown[0], low)
            self.assertGreater(shown[1], high)

    def test_a_rope_is_lines(self):
        self.animate(self.rope, "--gif", "--frames", 6, "--seconds", 3, "--size", "96x64", "-o", "a.gif")
        text = self.told()
        self.assertIn("gif animate delay 50 loop 0 size 96,64", text)  # 6 frames in 3 s
        self.assertNotIn("colorbox user", text)
        frames = self.frames(text)
        self.assertEqual(len(frames), 6)
        for head, (lines, *_) in frames:
            self.assertIn("using 1:2:3:4 with lines", head)
            self.assertIn("rgb '#0072b2'", head)
            self.assertEqual(len(lines), 2 * 3)  # of four nodes
        self.assertIn("points ls 1", frames[0][0])  # its pins
        self.assertNotEqual(frames[0][1][0], frames[-1][1][0])

    def test_strains_of_a_rope(self):
        self.animate(self.rope, "--strip", "--stills", 5, "--colour", "strain", "--view", "60,30", "-o", "a.png")
        text = self.told()
        self.assertIn("set view 60,30,", text)
        self.assertIn("multiplot layout 2,3", text)
        self.assertIn("pngcairo size 1680,960", text)
        low, high = map(float, re.search(r"set cbrange \[(.*):(.*)\]", text).groups())
        self.assertEqual(low, -high)
        frames = self.frames(text)
        self.assertEqual(len(frames), 5)
        self.assertTrue(all("lc palette, '-' using 1:2:3:(palette($4)) with points" in head for head, _ in frames))
        strains = [abs(point[3]) for _, (lines, *_) in frames for point in lines]
        self.assertAlmostEqual(max(strains), high, delta=2e-3 * high)  # the scale is that of the films' frames too
        times = [float(t) for t in re.findall(r"set label 1 't = (\S+) s'", text)]
        self.assertEqual(times, sorted(times))
        self.assertEqual(times[0], 0)

    def test_strains_of_a_sheet(self):
        self.animate(self.touching, "--strip", "--stills", 3, "--colour", "strain", "-o", "a.png")
        frames = self.frames(self.told())
        self.assertEqual(["points palette" in head for head, _ in frames], [False, False, True])
        self.assertIn("multiplot layout 1,3", self.told())

    def test_particles_are_discs(self):
        file = self.case("dam.h5", *DAM)
        self.animate(file, "--frames", 2, "--stills", 4, "--colour", "pressure", "-o", "a.gif")
        film, strip = self.told(0), self.told(1)
        for text, count in ((film, 2), (strip, 4)):
            self.assertIn("set palette defined (0 '#440154'", text)
            self.assertIn("set cblabel 'pressure (N/m)'", text)
            frames = self.frames(text)
            self.assertEqual(len(frames), count)
            for head, (walls, fluid) in frames:
                self.assertIn("points ls 2, '-' using 1:2:3:(palette($4)) with points ls 3 lc rgb", head)
                self.assertEqual(len(fluid), 5 * 10)
                self.assertEqual(walls, frames[0][1][0])
            self.assertEqual({value for *_, value in frames[0][1][1]}, {0})
            self.assertGreater(len({value for *_, value in frames[-1][1][1]}), 10)
        scales = {re.search(r"set cbrange \[(.*):(.*)\]", text).groups() for text in (film, strip)}
        (low, high), = scales  # the same for both
        told = [sorted(value for _, (_, fluid) in self.frames(text) for *_, value in fluid) for text in (film, strip)]
        most = max(values[-1 - len(values) // 100] for values in told)
        self.assertEqual(float(low), 0)
        self.assertAlmostEqual(float(high) / most, 1, delta=1e-4)
        self.assertLess(float(high), 0.99 * max(map(max, told)))  # one that is far above does not bleach the others
        self.assertEqual(strip.count("set colorbox user"), 1)
        wall, disc = (float(re.search(rf"style line {i} pt 7 ps (\S+)", strip).group(1)) for i in (2, 3))
        self.assertAlmostEqual(wall, disc / 2, delta=0.01)

    def test_plain_particles_in_a_periodic_box(self):
        file = self.case("vortices.h5", *VORTICES)
        self.animate(file, "--strip", "--stills", 3, "--size", "300x300", "-o", "a.png")
        self.assertIn("size 900,300", self.told())
        self.assertNotIn("\nset colorbox", self.told())
        for head, (fluid,) in self.frames(self.told()):
            self.assertIn("points ls 3 lc rgb '#0072b2'", head)
            self.assertNotIn("ls 2", head)  # there are no walls
            self.assertTrue(all(0 <= x <= 1 and 0 <= z <= 1 for x, _, z, _ in fluid))

    def test_colours_that_mean_nothing(self):
        file = self.case("few.h5", *DAM[:2], "h=0.01", "duration=0.01", "save=every:1")
        self.assertIn("particles have no strains", self.animate(file, "--strip", "--colour", "strain", status=2))
        said = self.animate(self.rope, "--strip", "--colour", "pressure", status=2)
        self.assertIn("springs have no pressures; colour: plain, strain [E106]", said)

    def test_a_net_that_bursts_leaves_the_picture(self):
        file = self.case("burst.h5", "scene=rope", "nodes=4", "integrator=explicit_euler", "substeps=4", "frames=20",
                         "save=every:1")
        self.animate(file, "--gif", "-o", "a.gif")
        text = self.told()
        low, high = map(float, re.search(r"set xrange \[(.*):(.*)\]", text).groups())
        frames = [[point[0] for point in lines] for _, (lines, *_) in self.frames(text)]
        self.assertTrue(all(low < x < high for x in frames[0]))
        self.assertFalse(all(low < x < high for x in frames[-1]))
        first = max(frames[0]) - min(frames[0])
        self.assertLess(high - low, 5 * first)

    def test_fine_sheets_have_no_edges_and_long_times_no_fractions(self):
        file = self.case("fine.h5", "scene=cloth", "grid=32", "gravity=[0,0,0]", "integrator=explicit_euler", "h=1000",
                         "duration=2000", "save=every:1")
        self.animate(file, "--strip", "-o", "a.png")
        text = self.told()
        self.assertEqual(re.findall(r"set label 1 't = (.*) s'", text), ["0", "1000", "2000"])
        self.assertIn("set pm3d noborder", text)
        self.assertNotIn("set pm3d border", text)
        self.animate(self.touching, "--strip", "-o", "b.png")
        self.assertIn("set pm3d border", self.told(1))

    def test_frames_are_counted_on_a_terminal(self):
        ours, theirs = os.openpty()
        done = subprocess.run([PROGRAM, "animate", str(self.rope), "--frames", "3", "--gif", "-o", "a.gif"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=theirs, env=self.environment, timeout=200)
        os.close(theirs)
        self.assertEqual((done.returncode, done.stdout), (0, b"a.gif\n"))
        self.assertEqual(os.read(ours, 4096), b"".join(b"\r\x1b[Ka.gif: frame %d of 3" % i for i in (1, 2, 3)) + b"\r\x1b[K")
        os.close(ours)

    def test_what_goes_wrong_with_gnuplot(self):
        said = self.animate(self.rope, "--gif", "-o", "a.gif", status=2, STAND_IN_ENDS="3", STAND_IN_SAYS="no\\nfont\\n")
        self.assertIn("gnuplot failed: no [E116]", said)
        self.assertNotIn("font", said)
        said = self.animate(self.rope, "--strip", "-o", "a.png", status=2, STAND_IN_ENDS="1", STAND_IN_SAYS="\\nline 1: bad")
        self.assertIn("gnuplot failed:  line 1: bad", said)
        for one in ("--gif", "--strip"):
            said = self.animate(self.rope, one, status=2, PATH="/nowhere")
            self.assertIn("cannot start gnuplot (package gnuplot-nox): No such file", said)

    def test_names_of_pictures(self):
        for given, shown in [("a", "a.gif\na.png\n"), ("b.png", "b.gif\nb.png\n"), ("c.gif", "c.gif\nc.png\n"),
                             ("'d", "'d.gif\n'd.png\n"), ("e.h5", "e.gif\ne.png\n"), ("gif", "gif.gif\ngif.png\n")]:
            self.assertEqual(self.animate(self.rope, "--frames", 3, "--stills", 2, "-o", given), shown)
        self.assertIn("""set output "'".'d.gif'\n""", "".join(self.told(i) for i in range(10)))
        for name in ("a\x7f", "a\n"):
            self.assertIn("control character", self.animate(self.rope, "--strip", "-o", name, status=2))

    REFUSED = [(["--size", "64"], "--size takes WxH"), (["--size", "63x64"], "--size takes WxH"),
               (["--size", "64x4097"], "--size takes WxH"), (["--size", "4097x64"], "--size takes WxH"),
               (["--size", "64x63"], "got '64x63'"), (["--size", "ax64"], "got 'ax64'"), (["--size", "64xb"], "--size"),
               (["--view", "60"], "--view takes TILT,TURN"), (["--view=-1,0"], "--view takes"),
               (["--view", "181,0"], "got '181,0'"),
               (["--view=0,-1"], "--view"), (["--view", "0,361"], "got '0,361'"), (["--view", "a,1"], "--view"),
               (["--view", "1,a"], "got '1,a'"), (["--view", "1,2,3"], "TILT"),
               (["--frames", "0"], "--frames takes a whole number from 1 to 100000; got '0'"),
               (["--frames", "100001"], "--frames takes"), (["--stills", "many"], "--stills takes a whole number"),
               (["--seconds", "0"], "--seconds takes a positive number; got '0'"), (["--seconds", "x"], "got 'x'"),
               (["--seconds", "nan"], "--seconds takes"), (["--colour", "red"], "plain, strain or pressure"),
               (["id"], "not a results directory"), (["id", "more"], "Usage: springbench animate"),
               (["--no-such"], "unrecognized option")]

    def test_wrong_arguments(self):
        for arguments, answer in self.REFUSED:
            with self.subTest(arguments):
                self.assertIn(answer, self.animate(self.rope, *arguments, status=2))
        self.assertIn("Usage: springbench animate", self.animate(status=2))
        self.assertEqual(list(self.folder.iterdir()), [])


main()
