# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages that play a motion: their places are those of the case file to half a step of their 16 bits, also where particles
have crossed a periodic box; their values give the colours of its strains, pressures and densities; colliders are at
their places, two motions keep their own times. The page loads nothing, takes no text for markup, is small and says
without JavaScript what it shows. Sweeps write one for each film, with another film beside it where they name one.

usage: player.py PROGRAM [TEST ...]"""
import base64
import html
import json
import os
import re
import sys

import h5py
import numpy as np

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from program import Program, main

CLOTH = ["scene=cloth", "grid=5", "frames=20", "save=every:1"]
ROPE = ["scene=rope", "nodes=4", "substeps=64", "frames=20", "save=every:1"]
DAM = ["scene=dam_break", "spacing=0.2", "h=0.01", "duration=0.3", "save=every:5"]
VORTICES = ["scene=taylor_green", "spacing=1/16", "relaxation=10", "h=0.02", "duration=0.4", "save=every:2"]
COLLIDERS = ["contact=penalty", "h=0.01", "duration=0.05", "save=every:1", "gravity=[0,-9.81,0]",
             "collider=sphere:centre=[0.5,-1,0.5],radius=0.25;plane:point=[0,-2,0],normal=[1,2,0]"]
HOSTILE = "</script><script>alert(1)</script><!--motions--> <b> & \"'"
SWEEP = f"""springbench: 1
name: small
question: {json.dumps("Which? " + HOSTILE)}
driver: trajectory
timed: false
defaults: {{scene: rope, nodes: 4, frames: 30}}
sweep:
  - grid: {{substeps: [16, 64], integrator: [symplectic_euler, velocity_verlet]}}
animations:
  - {{id: alone, title: {json.dumps("It swings " + HOSTILE)}, frames: 11, where: substeps == 64 and integrator == symplectic_euler}}
  - {{id: pair, title: Coarse, frames: 11, where: substeps == 16 and integrator == symplectic_euler, beside: %s}}
"""


def motions(page):
    data, = re.findall(r'<script type="application/json" id="motions">(.*?)</script>', page, re.S)
    return json.loads(data)


def array(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def places(motion):
    """[frames][vertices][3]"""
    low, step = np.array(motion["low"]), np.array(motion["step"])
    stored = np.flatnonzero(step > 0)
    whole = np.tile(low, (len(motion["times"]), motion["vertices"], 1))
    levels = array(motion["position"], "<u2").reshape(len(motion["times"]), motion["vertices"], len(stored))
    whole[:, :, stored] += levels * step[stored]
    return whole


class Player(Program):
    def case(self, name, *options):
        self.call("case", *options, "-o", name)
        return h5py.File(self.folder / name, "r")

    def page(self, *cases, options=()):
        self.call("animate", *cases, "-o", "page.html", *options)
        return (self.folder / "page.html").read_text()

    def compare_places(self, motion, file, period=None):
        stored = file["particles/all/position/value"][motion["stored"]]
        off = places(motion) - stored
        if period:
            off -= period * np.round(off / period)
        step = np.array(motion["step"])
        self.assertTrue((np.abs(off).max(axis=(0, 1)) <= 0.5001 * step + 1e-12).all(), np.abs(off).max(axis=(0, 1)))
        self.assertTrue((array(motion["position"], "<u2") == 65535).any())  # the steps are as small as can be
        np.testing.assert_allclose(motion["times"], file["particles/all/position/time"][motion["stored"]], rtol=1e-11)

    def compare_values(self, quantity, values, counted):
        low, high = quantity["low"], quantity["high"]
        tiny = 1e-9 * (high - low)
        shades = array(quantity["value"], "u1").reshape(values.shape)
        wanted = np.clip(values, low, high)
        self.assertLessEqual(np.abs(low + shades / 254 * (high - low) - wanted).max(), 0.5001 * (high - low) / 254)
        self.assertEqual(quantity["clipped"], [bool((counted < low - tiny).any()), bool((counted > high + tiny).any())])
        self.assertLess(((counted < low) | (counted > high)).mean(), 0.03)
        self.assertGreaterEqual(np.abs(counted).max() + tiny, high)  # no wider than the values

    def strains(self, motion, file):
        p = file["particles/all/position/value"][motion["stored"]]
        a, b = file["connectivity/springs"][:].T
        strain = np.linalg.norm(p[:, a] - p[:, b], axis=2) / file["springs/rest_length"][:] - 1
        most = np.zeros(p.shape[:2])
        for end in (a, b):
            for spring, vertex in enumerate(end):
                better = np.abs(strain[:, spring]) > np.abs(most[:, vertex])
                most[:, vertex] = np.where(better, strain[:, spring], most[:, vertex])
        return most

    def test_a_cloth(self):
        file = self.case("a.h5", *CLOTH)
        motion, = motions(self.page("a.h5"))["motions"]
        self.assertEqual((motion["kind"], len(motion["times"]), motion["vertices"]), ("surface", 21, 36))
        self.compare_places(motion, file)
        quantity, = motion["quantities"]
        self.assertEqual((quantity["name"], quantity["unit"], quantity["factor"]), ("strain", "%", 100))
        self.assertEqual(quantity["low"], -quantity["high"])
        strains = self.strains(motion, file)
        self.compare_values(quantity, strains, strains)
        self.assertTrue((array(motion["triangles"], "<u4").reshape(-1, 3) == file["connectivity/triangles"][:]).all())
        self.assertEqual(list(np.flatnonzero(array(motion["pinned"], "u1"))), [0, 5])
        axes = np.array(motion["axes"])
        self.assertTrue((axes @ axes.T == np.eye(3)).all())
        self.assertEqual(float(axes[2] @ file["parameters"].attrs["gravity"] < 0), 1)  # up is against gravity
        inside = places(motion) @ axes.T
        self.assertTrue((inside >= np.array(motion["box"][0]) - 1e-4).all() and (inside <= np.array(motion["box"][1]) + 1e-4).all())

    def test_a_rope_in_a_plane_has_two_axes(self):
        file = self.case("a.h5", *ROPE)
        motion, = motions(self.page("a.h5"))["motions"]
        self.assertEqual(motion["kind"], "rope")
        self.assertEqual(len(array(motion["position"], "<u2")), 21 * 4 * 2)
        self.compare_places(motion, file)
        strains = self.strains(motion, file)
        self.compare_values(motion["quantities"][0], strains, strains)
        self.assertTrue((array(motion["springs"], "<u4").reshape(-1, 2) == file["connectivity/springs"][:]).all())

    def test_particles(self):
        file = self.case("a.h5", *DAM)
        motion, = motions(self.page("a.h5"))["motions"]
        self.assertEqual((motion["kind"], motion["flat"], motion["diameter"]), ("particles", True, 0.2))
        self.compare_places(motion, file)
        loose = file["particles/all/species"][:] == 0
        self.assertTrue((array(motion["pinned"], "u1") == ~loose).all())
        for quantity, unit in zip(motion["quantities"], ["N/m", "kg/m²"], strict=True):
            self.assertEqual(quantity["unit"], unit)
            values = file[f"particles/all/{quantity['name']}/value"][motion["stored"]]
            self.compare_values(quantity, values, values[:, loose])

    def test_particles_that_cross_a_periodic_box(self):
        file = self.case("a.h5", *VORTICES)
        self.assertGreater(np.abs(file["particles/all/position/value"][:] - 0.5).max(), 0.5)  # some have left it
        motion, = motions(self.page("a.h5"))["motions"]
        self.compare_places(motion, file, period=1)
        self.assertTrue(((places(motion) >= 0) & (places(motion) <= 1)).all())

    def test_frames(self):
        self.case("a.h5", *ROPE)
        for asked, stored in ((1000, list(range(21))), (11, list(range(0, 21, 2))), (4, [0, 7, 14, 20]), (2, [0, 20])):
            motion, = motions(self.page("a.h5", options=["--frames", asked]))["motions"]
            self.assertEqual(motion["stored"], stored)

    def test_colliders(self):
        self.case("a.h5", "scene=cloth", "grid=3", "pins=none", *COLLIDERS,
                  "collider_path=linear:velocity=[1,0,0];still")
        motion, = motions(self.page("a.h5"))["motions"]
        ball, plane = motion["colliders"]
        axes = np.array(motion["axes"])
        self.assertEqual((ball["radius"], plane["radius"], len(plane["places"])), (0.25, 0, 1))
        self.assertEqual(len(ball["places"]), len(motion["times"]))
        for t, place in zip(motion["times"], ball["places"]):
            np.testing.assert_allclose(place, 2 * list(axes @ [0.5 + t, -1, 0.5]), atol=1e-9)
        foot, tip = np.array(plane["places"][0]).reshape(2, 3)
        np.testing.assert_allclose(foot, axes @ [0, -2, 0], atol=1e-9)
        np.testing.assert_allclose((tip - foot) / np.linalg.norm(tip - foot), axes @ [1, 2, 0] / 5 ** 0.5, atol=1e-9)

    def test_a_net_that_bursts_ends_before(self):
        self.case("a.h5", "scene=rope", "nodes=4", "integrator=explicit_euler", "substeps=4", "frames=20", "save=every:1")
        motion, = motions(self.page("a.h5"))["motions"]
        self.assertIn("it blows up, and later frames are left out", motion["note"])
        spread = np.ptp(places(motion), axis=1)
        self.assertLess(np.linalg.norm(spread, axis=1).max(), 4.01 * np.linalg.norm(spread[0]))

    def test_one_state_can_be_turned_too(self):
        self.case("a.h5", *ROPE[:-1], "save=final")
        motion, = motions(self.page("a.h5"))["motions"]
        self.assertEqual(len(motion["times"]), 1)

    def test_two_side_by_side(self):
        self.case("a.h5", *ROPE)
        self.case("b.h5", *ROPE[:-2], "frames=10", "save=every:2")
        data = motions(self.page("a.h5", "b.h5"))
        self.assertEqual([len(each["times"]) for each in data["motions"]], [21, 6])
        self.assertEqual([each["file"] for each in data["motions"]], ["a.h5", "b.h5"])
        one, two = (each["quantities"][0] for each in data["motions"])
        self.assertEqual((one["low"], one["high"], one["clipped"]), (two["low"], two["high"], two["clipped"]))
        self.assertTrue(all(each["command"].startswith("springbench case") for each in data["motions"]))

    def test_alone_small_and_readable_without_scripts(self):
        self.case("a.h5", "scene=cloth", "grid=20", "frames=300", "save=every:1", "stiffness=10")
        page = self.page("a.h5")
        self.assertEqual(len(motions(page)["motions"][0]["times"]), 301)
        self.assertLess(len(page), 3e6)
        self.assertIn("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'", page)
        self.assertEqual(re.findall(r"https?:|\bsrc=|<link|url\(|import\b|fetch\(|XMLHttp", page), [])
        without, = re.findall(r"<noscript>(.*?)</noscript>", page, re.S)
        self.assertIn("301 frames from 0 to ", without)
        self.assertIn("<h1>Cloth</h1>", page)

    def test_names(self):
        self.case("a.h5", *ROPE)
        for arguments, made in ((["--html"], "a.html"), (["-o", "b.html"], "b.html"), (["--html", "-o", "c.gif"], "c.html")):
            self.assertEqual(self.call("animate", "a.h5", *arguments).stdout.split("/")[-1], made + "\n")
            self.assertTrue((self.folder / made).exists())
        self.assertFalse((self.folder / "a.gif").exists())
        self.assertIn("two motions need -o FILE.html", self.call("animate", "a.h5", "a.h5", status=2).stderr)
        self.assertIn("b.h5", self.call("animate", "a.h5", "b.h5", "-o", "x.html", status=2).stderr)
        self.assertFalse((self.folder / "x.html").exists())
        os.rename(self.folder / "a.h5", os.fsencode(self.folder) + b"/\xff<.h5")
        self.call("animate", b"\xff<.h5".decode(errors="surrogateescape"), "-o", "d.html")
        self.assertEqual(motions((self.folder / "d.html").read_text())["motions"][0]["file"], "")

    def test_of_a_sweep(self):
        (self.folder / "small.yaml").write_text(SWEEP % "alone")
        self.call("run", "small.yaml", "-o", "out")
        films = self.folder / "out" / "animations"
        alone, pair = ((films / f"{name}.html").read_text() for name in ("alone", "pair"))
        self.assertEqual(motions(alone)["title"], "It swings " + HOSTILE)
        self.assertIn(f"<h1>{html.escape('It swings ' + HOSTILE, quote=False)}</h1>",
                      alone.replace("&quot;", '"').replace("&#39;", "'"))
        for page in alone, pair:
            self.assertEqual(page.count("</script>"), 2)
            self.assertEqual(page.count("<!--"), 1)
        self.assertEqual([each["name"] for each in motions(pair)["motions"]], ["Coarse", "It swings " + HOSTILE])
        self.assertEqual(motions(pair)["title"], "Which? " + HOSTILE)
        for name in "alone", "pair":
            self.assertIn(f"animations/{name}.html", (self.folder / "out" / "report.html").read_text())
        self.assertIn("turn, zoom and play, beside “It swings ", (self.folder / "out" / "report.html").read_text())
        # A page that is missing is made again without its pictures, and is the same.
        before = (films / "alone.gif").stat().st_mtime_ns
        (films / "alone.html").unlink()
        self.call("run", "out")
        self.assertEqual((films / "alone.html").read_text(), alone)
        self.assertEqual((films / "alone.gif").stat().st_mtime_ns, before)

    def test_beside_names_another(self):
        for name in "pair", "nothing":
            (self.folder / "small.yaml").write_text(SWEEP % name)
            said = self.call("check", "small.yaml", status=2).stderr
            self.assertIn(f"'beside' of the animation 'pair' names '{name}', which is not another animation of this sweep", said)


main()
