# SPDX-License-Identifier: GPL-3.0-or-later
"""First passes of vertex_block_descent with over-relaxation against NumPy: vertices.py PROGRAM."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

PROGRAM = sys.argv[1]
NETS = ("scene=cloth grid=4 stiffness=300", "scene=curtain grid=3 stiffness=2000", "scene=strand_masses")


def case(folder, *pairs):
    """The places before and after the only step, and the net."""
    path = folder / "case.h5"
    subprocess.run([PROGRAM, "case", "integrator=implicit_euler", "minimizer=vertex_block_descent", "frames=1", "substeps=1",
                    "frame_seconds=0.02", "save=every:1", "perturbation=0.01", "gravity=[0,0,-9.8]", "pins=first", *pairs,
                    "-o", path], check=True, stdout=subprocess.DEVNULL)
    with h5py.File(path) as file:
        place = file["particles/all/position/value"][()]
        names = {"ends": "connectivity/springs", "stiffness": "springs/stiffness", "rest_length": "springs/rest_length",
                 "mass": "VTKHDF/PointData/mass"}
        return place, {name: file[path][()] for name, path in names.items()}


def passes(place, net, omega, count, h=0.02):
    """From y = x + h^2 gravity, at rest: each vertex by its own Newton step with the projected Hessian of its springs."""
    y = place + h * h * np.array([0, 0, -9.8])
    y[0] = place[0]
    z = y.copy()
    for _ in range(count):
        for i in range(1, len(z)):
            weight = net["mass"][i] / h**2
            force, block = weight * (y[i] - z[i]), weight * np.eye(3)
            for (a, b), k, rest in zip(net["ends"], net["stiffness"], net["rest_length"]):
                if i not in (a, b):
                    continue
                apart = z[i] - z[b if a == i else a]
                length = np.linalg.norm(apart)
                u = apart / length
                force -= k * (length - rest) * u
                block += k * (np.outer(u, u) + max(0, 1 - rest / length) * (np.eye(3) - np.outer(u, u)))
            z[i] += omega * np.linalg.solve(block, force)
    return z


class Relaxation(unittest.TestCase):
    def test_passes_are_those_of_an_independent_program(self):
        for net in NETS:
            for omega, count in ((0.7, 1), (1.6, 3)):
                with tempfile.TemporaryDirectory() as folder:
                    place, facts = case(pathlib.Path(folder), *net.split(), f"vbd_omega={omega}", f"max_iterations={count}")
                want = passes(place[0], facts, omega, count)
                error = np.abs(place[1] - want).max() / np.abs(want - place[0]).max()
                self.assertLess(error, 1e-9, (net, omega))

    def test_one_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            pairs = (*NETS[0].split(), "max_iterations=5")
            with_one, without = (case(pathlib.Path(folder), *pairs, *more)[0] for more in (("vbd_omega=1",), ()))
        self.assertEqual(with_one.tobytes(), without.tobytes())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
