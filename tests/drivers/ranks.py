# SPDX-License-Identifier: GPL-3.0-or-later
"""Several ranks: explicit steps have the bits of one, messages are those of theory, and rows say who solved."""
import pathlib
import sys
import tempfile
import unittest

import h5py
from case import case


def states(*pairs):
    """A case's row, and its positions and velocities."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.h5"
        row = case(*pairs, "save=every:1", "-o", str(path))
        with h5py.File(path) as file:
            return row, [file[f"particles/all/{name}/value"][()].tobytes() for name in ("position", "velocity")]


class Ranks(unittest.TestCase):
    SHEET = ["driver=trajectory", "scene=square", "springs=triangulated", "grid=40", "perturbation=0.001"]

    def test_fused_steps_have_the_bits_of_one_rank(self):
        """Fused steps of every method; of 40 tiles 3 in 4 need no ghost. Bounds that are near are looked at in every
        step."""
        for more in (["integrator=symplectic_euler", "substeps=100"], ["integrator=explicit_euler", "substeps=100"],
                     ["integrator=velocity_verlet", "substeps=40", "drag=0.1"],
                     ["integrator=stoermer_verlet", "substeps=40"],
                     ["integrator=symplectic_euler", "substeps=40", "blowup_ratio=1.01"]):
            self.assertEqual(states(*self.SHEET, *more, "frames=2", "ranks=2")[1],
                             states(*self.SHEET, *more, "frames=2")[1], more)

    def test_a_run_leaves_its_bounds_at_the_same_step(self):
        """It is step 18 of those, at most 32, after which ranks compare what they saw of the bounds."""
        unstable = [*self.SHEET, "integrator=explicit_euler", "substeps=50", "frames=2", "frame_seconds=1",
                    "stiffness=1000"]
        one, two = states(*unstable), states(*unstable, "ranks=2")
        self.assertEqual((one[0]["status"], one[0]["columns"]["steps_done"]), ("diverged", 18))
        self.assertEqual(two[0]["reason"], one[0]["reason"])
        self.assertEqual(two[0]["columns"]["steps_done"], one[0]["columns"]["steps_done"])
        self.assertEqual(two[1], one[1])

    def test_fused_steps_seldom_reduce(self):
        """Every 32 steps, but here every 21, at which progress is shown; a timed run shows none."""
        columns = case(*self.SHEET, "integrator=symplectic_euler", "substeps=127", "frames=1", "ranks=2")["columns"]
        self.assertEqual(columns["messages_mean"], 2)
        self.assertEqual(columns["message_bytes_mean"], 2 * 24 * 41)
        self.assertEqual(round(127 * columns["reductions_mean"]), 6 + 1)
        timed = case("driver=timing", *self.SHEET[1:], "integrator=symplectic_euler", "h=1e-4", "duration=0.0064", "ranks=2")
        self.assertEqual(timed["columns"]["reductions_mean"], 1 / 32)

    def test_messages_are_those_of_the_exchange_of_ghosts(self):
        """A rope sends the vertex at each cut both ways for every evaluation of forces: 3 doubles a message."""
        rope = ["driver=timing", "scene=rope", "nodes=40", "integrator=rk4", "h=1e-3", "duration=0.02"]
        alone = case(*rope)["columns"]
        self.assertEqual({alone[name] for name in ("messages_mean", "message_bytes_mean", "reductions_mean")}, {None})
        for ranks in (2, 3):
            columns = case(*rope, f"ranks={ranks}")["columns"]
            self.assertEqual(columns["messages_mean"], 4 * 2 * (ranks - 1))
            self.assertEqual(columns["message_bytes_mean"], 24 * columns["messages_mean"])
            self.assertEqual(columns["reductions_mean"], 1)  # the bounds

    def test_reductions_are_those_of_conjugate_gradients(self):
        """An iteration has two dot products and a norm, of each of three right-hand sides, and one exchange."""
        sheet = ["driver=timing", "scene=square", "grid=8", "integrator=implicit_euler", "minimizer=local_global",
                 "max_iterations=1", "linear=petsc", "linear_tolerance=0", "h=0.01", "duration=0.02", "ranks=2"]
        few, many = (case(*sheet, f"linear_max_iterations={count}")["columns"] for count in (2, 7))
        self.assertEqual(many["reductions_mean"] - few["reductions_mean"], 5 * 3 * 3)
        self.assertEqual(many["messages_mean"] - few["messages_mean"], 5 * 3 * 2)
        self.assertIsNone(many["linear_used"])

    def test_what_mumps_solves_says_so(self):
        sheet = ["scene=square", "grid=6", "integrator=implicit_euler", "h=0.01", "duration=0.02"]
        for driver, linear in (("timing", "panel"), ("trajectory", "lu"), ("factor_solve", "cholesky"),
                               ("accuracy", "panel"), ("convergence", "panel"), ("statics", "panel")):
            own = sheet[:2] if driver == "statics" else sheet[:3] if driver == "factor_solve" else sheet
            for ranks, used in ((1, None), (2, "MUMPS")):
                columns = case(f"driver={driver}", *own, f"linear={linear}", f"ranks={ranks}")["columns"]
                self.assertEqual(columns["linear_used"], used, (driver, ranks))
                self.assertIsNone(columns.get("messages_mean"), driver)


unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
