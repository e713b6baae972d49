# SPDX-License-Identifier: GPL-3.0-or-later
"""Random cases, law by law and method by method, against the program of mass_spring.py, step by step:
random_laws.py PROGRAM [COUNT [FIRST]]. A step is compared from the state that the case file has before it, so that
another minimum is no difference: the oracle looks for the minimum next to the end that springbench found."""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from mass_spring import BOUNDED, LAWS, read

PROGRAM = sys.argv[1]
STEPS = 4
FORMULAS = [  # energy, force and stiffness, and the same in Python
    ("k*l^2*((r/l)^2/2 + l/r - 3/2)/3", "k*l*(r/l - (l/r)^2)/3", "k*(1 + 2*(l/r)^3)/3",
     lambda r, k, l: (k * l**2 * ((r / l) ** 2 / 2 + l / r - 1.5) / 3, k * l * (r / l - (l / r) ** 2) / 3, k * (1 + 2 * (l / r) ** 3) / 3)),
    ("k*l^2*(cosh(2*(r/l - 1)) - 1)/4", "k*l*sinh(2*(r/l - 1))/2", "k*cosh(2*(r/l - 1))",
     lambda r, k, l: (k * l**2 * (np.cosh(2 * (r / l - 1)) - 1) / 4, k * l * np.sinh(2 * (r / l - 1)) / 2, k * np.cosh(2 * (r / l - 1)))),
    ("k*l^2*ln(1 + (r/l - 1)^2)/2", "k*l*(r/l - 1)/(1 + (r/l - 1)^2)", "k*(1 - (r/l - 1)^2)/(1 + (r/l - 1)^2)^2",
     lambda r, k, l: (k * l**2 * np.log1p((r / l - 1) ** 2) / 2, k * (r - l) / (1 + (r / l - 1) ** 2),
                      k * (1 - (r / l - 1) ** 2) / (1 + (r / l - 1) ** 2) ** 2))]
EXPLICIT = ["explicit_euler", "symplectic_euler", "velocity_verlet", "midpoint", "rk4"]
IMPLICIT = ["implicit_euler", "implicit_euler", "implicit_euler", "bdf2", "sdirk2", "implicit_midpoint"]
MINIMIZERS = ["newton", "newton_cg", "auto", "frozen_newton", "lbfgs", "anderson", "nonlinear_cg", "local_global", "admm",
              "vertex_block_descent", "petsc_nonlinear", "nesterov"]
SECOND_ORDER = {"newton", "newton_cg", "auto", "frozen_newton", "petsc_nonlinear"}


def vector(numbers):
    return "[" + ",".join(repr(float(x)) for x in numbers) + "]"


class Case:
    """A case of the number: `pairs` is its command line; `set_up` tells the oracle what they say."""

    def __init__(self, number, folder):
        self.random, self.folder = random.Random(number), folder
        r = self.random
        self.path, self.data = folder / "case.h5", folder / "springs.csv"
        self.scene = r.choice([["scene=rope", f"nodes={r.randint(2, 7)}", "rope_from=[0,0,0]", "rope_to=[1,0.2,-0.1]"],
                               ["scene=cloth", f"grid={r.randint(1, 3)}", f"springs={r.choice(['triangulated', 'crossed'])}"],
                               ["scene=curtain", f"grid={r.randint(2, 3)}"], ["scene=square", "grid=2"],
                               ["scene=bar", "grid=1"], ["scene=strand_springs", "stiffness_ratio=20"]])
        self.law = r.choice([*LAWS, *LAWS, "formula"])
        self.integrator = r.choice(EXPLICIT + IMPLICIT * 3)
        self.implicit = self.integrator in IMPLICIT
        self.minimizer = r.choice(MINIMIZERS) if self.implicit else None
        self.h = 10 ** r.uniform(-2.5, -1.5)
        self.damping = r.choice([0, 0, self.h * 10 ** r.uniform(-1, 1)]) * (1 if self.implicit else 0.1)
        self.iterations = 0
        if self.integrator == "implicit_euler" and r.random() < 0.25:
            self.iterate_only()

    def iterate_only(self):
        """A few iterations of a method whose iterations the oracle has."""
        self.minimizer = self.random.choice(["local_global", "vertex_block_descent", "xpbd", "linearly_implicit"])
        self.iterations = self.random.randint(1, 4)
        if self.minimizer == "local_global":
            self.law = self.random.choice(list(BOUNDED))
        if self.minimizer == "xpbd":
            self.law = self.random.choice(["hooke", "tension"])
        if self.minimizer == "linearly_implicit":
            self.iterations = 1
        elif self.law != "hooke":
            self.damping = 0

    def call(self, pairs, status=0):
        command = [PROGRAM, "case", *self.scene, f"h={self.h!r}", *pairs, "-o", str(self.path), "--json"]
        self.command = " ".join(f"'{word}'" for word in command)
        self.path.unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        return done.stderr if done.returncode == 2 else json.loads(done.stdout)

    def parameters(self, ends):
        """Random ones of the law, and spring_data with random springs."""
        r = self.random
        choose = {"cubic": {"cubic": lambda: r.choice([r.uniform(0.5, 20), r.uniform(-0.3, 0)])},
                  "piecewise": {"knee": lambda: r.uniform(0.01, 0.2), "ratio": lambda: r.choice([0, r.uniform(0, 1), r.uniform(1, 15)])},
                  "exponential": {"exponent": lambda: r.uniform(0.5, 10)}}.get(self.law, {})
        softens = self.law == "cubic" and (self.minimizer == "local_global")
        own = len(ends) if r.random() < 0.5 else 1  # columns, or options
        values = {name: [-abs(value()) / 40 if softens else value() for _ in range(own)] for name, value in choose.items()}
        columns = values if own > 1 else {}
        rows = [",".join(["first", "second", "stiffness", "rest_length", *(f"law_{name}" for name in columns)])]
        mean = sum(self.rest) / len(self.rest)
        stiffness = self.mass / self.h**2 * 10 ** r.uniform(-1.5, 0.7 if self.implicit else -0.5)
        for s, (a, b) in enumerate(ends):
            row = [a, b, stiffness * r.uniform(0.5, 2), self.rest[s] * r.uniform(0.7, 1.2), *(each[s] for each in columns.values())]
            rows.append(",".join(repr(x) for x in row))
        self.data.write_text("\n".join(rows) + "\n")
        self.values = [np.array(each) for each in values.values()]
        return [f"law_{name}={each[0]!r}" for name, each in values.items()]

    def pairs(self):
        r = self.random
        self.call(["steps=1", "pins=first"])  # the net as the scene has it
        net = read(self.path)
        self.rest, self.mass = net.l.tolist(), float(np.median(net.mass))
        pairs = [f"steps={STEPS}", "save=every:1", f"spring_data={self.data}", *self.parameters(list(zip(net.a.tolist(), net.b.tolist())))]
        self.formula = r.choice(FORMULAS)
        if self.law != "hooke":
            pairs.append(f"law={self.law}")
        if self.law == "formula":
            pairs += [f"law_{name}={text}" for name, text in zip(("energy", "force", "stiffness"), self.formula)]
        if self.damping:
            pairs.append(f"damping_in_step={self.damping!r}")
        speed = min(self.rest) / self.h
        self.gravity = [0.1 * speed / self.h * r.uniform(-1, 1) for _ in range(3)]
        self.drag, self.dampers = (r.choice([0, r.uniform(0, 0.1) * self.mass / self.h]) for _ in range(2))
        self.factor = r.choice([1, 0.9]) if self.integrator in ("implicit_euler", "symplectic_euler", "bdf2") else 1
        pairs += [f"relative_perturbation={r.uniform(0.02, 0.2)!r}", f"seed={r.randint(1, 10**6)}", f"gravity={vector(self.gravity)}",
                  f"initial_velocity={vector(0.1 * speed * r.uniform(-1, 1) for _ in range(3))}", f"drag={self.drag!r}",
                  f"spring_damping={self.dampers!r}", f"velocity_factor={self.factor}", f"integrator={self.integrator}"]
        return pairs + self.held(net) + self.touched(net) + self.solved(net)

    def held(self, net):
        r = self.random
        count = r.randint(0, 2)
        if count == 0:
            self.pins = []
            return ["pins=none"]
        self.pins = r.sample(range(len(net.mass)), min(count, len(net.mass) - 1))
        pairs, size = [f"pins={json.dumps(self.pins)}"], min(self.rest)
        path = r.choice(["still", "linear", "oscillation"])
        along = [r.uniform(-1, 1) * size for _ in range(3)]
        self.motion = lambda t, rest: rest
        if path == "linear":
            self.motion = lambda t, rest: rest + 0.05 * np.array(along) * t / self.h
            pairs.append(f"pin_path=linear:velocity={vector(0.05 * x / self.h for x in along)}")
        if path == "oscillation":
            self.motion = lambda t, rest: rest + np.array(along) * np.sin(2 * np.pi * 0.01 / self.h * t)
            pairs.append(f"pin_path=oscillation:amplitude={vector(along)},frequency={0.01 / self.h!r}")
        return pairs

    def touched(self, net):
        self.collider, r = None, self.random
        if r.random() < 0.7 or (self.iterations and self.minimizer in ("local_global", "xpbd")) or self.minimizer == "local_global":
            return []
        low, size = net.places[0].min(0), min(self.rest)
        stiffness = self.mass / self.h**2 * 10 ** r.uniform(-1, 0.3)
        pairs = ["contact=penalty", f"contact_stiffness={stiffness!r}"] + ["contact_implicit=true"] * self.implicit
        if r.random() < 0.5:
            centre = [float(x + r.uniform(-1, 1) * size) for x in net.places[0].mean(0)]
            self.collider = ("sphere", np.array(centre), 1.1 * size, stiffness)
            return [*pairs, f"collider=sphere:centre={vector(centre)},radius={1.1 * size!r}"]
        point, normal = [float(x + r.uniform(0, 0.3) * size) for x in low], [r.uniform(0.1, 1) for _ in range(3)]
        self.collider = ("plane", np.array(point), np.array(normal), stiffness)
        return [*pairs, f"collider=plane:point={vector(point)},normal={vector(normal)}"]

    def solved(self, net):
        r = self.random
        alone = self.integrator in ("bdf2", "sdirk2", "implicit_midpoint") or self.minimizer in ("vertex_block_descent", "xpbd")
        pairs = r.choice([[], [], ["threads=2"]] + [["ranks=2"]] * (not alone and self.minimizer != "admm"))
        if not self.implicit:
            return pairs
        pairs.append(f"minimizer={self.minimizer}")
        if self.minimizer == "admm":
            pairs.append("admm_weight=1")  # the default does not converge where springs are pressed
        if self.minimizer == "linearly_implicit":
            return pairs
        if self.iterations:
            return [*pairs, f"max_iterations={self.iterations}", "gradient_tolerance=0", "step_tolerance=0"]
        second = self.minimizer in SECOND_ORDER
        if self.minimizer == "newton" and pairs[0] != "ranks=2":
            pairs += r.choice([[], ["hessian=exact"], ["hessian=projected"], ["hessian=absolute"], ["hessian=blended"], ["hessian=progressive"]])
            pairs.append("step=armijo")
        self.tolerance = (1e-11 if second else 1e-10) * min(self.rest) * self.mass / self.h**2
        return [*pairs, f"gradient_tolerance={self.tolerance!r}", f"max_iterations={300 if second else 5000}"]

    def set_up(self, net):
        net.law = self.formula[3] if self.law == "formula" else LAWS[self.law]
        net.parameters, net.collider, net.damping_in_step = self.values, self.collider, self.damping
        net.gravity, net.drag, net.spring_damping, net.factor = np.array(self.gravity), self.drag, self.dampers, self.factor
        net.free[self.pins] = False
        if self.pins:
            net.path = self.motion

    def bound(self):
        return self.law == "tension" if self.minimizer == "xpbd" else BOUNDED.get(self.law)

    def differences(self):
        """Relative ones of places, velocities and energies, or the status of a case that did not end well."""
        row = self.call(self.pairs())
        if isinstance(row, str):
            return row
        if row["status"] != "ok":
            return row["status"]
        net = read(self.path)
        self.set_up(net)
        size, worst = min(self.rest), np.zeros(3)
        for frame in range(STEPS):
            if self.iterations:
                x, v = net.iterated(self.minimizer, self.bound(), frame, self.h, self.iterations)
            else:
                x, v = net.step(self.integrator, frame, self.h)
            worst[0] = max(worst[0], np.abs(x - net.places[frame + 1]).max() / size)
            moved = np.abs(v - net.velocities[frame + 1]).max()
            worst[1] = max(worst[1], moved * self.h / max(size, np.abs(v).max() * self.h))
        for frame in range(STEPS + 1):
            x, v = net.places[frame], net.velocities[frame]
            want = {"elastic": net.springs(x)[0].sum(), "kinetic": (net.mass * v**2).sum() / 2,
                    "gravity": -(net.mass * x * net.gravity).sum()}
            scale = net.springs(x)[0].sum() + want["kinetic"] + np.abs(net.mass * x * net.gravity).sum()
            worst[2] = max(worst[2], *(abs(want[name] - net.energies[name][frame]) / scale for name in want))
        return worst


def main(count, first):
    said, bad = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            case = Case(number, pathlib.Path(folder))
            got = case.differences()
            what = f"{number}: {case.law} {case.integrator} {case.minimizer or ''} x{case.iterations} beta={case.damping:.2g}"
            if isinstance(got, str):
                print(what, got.strip()[:300])
                said["other"] += 1
                continue
            said["compared"] += 1
            print(what, *(f"{x:.1e}" for x in got), "" if max(got) < 1e-9 else "DIFFERS")
            if max(got) >= 1e-9:
                print(case.command)
                bad += 1
    print(said)
    return bad > 0


sys.exit(main(int(sys.argv[2]) if len(sys.argv) > 2 else 24, int(sys.argv[3]) if len(sys.argv) > 3 else 0))
