# SPDX-License-Identifier: GPL-3.0-or-later
"""Every law with every method, and with contact, pins, dampers, ranks, restarts, devices, plug-ins: law_methods.py PROGRAM
LIBRARY. The net has stiffnesses by directions and rest lengths of another mesh. A cell has the places and velocities of
mass_spring.py, or is refused with the words of the table in docs/model.md, or with those that Hooke's law is refused."""
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).parent.parent.parent
LIBRARY = sys.argv.pop(2)
FOLDER = tempfile.TemporaryDirectory()
HERE = pathlib.Path(FOLDER.name)
PLUGINS = [HERE / f"own_{name}.so" for name in ("solver", "vbd", "leapfrog", "sdirk2")]
for plugin in PLUGINS:
    subprocess.run(["gcc", "-shared", "-fPIC", f"-I{ROOT / 'base'}", ROOT / f"examples/{plugin.stem}.c", "-lm", "-o", plugin], check=True)
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1", "SPRINGBENCH_LIBRARY": LIBRARY,
               "SPRINGBENCH_PLUGINS": ":".join(map(str, PLUGINS))}
sys.path.insert(0, str(ROOT / "python"))
import springbench  # noqa: E402
from case import PROGRAM  # noqa: E402
from mass_spring import LAWS, Net  # noqa: E402

STEPS, BETA, BOTH, GRAVITY = 2, {"damping_in_step": 0.004}, "tension and damping_in_step", [1, 2, -9]
PLACES = np.array([(i, j, 0.2 * ((i * i + j) % 3)) for j in range(3) for i in range(3)], float)
REST = np.array([(0.9 * x + 0.05 * y, 0.8 * y, 0.1 * x) for x, y, _ in PLACES])
FOLDED = np.array([(x, y, 0) if y < 2 else (x, 0.1, 0.3) for x, y, _ in PLACES])
FACES = [face for v in (0, 1, 3, 4) for face in ((v, v + 1, v + 4), (v, v + 4, v + 3))]
STIFFNESS = {"warp": 120, "bias": 30, "weft": 60}
FORMULA = lambda r, k, l: (k * l**2 * (np.cosh(r / l - 1) - 1), k * l * np.sinh(r / l - 1), k * np.cosh(r / l - 1))  # noqa: E731
COSH = {"law": "formula", "law_energy": "k*l^2*(cosh(r/l - 1) - 1)", "law_force": "k*l*sinh(r/l - 1)", "law_stiffness": "k*cosh(r/l - 1)"}
# By the columns of the page: options, and the law and its parameters for the oracle.
OPTIONS = {"hooke": ({}, LAWS["hooke"]), "damping_in_step": (BETA, LAWS["hooke"]), "tension": ({"law": "tension"}, LAWS["tension"]),
           "cubic, c > 0": ({"law": "cubic", "law_cubic": 3}, LAWS["cubic"], 3),
           "cubic, c < 0": ({"law": "cubic", "law_cubic": -0.2, **BETA}, LAWS["cubic"], -0.2),
           "piecewise": ({"law": "piecewise", "law_knee": 0.1, "law_ratio": 3, **BETA}, LAWS["piecewise"], 0.1, 3),
           "exponential": ({"law": "exponential", "law_exponent": 2}, LAWS["exponential"], 2), "formula": (COSH | BETA, FORMULA),
           BOTH: ({"law": "tension", **BETA}, LAWS["tension"])}
SPHERE = ("sphere", np.array([1.3, 1.1, -0.5]), 1.2, 40)
CONTACT = {"contact": "penalty", "contact_stiffness": SPHERE[3], "collider": "sphere:centre=[1.3,1.1,-0.5],radius=1.2"}
VELOCITY = np.array([0.5, 1, 2])
WITH = {"nothing": {}, "penalty": CONTACT, "contact_implicit": {**CONTACT, "contact_implicit": True}, "barrier": {"self_contact": "barrier"},
        "moving pins": {"pin_path": "linear:velocity=[0.5,1,2]"}, "row_replace": {"pin_method": "row_replace"},
        "constraint_force": {"pin_method": "constraint_force"}, "soft pins": {"pin_method": "penalty", "pin_weight": 3000},
        "dampers": {"spring_damping": 0.05, "drag": 0.1}, "device": {"device": "host"}}
STAGES = ("bdf2", "sdirk2", "implicit_midpoint", "own_sdirk2")
ENDS = {}  # of the steps of an integrator, which do not depend on its minimiser
UNFINISHED = {"linearly_implicit": 1, "xpbd": 3}  # minimisers that end before the minimum, after so many iterations


def mesh(name, places):
    lines = ["v {!r} {!r} {!r}\n".format(*place) for place in places.tolist()] + ["f {} {} {}\n".format(*np.array(f) + 1) for f in FACES]
    (HERE / name).write_text("".join(lines))
    return str(HERE / name)


NET = {"scene": "mesh", "mesh": mesh("sheet.obj", PLACES), "rest_mesh": mesh("rest.obj", REST), "warp_direction": [1, 0, 0], "stiffness": 0,
       **{f"stiffness_{name}": k for name, k in STIFFNESS.items()}, "vertex_mass": 0.05, "gravity": GRAVITY, "pins": [0, 2]}


def methods():
    """{name: options}: those of the lists, plug-ins among them, with a word more, and linear backends."""
    found = {name: {"integrator": name} for name in springbench.names("integrators") if name not in ("isph", "implicit_euler")}
    found |= {name: {"integrator": "implicit_euler", "minimizer": name} for name in springbench.names("minimizers")}
    backends = [f"{minimizer} linear={linear}" for linear in springbench.names("linear") for minimizer in ("newton", "local_global")]
    for line in ["vertex_block_descent vbd_block=laplacian", "gradient_descent metric=laplacian step=unit", "lbfgs metric=identity step=unit",
                 "gradient_descent metric=laplacian step=armijo", "chebyshev step=guard", "nesterov step=guard", *backends]:
        name, *more = line.split()
        found[line] = found[name] | dict(pair.split("=") for pair in more)
    for name, options in found.items():
        options["h"] = 0.01 if "minimizer" in options or name in STAGES else 0.002
        if name == "xpbd":
            options["max_iterations"] = UNFINISHED[name]
        elif name != "linearly_implicit" and ("minimizer" in options or name in STAGES):
            options |= {"gradient_tolerance": 1e-9, "max_iterations": 20000}
        if name == "admm":
            options["admm_weight"] = 1
        if options.get("linear") in ("petsc", "jacobi", "sor", "chebyshev", "my_cg"):
            options |= {"linear_tolerance": 1e-13, "linear_max_iterations": 2000}
        if name.startswith("newton linear="):
            options["hessian"] = "projected"
    return found


def page():
    """{(part of a case, column): words of the message} of the cells that docs/model.md refuses."""
    table = (ROOT / "docs/model.md").read_text().split("**Methods and laws.**")[1].split("\n\n")[1].splitlines()
    head, _, *rows = ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in table)
    return {(part, column.replace("`", "")): row[-1] for row in rows for part in re.findall("`(.*?)`", row[0])
            for column, cell in zip(head, row[1:]) if cell == "no"}


METHODS, REFUSED = methods(), page()
DEFAULTS = {entry["name"]: entry["options"] for entry in json.loads(subprocess.run(
    [PROGRAM, "list", "minimizers", "--json"], capture_output=True, text=True, check=True).stdout)["minimizers"]}


def refusals(method, option, context):
    """Words of which the message must have all; none: the cell is taken."""
    has = {name: str(value) for name, value in (METHODS[method] | WITH[context]).items()}
    for default in DEFAULTS.get(has.get("minimizer"), ()):
        has.setdefault(default["name"], default["default"])
    parts = {method.split()[0], *map("=".join, has.items())} | ({"SB_PLUGIN_SEES_NET"} if method == "my_vbd" else set())
    columns = {option, *OPTIONS[option][0]}
    found = {text for (part, column), text in REFUSED.items() if column in columns and set(part.split()) <= parts}
    return found | ({"a slack spring has no constraint"} if method == "xpbd" and option == BOTH else set())


def run(options, restart=False):
    """Places and velocities of the steps and the simulation, or a message and nothing."""
    try:
        sim = springbench.Simulation(**options)
        frames = [(sim.positions, sim.velocities)]
        for _ in range(STEPS):
            if restart and len(frames) == 2:
                sim.save(HERE / "half.h5")
                sim = springbench.Simulation.load(HERE / "half.h5")
            sim.step()
            frames.append((sim.positions, sim.velocities))
    except (springbench.Error, springbench.StepError) as error:
        return str(error), None
    return np.array(frames), sim


def net_of(frames, sim, option):
    """The net of the independent program with a law; it has the stored frames."""
    net = Net(frames[:, 0], frames[:, 1], sim.springs, sim.stiffnesses, sim.rest_lengths, sim.masses)
    options, net.law, *net.parameters = OPTIONS[option]
    net.damping_in_step, net.gravity, net.free = options.get("damping_in_step", 0), np.array(GRAVITY), ~sim.pinned
    return net


def oracle(frames, sim, method, option, context):
    """Places and velocities of the independent program after each step from the stored frame before it."""
    name, integrator = method.split()[0], METHODS[method]["integrator"].replace("own_sdirk2", "sdirk2")
    if name not in UNFINISHED and (integrator, option, context) in ENDS:
        return ENDS[integrator, option, context]
    net, h = net_of(frames, sim, option), METHODS[method]["h"]
    if context in ("penalty", "contact_implicit"):
        net.collider, net.lagged_contact = SPHERE, context == "penalty" and integrator == "implicit_euler"
    if context == "moving pins":
        net.path = lambda t, rest: rest + VELOCITY * t
    net.soft = WITH[context].get("pin_weight", 0)
    net.spring_damping, net.drag = (WITH[context].get(name, 0) for name in ("spring_damping", "drag"))
    if name in UNFINISHED:
        return np.array([net.iterated(name, option in ("tension", BOTH), frame, h, UNFINISHED[name]) for frame in range(STEPS)])
    return ENDS.setdefault((integrator, option, context), np.array([net.step(integrator, frame, h) for frame in range(STEPS)]))


class Cells(unittest.TestCase):
    def test_data_of_the_net(self):
        """Stiffness by the nearest direction and length by the other mesh, computed here."""
        frames, sim = run(NET | {"h": 0.01})
        d = REST[sim.springs[:, 0]] - REST[sim.springs[:, 1]]
        angle = np.degrees(np.arccos(np.abs(d[:, 0]) / np.linalg.norm(d, axis=1)))
        np.testing.assert_array_equal(sim.stiffnesses, np.array([*STIFFNESS.values()])[(angle / 45).round().astype(int)])
        np.testing.assert_allclose(sim.rest_lengths, np.linalg.norm(d, axis=1), rtol=1e-15)

    def check(self, method, option, context, more):
        """None, or what is wrong with the cell. `more`: options of the context."""
        options, words = NET | METHODS[method] | OPTIONS[option][0] | more, refusals(method, option, context)
        frames, sim = run(options) if option != "hooke" else self.hooke
        if sim is None or words:
            good = sim is None and "E106" in frames and words and all(text in frames for text in words)
            return None if good else frames if sim is None else "taken"
        if method == "position_verlet" or context == "device":  # with Hooke's law alone
            want = run(NET | METHODS[method] | (more if context != "device" else {}))[0][1:]
        else:
            want = oracle(frames, sim, method, option, context)
        size = np.abs(want - frames[1:])[:, :, ~sim.pinned].max((0, 2, 3)) * (1, METHODS[method]["h"])
        if not max(size) < 1e-9:
            return f"differs by {size}"
        restarts = context == "nothing" and option == ("tension" if method == "xpbd" else "piecewise")
        if restarts and not np.array_equal(frames, run(options, True)[0]):
            return "goes on with other bits"

    def test_every_cell(self):
        wrong, cells = [], 0
        for context, method in itertools.product(WITH, METHODS):
            if "linear=" in method and context not in ("nothing", "soft pins"):
                continue
            for linear in ({}, {"linear": "lu"}):  # some pins need it
                more = WITH[context] | linear
                self.hooke = run(NET | METHODS[method] | more)
                if self.hooke[1]:
                    break
            if self.hooke[1] is None:  # no law is then taken either
                others = [run(NET | METHODS[method] | OPTIONS[option][0] | WITH[context])[1] for option in ("tension", "damping_in_step")]
                if others != [None, None] or "E106" not in self.hooke[0]:
                    wrong.append((context, method, "hooke", self.hooke[0]))
                continue
            for option in OPTIONS:
                cells += 1
                wrong.append((context, method, option, self.check(method, option, context, more)))
        wrong = [cell for cell in wrong if cell[-1]]
        print(cells, "cells")
        self.assertEqual(wrong, [], "\n".join(map(str, wrong)))

    def test_a_barrier_that_acts(self):
        """E = k (r - 0.9 l)^2 is Hooke's law with 2 k and 0.9 l. The sheet is folded, so that two rows are near."""
        law = {"law": "formula", "law_energy": "k*(r - 0.9*l)^2", "law_force": "2*k*(r - 0.9*l)", "law_stiffness": "2*k"}
        other = {f"stiffness_{name}": 2 * k for name, k in STIFFNESS.items()} | {"rest_mesh": mesh("shrunk.obj", 0.9 * REST)}
        for method in ("newton", "newton linear=panel", "newton linear=petsc"):
            barrier, folded = {"self_contact": "barrier", "thickness": 0.14}, NET | METHODS[method] | {"mesh": mesh("folded.obj", FOLDED)}
            one, two, free = (run(folded | more)[0] for more in (law | barrier, other | barrier, law))
            self.assertLess(np.abs(one - two).max(), 1e-9, method)
            self.assertGreater(np.abs(one - free).max(), 1e-3, method)

    def test_whole_steps_that_rise(self):
        """Without a bound of E'', the step that guard falls back on is halved."""
        stiff = NET | {"integrator": "implicit_euler", "h": 0.05, "law": "exponential", "law_exponent": 20, "gradient_tolerance": 1e-8}
        want, _ = run(stiff | {"minimizer": "newton"})
        for minimizer in ("anderson", "chebyshev", "nesterov"):
            frames, _ = run(stiff | {"minimizer": minimizer, "step": "guard", "max_iterations": 5000})
            self.assertLess(np.abs(frames[1, 0] - want[1, 0]).max(), 1e-7, minimizer)

    def cases(self, cells, *pairs):
        """Runs cells by the program, two at once: (method, option, row or message, places, velocities)."""
        def one(number, method, option):
            path = HERE / f"{number}.h5"
            options = NET | METHODS[method] | OPTIONS[option][0]
            line = [f"{name}={str(value).replace(' ', '')}" for name, value in options.items()]
            done = subprocess.run([PROGRAM, "case", *line, *pairs, "-o", path, "--json"], capture_output=True, text=True)
            if done.returncode == 2:
                return method, option, done.stderr, None
            with h5py.File(path) as file:
                return method, option, json.loads(done.stdout), [file[f"particles/all/{name}/value"][-1] for name in ("position", "velocity")]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(one, itertools.count(), *zip(*cells)))

    def test_two_ranks(self):
        """They end where one rank does, or Hooke's law is refused, too. laws.py has further methods and ranks."""
        elsewhere = ("symplectic_euler", "rk4", "newton", "newton_cg", "explicit_euler", "midpoint", "stoermer_verlet")
        methods, taken = [method for method in METHODS if "=" not in method and method not in elsewhere], 0
        for method, option, row, state in self.cases([(method, "piecewise") for method in methods], "ranks=2", f"steps={STEPS}", "save=final"):
            want, sim = run(NET | METHODS[method] | OPTIONS[option][0])
            if state is None:
                self.assertTrue("E106" in row and (sim is None or "rank" in row), (method, row))
                continue
            taken += 1
            self.assertEqual(row["status"], "ok", (method, row["reason"]))
            self.assertLess(np.abs(np.array(state) - want[-1]).max(), 1e-9, method)
        self.assertGreater(taken, 12)

    def test_statics(self):
        """The independent program finds the same place of no force near it."""
        methods = [method for method in METHODS if METHODS[method].get("minimizer") == method and method not in UNFINISHED]
        cells = [(method, "piecewise") for method in methods] + [("newton", option) for option in OPTIONS if option != BOTH]
        for method, option, row, state in self.cases(cells, "driver=statics", "save=final"):
            words = refusals(method, option, "nothing")
            if state is None or words:
                self.assertTrue(words and all(text in row for text in words), (method, option, row))
                continue
            self.assertEqual(row["status"], "ok", (method, option, row["reason"]))
            net = net_of(*run(NET | METHODS[method]), option)
            net.damping_in_step, fall = 0, 1e8 * net.gravity
            place = net.solve(state[0], np.where(net.free[:, None], fall, state[0]), 1e4, state[0])
            self.assertLess(np.abs(place - state[0]).max(), 1e-9, (method, option))


unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
