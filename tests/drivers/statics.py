# SPDX-License-Identifier: GPL-3.0-or-later
"""Driver statics against closed forms: springs in series and in parallel, weights, and what it refuses."""
import functools
import pathlib
import sys
import tempfile
import unittest

import case as program

case = functools.partial(program.case, "driver=statics")


class Statics(unittest.TestCase):
    def near(self, got, want, tolerance):
        self.assertTrue(abs(got - want) <= tolerance, f"{got} instead of {want}")

    def sheet(self, grid, *pairs):
        return case("scene=cloth", f"grid={grid}", "pins=first_edge", "gravity=[0,0,0]", "edge_load=10", *pairs)

    def test_structural_sheet_is_springs_in_series_and_parallel(self):
        """N rows of N + 1 springs each: F N/(k (N + 1)), whatever the stretch."""
        for grid in (1, 7):
            row = self.sheet(grid, "springs=structural", "stiffness=200")
            columns = row["columns"]
            self.assertEqual(row["status"], "ok")
            self.near(columns["displacement"], 10 * grid / (200 * (grid + 1)), 1e-9)
            self.near(columns["load_stiffness"], 200 * (grid + 1) / grid, 1e-6)
            self.near(columns["pin_force"], 10, 1e-7)
            self.near(columns["energy_elastic"], 10 * columns["displacement"] / 2, 1e-9)
            self.near(columns["energy_load"], -10 * columns["displacement"], 1e-9)
            self.near(columns["sag"], columns["displacement"], 1e-9)
            self.assertEqual(columns["row_vertices"], grid + 1)

    def test_a_chain_is_springs_in_series(self):
        columns = case("scene=chain", "ends=fixed_free", "nodes=8", "amplitude=0", "edge_load=0.5",
                       "load_direction=[3,0,0]")["columns"]
        self.near(columns["displacement"], 0.5 * 8, 1e-8)
        self.near(columns["load_stiffness"], 1 / 8, 1e-9)
        self.assertEqual((columns["row_vertices"], columns["stability"]), (1, "stable"))

    def test_a_string_carries_the_weight_below(self):
        columns = case("scene=rope", "nodes=16")["columns"]
        self.near(columns["energy_elastic"], sum(i * i for i in range(1, 16)) / (2 * 100), 1e-8)
        self.near(columns["strain_max"], 15 / 100 / (400 / 15), 1e-9)
        self.near(columns["sag"], 400 + sum(range(1, 16)) / 100, 1e-7)
        self.near(columns["pin_force"], 15, 1e-8)

    def test_diagonals_stiffen_a_sheet_unless_all_lean_one_way(self):
        """Diagonals that all lean one way let the sheet shear instead of narrowing, and carry next to nothing."""
        plain, single, mixed, double = (self.sheet(8, f"springs={name}")["columns"]["load_stiffness"]
                                        for name in ("structural", "triangulated", "alternating", "crossed"))
        self.assertTrue(plain < single < 1.02 * plain and 1.2 * single < mixed and 1.1 * mixed < double)

    def test_minimisers_and_pin_methods_agree(self):
        sheet = ["scene=cloth", "grid=4", "springs=crossed", "pins=corners4", "gradient_tolerance=1e-9"]
        sag = case(*sheet)["columns"]["sag"]
        for pairs in (["minimizer=local_global", "max_iterations=3000"], ["pin_method=row_replace", "linear=lu"],
                      ["linear=petsc", "ranks=2"]):
            self.near(case(*sheet, *pairs)["columns"]["sag"], sag, 1e-8)
        self.near(case(*sheet, "pin_method=penalty")["columns"]["sag"], sag, 1e-6)

    def test_penalty_contact_holds_a_cloth(self):
        """Inside the potential and known at the start of a step: the same equilibrium."""
        ball = ["scene=cloth", "grid=4", "pins=corners4", "contact=penalty", "contact_stiffness=50",
                "collider=sphere:centre=[0,0,-0.6],radius=0.4", "stiffness=20"]
        free = case(*ball[:3], ball[-1])["columns"]["sag"]
        inside = case(*ball, "contact_implicit=true")["columns"]["sag"]
        lagged = case(*ball)["columns"]["sag"]
        self.near(lagged, inside, 1e-7)
        self.assertLess(inside, free - 0.01)

    def test_a_field_stiffer_than_the_springs(self):
        """One mass near a softened attractor, whose pull changes 250 times as fast as the spring's: 4 u = pull(u)."""
        pull = lambda u: (0.2 - u) / ((0.2 - u) ** 2 + 0.01) ** 1.5
        low, high = 0.0, 0.2
        while high - low > 1e-15:
            middle = (low + high) / 2
            low, high = (middle, high) if pull(middle) > 4 * middle else (low, middle)
        row = case("scene=oscillator", "stiffness=4", "amplitude=0",
                   "wind=attractor:strength=1,centre=[1.2,0,0],softening=0.1")
        self.assertEqual(row["status"], "ok")
        self.near(row["columns"]["energy_elastic"], 2 * low * low, 1e-9)

    def test_a_flat_sheet_that_would_buckle_is_said_to(self):
        flat = case("scene=cloth", "grid=8", "gravity=[0,0,0]", "edge_load=10")
        self.assertEqual((flat["status"], flat["columns"]["stability"]), ("ok", "unstable"))
        moved = case("scene=cloth", "grid=8", "gravity=[0,0,0]", "edge_load=10", "perturbation=1e-3")
        self.assertEqual(moved["status"], "ok")

    def test_a_mode_without_stiffness_is_not_called_stable(self):
        """Nets that may turn, swing or move across themselves without a force: flat, hanging or far from the origin."""
        for pairs in (["scene=cloth", "grid=4", "gravity=[0,0,0]"], ["scene=rope", "gravity=[0,0,0]"],
                      ["scene=cloth", "grid=10", "pins=corner1"], ["scene=cloth", "grid=5", "pins=edge_midpoint"],
                      ["scene=chain", "ends=fixed_free", "nodes=8", "amplitude=0"],
                      ["scene=cloth", "grid=4", "pins=corner1", "ranks=2"],
                      ["scene=cloth", "grid=10", "pins=corner1", "gradient_tolerance=1e-5"],
                      ["scene=cloth", "grid=4", "pins=corner1", "pin_method=penalty"]):
            row = case(*pairs)
            self.assertEqual((pairs, row["status"], row["columns"]["stability"]), (pairs, "ok", "neutral"))

    def test_what_only_gives_way_is_called_stable(self):
        for pairs in (["scene=cloth", "grid=10", "pins=corners2"], ["scene=rope", "nodes=16"],
                      ["scene=cloth", "grid=10", "pins=corners4", "stiffness=1e6"], ["scene=curtain", "grid=20"],
                      ["scene=cloth", "grid=40", "gravity=[0,0,0]", "pins=first_edge", "edge_load=1"]):
            row = case(*pairs)
            self.assertEqual((pairs, row["status"], row["columns"]["stability"]), (pairs, "ok", "stable"))

    def test_rounding_is_not_called_converged(self):
        row = case("scene=cloth", "grid=4", "gravity=[0,0,0]", "edge_load=10", "gradient_tolerance=1e-18")
        self.assertEqual((row["status"], row["accuracy_ok"]), ("not_converged", False))
        self.assertIn("E213", row["reason"])
        self.assertGreater(row["columns"]["gradient_norm"], row["columns"]["gradient_tolerance"])

    def test_nothing_held_is_refused(self):
        self.assertIn("25 vertices", case("scene=cloth", "grid=4", "pins=none", status=2))
        self.assertIn("E208", case("scene=chain", "ends=free_free", "nodes=3", status=2))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "parts.obj")
            path.write_text("".join(f"v {i} {i * i} 0\n" for i in range(10)) + "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 8 9 10\n")
            message = case("scene=mesh", f"mesh={path}", "stiffness=10", "pins=[0]", status=2)
            self.assertIn("2 parts", message)
            self.assertIn("3, 4", message)

    def test_loads_that_act_on_nothing_are_refused(self):
        self.assertIn("load_direction", case("scene=cloth", "grid=2", "edge_load=1", "load_direction=[0,0,0]", status=2))
        self.assertIn("every vertex of the last row",
                      case("scene=cloth", "grid=2", "edge_load=1", "pins=[0,6,7,8]", status=2))
        self.assertIn("contact=penalty", case("scene=cloth", "grid=2", "contact=combined",
                                              "collider=plane:point=[0,0,-1],normal=[0,0,1]", status=2))


unittest.main(argv=[sys.argv[0]])
