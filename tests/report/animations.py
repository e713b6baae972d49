"""Pictures of the motion: GIFs of the frames and size asked for, strips without holes, the animations of a sweep, and what
cannot be drawn refused with the reason. Arguments: the program. GIF and PNG are read here, without other packages."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM = sys.argv[1]
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


def png(path):
    """Width, height and rows of (red, green, blue)."""
    data, at, packed = pathlib.Path(path).read_bytes(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    assert depth == 8 and colours in (2, 6), (depth, colours)
    step, raw, before, rows = (3 if colours == 2 else 4), zlib.decompress(packed), None, []
    for y in range(height):
        way, line = raw[y * (width * step + 1)], bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        before = before or bytes(width * step)
        for i in range(len(line)):
            left, above = line[i - step] if i >= step else 0, before[i]
            corner = before[i - step] if i >= step else 0
            guess = left + above - corner
            near = min((abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner))
            line[i] = line[i] + (0, left, above, (left + above) // 2, near[2])[way] & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, len(line), step)])
        before = line
    return width, height, rows


class Animations(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.file = self.folder / "a.h5"

    def tearDown(self):
        shutil.rmtree(self.folder)

    def call(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              env=CLEAN | ALONE | {"SPRINGBENCH": ""}, timeout=200)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
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

    def test_every_frame_and_even_choice(self):
        self.simulate(*ROPE, "save=every:1")
        self.call("animate", self.file, "--gif", "--size", "96x64", "-o", "all.gif")
        self.assertEqual(len(gif(self.folder / "all.gif")[1]), 21)
        self.call("animate", self.file, "--gif", "--size", "96x64", "--frames", 12, "-o", "some.gif")
        self.assertEqual(len(gif(self.folder / "some.gif")[1]), 11)  # every other: 12 would stumble
        self.assertFalse((self.folder / "some.png").exists())

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

    def test_pins_are_marked(self):
        dark = lambda rows: sum(max(pixel) < 70 for row in rows for pixel in row)
        self.assertEqual(dark(self.picture("pins=none")), 0)
        self.assertGreater(dark(self.picture("pins=corners2")), 2)

    def test_what_cannot_be_drawn(self):
        self.simulate(*ROPE, "save=final")
        self.assertIn("one state is stored", self.call("animate", self.file, status=2))
        self.call("animate", self.file, "--strip")
        self.simulate(*ROPE, "save=none")
        self.assertIn("save=every:1", self.call("animate", self.file, status=2))
        self.assertFalse((self.folder / "a.gif").exists())
        (self.folder / "text.h5").write_text("no case")
        self.call("animate", "text.h5", status=2)
        self.assertIn("neither", self.call("animate", "missing.h5", status=2))
        self.call("animate", self.folder / "no" / "0123456789abcdef", status=2)
        self.assertIn("TILT", self.call("animate", self.file, "--view", "1,2,3", status=2))
        self.assertIn("plain or strain", self.call("animate", self.file, "--colour", "red", status=2))

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
        self.call("run", "out")
        self.assertGreaterEqual(film.stat().st_mtime_ns, made)
        self.assertIn("swing.png", self.call("animate", "out"))
        self.call("animate", "out", "swing")
        self.assertIn("there are: swing", self.call("animate", "out", "swim", status=2))
        self.assertIn("stands in the sweep", self.call("animate", "out", "--stills", 2, status=2))

    def test_narrowed_sweep(self):
        self.write_sweep()
        said = self.call("run", "small.yaml", "-o", "out", "-f", "substeps == 16")
        self.assertIn("animation 'swing': its case has not been run", said)
        self.assertFalse((self.folder / "out/animations/swing.gif").exists())
        self.call("animate", "out", "swing", status=2)

    def test_quick_leaves_films_for_later(self):
        self.write_sweep()
        self.call("run", "small.yaml", "-o", "out", "--quick")
        self.assertFalse((self.folder / "out/animations").exists())
        self.call("animate", "out")
        self.assertTrue((self.folder / "out/animations/swing.gif").exists())

    def test_wrong_sweeps(self):
        for animation, message in [("", "takes 4"), (", where: substeps == 8", "takes 0"), (ONE + ", view: 3", "'view'"),
                                   (ONE + ", view: [3, x]", "'view' is a number"), (ONE + ", stills: 0", "[1,24]"),
                                   (", where: steps_done > 3", "steps_done"),
                                   (", where: 'drag[substeps=3] == 0'", "substeps has no value '3'"), (ONE + ", colour: red", "plain, strain"),
                                   (ONE + "}\n  - {id: swing" + ONE, "given twice"), (ONE + ", shape: 3", "'shape'")]:
            self.write_sweep(animation=animation)
            said = self.call("check", "small.yaml", status=2)
            self.assertIn(message, said)
            self.assertRegex(said, r"small\.yaml:1[0-2]:\d+: error: ")
        self.write_sweep(defaults=", save: final")
        self.assertIn("stores no frames", self.call("check", "small.yaml", status=2))
        self.write_sweep(defaults=", save: 'every:10'")
        self.call("run", "small.yaml", "-o", "out")
        self.assertEqual(len(gif(self.folder / "out/animations/swing.gif")[1]), 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
