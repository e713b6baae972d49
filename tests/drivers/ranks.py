"""What rows say of several ranks: the messages between them against what theory says, and who solved."""
import sys
import unittest

from case import case


class Ranks(unittest.TestCase):
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
