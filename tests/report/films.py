"""What gnuplot is told of a motion: colliders where and as large as they are, lines of ropes, strains, frames and
stills; and what a gnuplot that fails or is not there leads to. A stand-in for gnuplot writes
down its commands, so that numbers are looked at, not pixels (animations.py looks at these).

usage: films.py PROGRAM [TEST ...]"""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

import animations

PROGRAM = sys.argv[1]
STAND_IN = """#!/bin/sh
cat > "told.$$"
mv "told.$$" "told.$(ls told.[0-9] 2>/dev/null | wc -l)"
[ -z "$GNUPLOT_SAYS" ] || printf "$GNUPLOT_SAYS" >&2
exit ${GNUPLOT_ENDS:-0}
"""
SHORT = ["h=0.01", "duration=0.02", "save=every:1"]
COLLIDERS = ("sphere:centre=[3,0.5,-1],radius=0.25;capsule:start=[-3,0,0],end=[-3,2,1],radius=0.5;"
             "capsule:start=[-5,0,0],end=[-3,0,0],radius=0.1;plane:point=[0,-2,0],normal=[1,2,0]")


class Films(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        (cls.shared / "bin").mkdir()
        program = cls.shared / "bin/gnuplot"
        program.write_text(STAND_IN)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        cls.rope = cls.case("rope.h5", *animations.ROPE, "save=every:1", "gravity=[0,-9.81,0]")
        cls.touching = cls.case("touching.h5", "scene=cloth", "grid=3", "pins=none", "contact=penalty",
                                f"collider={COLLIDERS}", "gravity=[0,-9.81,0]", *SHORT)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    @classmethod
    def case(cls, name, *options):
        done = subprocess.run([PROGRAM, "case", *options, "-o", str(cls.shared / name)], capture_output=True, text=True,
                              cwd=cls.shared, timeout=200)
        assert done.returncode == 0, done.stderr
        return cls.shared / name

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.shared))

    def call(self, *arguments, status=0, path=None, **environment):
        path = path or f"{self.shared}/bin:{os.environ['PATH']}"
        environment = animations.CLEAN | animations.ALONE | {"PATH": path} | environment
        done = subprocess.run([PROGRAM, "animate", *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True, env=environment, timeout=200)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
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
        self.call(self.touching, "--strip", "--stills", 1, "-o", "a.png")
        head, (net, solids) = self.frames(self.told())[0]
        self.assertIn("with lines", head)
        self.assertIn("pm3d fc rgb variable", head)

        def place(point):  # up is against gravity, -y here; z comes out of the picture
            return point[0], -point[2], point[1]
        for x, y, z in net:  # the plane x + 2 y = -4
            self.assertAlmostEqual(x + 2 * z, -4, delta=1e-3)
        self.assertEqual(len(net), 2 * 2 * 13)
        grey = [(x, y, z) for x, y, z, rgb in solids if len({int(rgb) >> 16, int(rgb) >> 8 & 255, int(rgb) & 255}) == 1]
        self.assertEqual(len(grey), 3 * 60 * 30 * 4)

        def away(p, a, b):
            axis = [v - u for u, v in zip(a, b)]
            square = sum(v * v for v in axis)
            s = 0 if square == 0 else max(0, min(1, sum((x - u) * v for x, u, v in zip(p, a, axis)) / square))
            return sum((x - u - s * v) ** 2 for x, u, v in zip(p, a, axis)) ** 0.5
        shapes = [((3, 0.5, -1), (3, 0.5, -1), 0.25), ((-3, 0, 0), (-3, 2, 1), 0.5), ((-5, 0, 0), (-3, 0, 0), 0.1)]
        for number, (start, end, radius) in enumerate(shapes):
            points = grey[7200 * number:7200 * (number + 1)]
            for p in points:
                self.assertAlmostEqual(away(p, place(start), place(end)), 0.965 * radius, delta=1e-3)
            for c in range(3):  # it reaches around on all sides
                self.assertLess(min(p[c] for p in points), min(place(start)[c], place(end)[c]) - 0.9 * radius)
                self.assertGreater(max(p[c] for p in points), max(place(start)[c], place(end)[c]) + 0.9 * radius)
        for axis, low, high in [("x", -5.1, 3.25), ("z", -0.5, 2.5)]:  # the picture holds them
            shown = [float(x) for x in re.search(rf"set {axis}range \[(.*):(.*)\]", self.told()).groups()]
            self.assertLess(shown[0], low)
            self.assertGreater(shown[1], high)

    def test_a_rope_is_lines(self):
        self.call(self.rope, "--gif", "--frames", 6, "--seconds", 3, "--size", "96x64", "-o", "a.gif")
        text = self.told()
        self.assertIn("gif animate delay 50 loop 0 size 96,64", text)  # 6 frames in 3 s
        self.assertNotIn("colorbox user", text)
        frames = self.frames(text)
        self.assertEqual(len(frames), 6)
        for head, (lines, *_) in frames:
            self.assertIn("with linespoints", head)
            self.assertIn("rgb '#0072b2'", head)
            self.assertEqual(len(lines), 2 * 3)  # of four nodes
        self.assertIn("points ls 1", frames[0][0])  # its pins
        self.assertNotEqual(frames[0][1][0], frames[-1][1][0])

    def test_strains_of_a_rope(self):
        self.call(self.rope, "--strip", "--stills", 5, "--colour", "strain", "--view", "60,30", "-o", "a.png")
        text = self.told()
        self.assertIn("set view 60,30,", text)
        self.assertIn("multiplot layout 2,3", text)
        self.assertIn("pngcairo size 1680,960", text)
        low, high = map(float, re.search(r"set cbrange \[(.*):(.*)\]", text).groups())
        self.assertEqual(low, -high)
        frames = self.frames(text)
        self.assertEqual(len(frames), 5)
        self.assertTrue(all("lc palette" in head for head, _ in frames))
        strains = [abs(point[3]) for _, (lines, *_) in frames for point in lines]
        self.assertAlmostEqual(max(strains), high, delta=2e-3 * high)  # the scale is that of the films' frames too
        times = [float(t) for t in re.findall(r"set label 1 't = (\S+) s'", text)]
        self.assertEqual(times, sorted(times))
        self.assertEqual(times[0], 0)

    def test_strains_of_a_sheet(self):
        self.call(self.touching, "--strip", "--stills", 3, "--colour", "strain", "-o", "a.png")
        frames = self.frames(self.told())
        self.assertEqual(["points palette" in head for head, _ in frames], [False, False, True])
        self.assertIn("multiplot layout 1,3", self.told())

    def test_a_net_that_bursts_leaves_the_picture(self):
        file = self.case("burst.h5", "scene=rope", "nodes=4", "integrator=explicit_euler", "substeps=4", "frames=20",
                         "save=every:1")
        self.call(file, "--gif", "-o", "a.gif")
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
        self.call(file, "--strip", "-o", "a.png")
        text = self.told()
        self.assertEqual(re.findall(r"set label 1 't = (.*) s'", text), ["0", "1000", "2000"])
        self.assertIn("set pm3d noborder", text)
        self.assertNotIn("set pm3d border", text)
        self.call(self.touching, "--strip", "-o", "b.png")
        self.assertIn("set pm3d border", self.told(1))

    def test_frames_are_counted_on_a_terminal(self):
        ours, theirs = os.openpty()
        environment = animations.CLEAN | animations.ALONE | {"PATH": f"{self.shared}/bin:{os.environ['PATH']}"}
        done = subprocess.run([PROGRAM, "animate", str(self.rope), "--frames", "3", "--gif", "-o", "a.gif"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=200)
        os.close(theirs)
        self.assertEqual((done.returncode, done.stdout), (0, b"a.gif\n"))
        self.assertEqual(os.read(ours, 4096), b"\rframe 1 of 3\rframe 2 of 3\rframe 3 of 3\r\n")
        os.close(ours)

    def test_what_goes_wrong_with_gnuplot(self):
        said = self.call(self.rope, "--gif", "-o", "a.gif", status=2, GNUPLOT_ENDS="3", GNUPLOT_SAYS="no\\nfont\\n")
        self.assertIn("gnuplot failed: no", said)
        self.assertNotIn("font", said)
        said = self.call(self.rope, "--strip", "-o", "a.png", status=2, GNUPLOT_ENDS="1", GNUPLOT_SAYS="\\nline 1: bad")
        self.assertIn("gnuplot failed:  line 1: bad", said)
        for one in ("--gif", "--strip"):
            said = self.call(self.rope, one, status=2, path="/nowhere")
            self.assertIn("cannot start gnuplot (package gnuplot-nox): No such file", said)

    def test_names_of_pictures(self):
        for given, shown in [("a", "a.gif\na.png\n"), ("b.png", "b.gif\nb.png\n"), ("c.gif", "c.gif\nc.png\n"),
                             ("'d", "'d.gif\n'd.png\n"), ("e.h5", "e.gif\ne.png\n"), ("gif", "gif.gif\ngif.png\n")]:
            self.assertEqual(self.call(self.rope, "--frames", 3, "--stills", 2, "-o", given), shown)
        self.assertIn("""set output "'".'d.gif'\n""", "".join(self.told(i) for i in range(10)))
        for name in ("a\x7f", "a\n"):
            self.assertIn("control character", self.call(self.rope, "--strip", "-o", name, status=2))

    REFUSED = [(["--size", "64"], "--size takes WxH"), (["--size", "63x64"], "--size takes WxH"),
               (["--size", "64x4097"], "--size takes WxH"), (["--size", "4097x64"], "--size takes WxH"),
               (["--size", "64x63"], "got '64x63'"), (["--size", "ax64"], "got 'ax64'"), (["--size", "64xb"], "--size"),
               (["--view", "60"], "--view takes TILT,TURN"), (["--view=-1,0"], "--view takes"),
               (["--view", "181,0"], "got '181,0'"),
               (["--view=0,-1"], "--view"), (["--view", "0,361"], "got '0,361'"), (["--view", "a,1"], "--view"),
               (["--view", "1,a"], "got '1,a'"),
               (["--frames", "0"], "--frames takes a whole number from 1 to 100000; got '0'"),
               (["--frames", "100001"], "--frames takes"), (["--stills", "many"], "--stills takes a whole number"),
               (["--seconds", "0"], "--seconds takes a positive number; got '0'"), (["--seconds", "x"], "got 'x'"),
               (["--seconds", "nan"], "--seconds takes"), (["--colour", "red"], "plain or strain"),
               (["id"], "no results"), (["id", "more"], "Usage: springbench animate"),
               (["--no-such"], "unrecognized option")]

    def test_wrong_arguments(self):
        for arguments, answer in self.REFUSED:
            with self.subTest(arguments):
                self.assertIn(answer, self.call(self.rope, *arguments, status=2))
        self.assertIn("Usage: springbench animate", self.call(status=2))
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
