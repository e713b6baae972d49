# SPDX-License-Identifier: GPL-3.0-or-later
"""Plug-ins in Python as users write them: examples/own_bb.py, and some that fail. They run by Debian's Python,
which has NumPy. usage: python_plugin.py PROGRAM LIBRARY [TEST ...]"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import h5py

ROOT = pathlib.Path(__file__).parent.parent.parent
LIBRARY = sys.argv.pop(2)
sys.path.insert(0, str(ROOT / "tests"))
from program import Program, main  # noqa: E402

EXAMPLE = (ROOT / "examples" / "own_bb.py").read_text()
CASE = ["case", "scene=cloth", "grid=4", "integrator=implicit_euler", "h=0.01", "steps=2"]
SWEEP = """springbench: 1
name: own
question: Is it as exact?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 5, integrator: implicit_euler, h: 0.01, duration: 0.03, max_iterations: 300}
methods:
  newton: {minimizer: newton, max_iterations: 20}
  own: {minimizer: numpy_bb, gradient_tolerance: 1e-8}
sweep: [{grid: {method: [newton, own]}}]
tables:
  - {id: places, title: places, rows: method, columns: [{label: z, unit: m, value: last_z}]}
  - {id: times, title: times, rows: method, columns: [{label: time, unit: s, value: wall_s}]}
expect:
  - {claim: both have one place, test: "max(last_z) - min(last_z) < 1e-6"}
"""
# Newton's method and LU of dense matrices, from a module beside the file.
DENSE = """# springbench: minimizer dense_newton: Newton's method with a dense matrix [quadratic]
# springbench: linear dense_lu: LU of a dense matrix [direct, unsymmetric]
import numpy as np

from dense import full


class Minimizer:
    def __init__(self, options, unknowns):
        pass

    def iterate(self, problem, z):
        g, value = problem.gradient(z), problem.value(z)
        for projected in False, True:
            H = full(problem.hessian(z, projected))
            assert np.array_equal(H, H.T) and problem.mass.shape == (len(z),) and g.shape == z.shape
            step = np.linalg.solve(H, g.ravel()).reshape(z.shape)
            if problem.value(z - step) <= value:
                break
        z -= step


class Linear:
    def __init__(self, options):
        pass

    def set_matrix(self, A, new_pattern):
        self.A = full(A)
        if not A.symmetric and not self.A.any(axis=1).all():
            return "singular"

    def solve(self, b, x, goal):
        try:
            x[:] = np.linalg.solve(self.A, b)
        except np.linalg.LinAlgError:
            return "singular"
"""
BESIDE = """import numpy as np


def full(A):
    value, column, start = A.csr
    dense = np.zeros((A.rows, A.rows))
    dense[np.repeat(np.arange(A.rows), np.diff(start)), column] = value
    return dense
"""
SDIRK2 = """# springbench: integrator numpy_sdirk2: two stages [order=2, order_braked=1, stability_limit=inf, stage_part=0.29289321881345247560]
class Integrator:
    def __init__(self, options, stepper):
        assert stepper.mass.shape == stepper.pinned.shape == (stepper.vertices,) and not stepper.memory

    def step(self, stepper, number, fresh, x, v):
        part = 0.29289321881345247560 * stepper.h
        rest, t = stepper.h - part, number * stepper.h
        slope = (stepper.stage(t, x, v) - x) / part
        y, w = x + rest * slope, v + rest * ((slope - v) / part)
        x[:] = stepper.stage(t + rest, y, w)
        v[:] = (x - y) / part
"""
# Projective dynamics by the case's own linear solver, and an examination of every term of g.
PROJECTIVE = """# springbench: minimizer numpy_projective: projective dynamics [sees_net, solves_columns, descends]
import numpy as np


class Minimizer:
    def __init__(self, options, unknowns):
        self.A, self.sign = None, -1 if options == "indefinite" else 1

    def iterate(self, problem, z):
        net, free = problem.net, problem.net.unknown >= 0
        i, j, k, weight = net.first, net.second, net.stiffness[:, None], net.mass[:, None] / problem.h**2
        if self.A is None:
            self.A = np.diag(weight[:, 0])
            for a, b in (i, j), (j, i):
                np.add.at(self.A, (a, a), k[:, 0])
                np.subtract.at(self.A, (a, b), k[:, 0])
            rows = self.A[free][:, free]
            problem.factor((self.sign * rows.ravel(), np.tile(np.arange(len(rows)), len(rows)), np.arange(len(rows) + 1) * len(rows)))
        d = z[i] - z[j]
        d *= k * net.rest_length[:, None] / np.linalg.norm(d, axis=1)[:, None]
        b = weight * problem.place - self.A[:, ~free] @ z[~free]
        np.add.at(b, i, d)
        np.subtract.at(b, j, d)
        z[free] = problem.solve(b[free], z[free])
"""
EXAMINES = """# springbench: minimizer examines: steps down after an examination [sees_net, contact_in_g]
import numpy as np


class Minimizer:
    def __init__(self, options, unknowns):
        self.steps = 0

    def begin(self, problem, z):
        assert problem.step == self.steps and abs(problem.end - (self.steps + 1) * problem.h) < 1e-12, problem.end
        assert np.array_equal(problem.start[problem.net.pinned], z[problem.net.pinned])
        self.steps += 1

    def iterate(self, problem, z):
        net, free = problem.net, problem.net.unknown >= 0
        d = z[net.first] - z[net.second]
        r = np.linalg.norm(d, axis=1)
        force = (net.stiffness * (1 - net.rest_length / r))[:, None] * d
        g = net.mass[:, None] / problem.h**2 * (z - problem.place)
        np.add.at(g, net.first, force)
        np.subtract.at(g, net.second, force)
        for vertex in np.flatnonzero(free):
            push, block = problem.contact(vertex, z[vertex])
            g[vertex] += push
            if push.any():
                difference = [(problem.contact(vertex, z[vertex] + 1e-6 * e)[0] - problem.contact(vertex, z[vertex] - 1e-6 * e)[0]) / 2e-6
                              for e in np.eye(3)]
                assert np.allclose(problem.contact(vertex, z[vertex], False)[1], difference, rtol=1e-4, atol=1), (block, difference)
                print("it touches")
        assert np.allclose(g[free], problem.gradient(z)[free], rtol=1e-10, atol=1e-10) and not problem.gradient(z)[~free].any()
        z[free] -= 0.2 * problem.h**2 / net.mass[free, None] * g[free]
"""


def environment(*folders, **more):
    """The user's, with the `python3` of these folders, or Debian's."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return inherited | {"PATH": ":".join([*map(str, folders), "/usr/bin:/bin"])} | more


class PythonPlugins(Program):
    environment = environment()

    @classmethod
    def prepare(cls):
        (cls.folder / "own.py").write_text(EXAMPLE)
        (cls.folder / "own.yaml").write_text(SWEEP)

    def write(self, text, name="own.py"):
        (self.folder / name).write_text(text)

    def rows(self, directory, kind="publish"):
        return [event["row"] for event in self.events(self.folder / directory, kind)]

    def fails(self, text, status=1, **more):
        """The messages of a case with this text as its plug-in."""
        self.write(text)
        return self.call(*CASE, "minimizer=numpy_bb", "--plugin", "own.py", status=status, **more).stderr

    def test_is_judged_as_the_others(self):
        self.call("run", "own.yaml", "-o", "forked", "--plugin", "own.py")
        self.call("run", "own.yaml", "-o", "executed", "--exec", env=self.environment | {"SPRINGBENCH_PLUGINS": "own.py"})
        self.assertIn("1 reproduced", self.call("verify", "forked").stdout)
        digests = [{row["key"]: row["digest"] for row in self.rows(name)} for name in ("forked", "executed")]
        self.assertEqual((2, digests[0]), (len(digests[1]), digests[1]))
        listing = subprocess.run(["sha256sum", "own.py"], cwd=self.folder, capture_output=True, check=True).stdout
        said = set()
        for file in (self.folder / "forked" / "cases").glob("*.h5"):
            with h5py.File(file) as case:
                said.add(case["provenance"].attrs["plugins"])
        digest = f"minimizer=numpy_bb {hashlib.sha256(listing).hexdigest()}"
        self.assertEqual({"", digest}, {text.decode() if isinstance(text, bytes) else text for text in said})
        (self.folder / "own.py").unlink()
        self.assertIn("In Python: times of numpy_bb", self.call("table", "forked", "times").stdout)
        self.assertNotIn("In Python", self.call("table", "forked", "places").stdout)

    def test_conform(self):
        self.write(DENSE, "both.py")
        self.write(BESIDE, "dense.py")
        for more in (["minimizer=numpy_bb"], ["minimizer=dense_newton", "linear=dense_lu"]):
            said = self.call("conform", *more, "--plugin", "own.py", "--plugin", "both.py").stdout
            self.assertEqual({"ok"}, {line.split()[0] for line in said.splitlines()})
        self.write(EXAMPLE.replace("z -= step * g", "z -= 1e-3 * step * g"))
        self.assertIn("FAILED  minimizer=numpy_bb", self.call("conform", "minimizer=numpy_bb", "--plugin", "own.py", status=1).stdout)
        self.write(EXAMPLE.replace("[counted]", "[counted, quadratic]"))
        self.assertIn("FAILED  minimizer=numpy_bb converges quadratically",
                      self.call("conform", "minimizer=numpy_bb", "--plugin", "own.py", status=1).stdout)

    def test_block_descent_has_the_motion_of_the_shipped_one(self):
        example = ROOT / "examples" / "own_vbd.py"
        scenes = ["scene=cloth grid=6", "scene=rope nodes=9 stiffness=1e5", "scene=sphere subdivisions=1", "scene=bar grid=2 h=0.001"]
        more = ["", "drag=0.3 spring_damping=0.02", "wind=uniform:acceleration=[1,0,0.3]", "pin_path=linear:velocity=[0.1,0,0.2]"]
        for i, scene in enumerate(scenes):
            for visits in "numbered", "colours":
                places = []
                for method in "numpy_vbd", "vertex_block_descent":
                    options = dict(word.split("=", 1) for word in f"h=0.01 {scene} {more[i]}".split())
                    self.call("case", *(f"{name}={value}" for name, value in options.items()), "integrator=implicit_euler", f"minimizer={method}",
                              f"visits={visits}", "max_iterations=6", "steps=8", "-o", f"{method}.h5", "--plugin", example)
                    with h5py.File(self.folder / f"{method}.h5") as case:
                        places.append(case["frames/0/position"][:])
                    (self.folder / f"{method}.h5").unlink()
                with self.subTest(scene, visits=visits):
                    self.assertLess(abs(places[0] - places[1]).max(), 1e-12)
                    self.assertGreater(abs(places[0]).max(), 0.1)

    def test_a_class_that_sees_the_net(self):
        self.write(PROJECTIVE, "projective.py")
        self.write(EXAMINES, "examines.py")
        plugins = ["--plugin", "projective.py", "--plugin", "examines.py"]
        for linear in "cholesky", "jacobi":
            said = self.call("conform", "minimizer=numpy_projective", f"linear={linear}", *plugins).stdout
            self.assertEqual({"ok"}, {line.split()[0] for line in said.splitlines() if "minimizer" in line})
        refused = self.call(*CASE, "minimizer=numpy_projective", "plugin_options=indefinite", *plugins).stdout
        self.assertRegex(refused, "status +not_spd")
        ball = ["scene=cloth_on_sphere", "grid=5", "h=0.01", "steps=60", "contact=penalty", "contact_implicit=true", "max_iterations=4"]
        said = self.call("case", "integrator=implicit_euler", "minimizer=examines", *ball, *plugins).stdout
        self.assertIn("it touches", said)

    def test_a_law_of_springs(self):
        """A string whose segments stretch until their forces are the weights below; a sheet that every minimiser finds, and
        two ranks; laws that are not what they claim."""
        example = (ROOT / "examples" / "own_law.py").read_text()
        (self.folder / "law.py").write_text(example)
        law = ["--plugin", "law.py", "law=locking", "plugin_options=0.2"]
        said = json.loads(self.call("case", "driver=statics", "scene=rope", "nodes=4", "rope_from=[0,0,0]", "rope_to=[0,-3,0]", "stiffness=10",
                                    "gradient_tolerance=1e-10", "--json", *law).stdout)
        force = [0.3, 0.2, 0.1]  # over k l; f = x c/(1 - x^2) for x = e/c
        strain = [0.2 * (-0.2 + (0.04 + 4 * f * f) ** 0.5) / (2 * f) for f in force]
        self.assertAlmostEqual(said["columns"]["strain_max"], strain[0], delta=1e-10)
        self.assertAlmostEqual(said["columns"]["sag"], sum(strain), delta=1e-10)
        sheet = ["case", "scene=cloth", "grid=4", "integrator=implicit_euler", "h=0.02", "steps=5", "gradient_tolerance=1e-9", "-o", "x.h5"]
        places = []
        for more in ([], ["minimizer=admm"], ["ranks=2"]):
            self.call(*sheet, "max_iterations=3000", *more, *law)
            with h5py.File(self.folder / "x.h5") as case:
                places.append(case["frames/0/position"][:])
            (self.folder / "x.h5").unlink()
            self.assertLess(abs(places[-1] - places[0]).max(), 1e-8, more)
        self.assertIn("E106", self.call(*sheet, "minimizer=local_global", *law, status=2).stderr)
        for old, new, status, what in (("slope + second * over), k * second", "slope + second * over), k * second * 1.001", 2, "E'' is not the slope of E'"),
                                       ("energy +", "2 * energy +", 2, "E' is not the slope of E"), ("hardens]", "hardens, most=1.5]", 2, "above its claimed bound"),
                                       ("self.c = float(options or 0.3)", "raise ValueError(options)", 2, "ValueError: 0.2"),
                                       ("hardens]", "hardens, order=2]", 2, "'order=2' is not a claim of family 'law'"),
                                       ("e, top = r", "self.calls = getattr(self, 'calls', 0) + 1\n        assert self.calls < 30\n        e, top = r", 1, "law.py:18: error: AssertionError"),
                                       ("e, top = r", "self.no\n        e, top = r", 2, "law.py:17: error: AttributeError")):
            self.assertIn(old, example)
            (self.folder / "law.py").write_text(example.replace(old, new))
            self.assertIn(what, self.call("case", "scene=cloth", "grid=4", "h=0.01", "steps=9", "integrator=rk4", *law, status=status).stderr)

    def test_integrators_have_the_bits_of_those_in_c(self):
        (self.folder / "numpy_sdirk2.py").write_text(SDIRK2)
        (self.folder / "numpy_leapfrog.py").write_text((ROOT / "examples" / "own_leapfrog.py").read_text())
        for name in "leapfrog", "sdirk2":
            subprocess.run(["gcc", "-O1", "-shared", "-fPIC", f"-I{ROOT / 'base'}", ROOT / f"examples/own_{name}.c", "-o",
                            self.folder / f"{name}.so", "-lm"], check=True)
            plugins = ["--plugin", f"numpy_{name}.py", "--plugin", f"{name}.so"]
            said = self.call("conform", f"integrator=numpy_{name}", *plugins).stdout
            self.assertEqual({"ok"}, {line.split()[0] for line in said.splitlines()})
            rows = [json.loads(self.call("case", "scene=cloth", "grid=5", f"integrator={kind}_{name}", "h=0.002", "steps=20",
                                         "drag=0.1", "--json", *plugins).stdout) for kind in ("own", "numpy")]
            self.assertEqual(["ok", rows[0]["digest"]], [rows[1]["status"], rows[1]["digest"]])
        (self.folder / "numpy_sdirk2.py").write_text(SDIRK2.replace("v[:] =", "v[:, 3] ="))
        said = self.call("case", "scene=cloth", "grid=5", "integrator=numpy_sdirk2", "h=0.002", "steps=2", *plugins, status=1).stderr
        self.assertRegex(said, r"numpy_sdirk2.py:12: error: IndexError: ")
        (self.folder / "numpy_sdirk2.py").write_text(SDIRK2.replace("order=2", "order=two"))
        self.assertIn("'order=two' is not a claim", self.call("list", *plugins, status=2).stderr)

    def test_what_a_claim_gives_is_not_there_without_it(self):
        without = re.sub(r",? *stage_part=[^],]+", "", SDIRK2)
        self.assertNotEqual(SDIRK2, without)
        self.write(without, "numpy_sdirk2.py")
        said = self.call("case", "scene=cloth", "grid=5", "integrator=numpy_sdirk2", "h=0.002", "steps=2", "--plugin", "numpy_sdirk2.py",
                         status=1).stderr
        self.assertIn("AttributeError: this needs the claim 'stage_part=NUMBER' in the line", said)

    def test_a_vertex_that_is_not_there(self):
        said = self.fails(EXAMPLE.replace("[counted]", "[counted, sees_net, contact_in_g]").replace("g = problem", "problem.contact(25, z[0])\n        g = problem"))
        self.assertRegex(said, r"own\.py:\d+: error: IndexError: there is no vertex 25: the net has 25")

    def test_conformance_finds_one_that_changes_nothing(self):
        self.write(EXAMPLE.replace("z -= step * g", "z = z - step * g"))
        said = self.call("conform", "minimizer=numpy_bb", "--plugin", "own.py", status=1).stdout
        self.assertIn("J before and after: it changes nothing", said)

    def test_an_edit_runs_its_cases_again(self):
        """Also one of a module, and one that leaves size and second as they were."""
        self.write("import lower\nSTEP = 1\n", "helper.py")
        self.write("", "lower.py")
        self.write(EXAMPLE.replace("import numpy as np", "import numpy as np\nfrom helper import STEP").replace("step * g", "STEP * step * g"))
        self.write("STEP = 3\n", "unrelated.py")

        def to_run():
            planned = self.call("plan", "own.yaml", "-o", "r", "--plugin", "own.py").stdout
            self.call("run", "own.yaml", "-o", "r", "--plugin", "own.py")
            return next(line for line in planned.splitlines() if "to run" in line)
        self.assertIn("2 to run", to_run())
        before = self.rows("r")[-1]["digest"]
        self.assertIn("0 to run", to_run())
        self.write("STEP = 4\n", "unrelated.py")
        self.assertIn("0 to run", to_run())
        self.write("# a note\n", "lower.py")
        self.assertIn("1 to run", to_run())
        self.assertEqual(before, self.rows("r")[-1]["digest"])
        time = (self.folder / "helper.py").stat().st_mtime_ns
        subprocess.run(["/usr/bin/python3", "-m", "py_compile", "helper.py", "lower.py"], cwd=self.folder, check=True)
        self.write("import lower\nSTEP = 0\n", "helper.py")
        os.utime(self.folder / "helper.py", ns=(time, time))
        self.assertIn("1 to run", to_run())
        self.assertNotEqual(before, self.rows("r")[-1]["digest"])
        self.assertEqual({"helper", "lower"}, {file.name.partition(".")[0] for file in (self.folder / "__pycache__").iterdir()})

    def test_new_writes_one_that_conforms(self):
        said = self.call("new", "--plugin", "mine.py")
        self.assertEqual(("mine.py\n", "springbench --plugin ./mine.py conform minimizer=mine\n"), (said.stdout, said.stderr))
        self.assertNotIn("numpy_bb", (self.folder / "mine.py").read_text())
        checked = self.call(*said.stderr.split()[1:]).stdout
        self.assertEqual({"ok"}, {line.split()[0] for line in checked.splitlines()})
        self.assertIn("exists and is left unchanged", self.call("new", "--plugin", "mine.py", status=2).stderr)

    def test_an_edit_during_a_run_is_another_plugin(self):
        """A worker's cases have the text of their digest; a program that is started for a case reads another one."""
        self.write(SWEEP.replace("[newton, own]", "[own], h: [0.01, 0.005, 0.003]"), "own.yaml")
        edits = EXAMPLE + f"\nopen({str(self.folder / 'own.py')!r}, 'a').write('# edited\\n')\n"
        self.write(edits)
        self.call("run", "own.yaml", "-o", "forked", "-j", 1, "--plugin", "own.py")
        self.assertEqual(["ok"] * 3, [row["status"] for row in self.rows("forked")])
        self.write(edits)
        said = self.call("run", "own.yaml", "-o", "executed", "-j", 1, "--exec", "--plugin", "own.py", status=4).stderr
        self.assertIn("was changed after the run began", said)

    def test_modules_outside_the_digest_end_the_case(self):
        beside = environment(PYTHONPATH=str(self.folder))
        self.write("X = 1\n", "helper.py")
        (self.folder / "parts").mkdir()
        (self.folder / "parts" / "__init__.py").write_text("")
        ways = {"as np; import helper": "helper", "as np\nimport importlib; importlib.import_module('helper')": "helper.py",
                "as np\nimport parts": "parts", "as np\n__import__('helper')": "helper"}
        for way, name in ways.items():
            for env in (self.environment, beside):
                if "importlib" in way and env != beside:
                    continue
                for text in (EXAMPLE.replace("as np", way, 1),
                             EXAMPLE.replace("    def iterate(self, problem, z):\n", "    def iterate(self, problem, z):\n        import numpy "
                                             + way.replace("\n", "\n        ") + "\n")):
                    with self.subTest(way):
                        said = self.fails(text, status=None, env=env)
                        self.assertRegex(said, r"own\.py(:\d+)?: error: ImportError: .*" + name + r"\S* is not in the plug-in's digest")
        self.assertIn("No module named 'nowhere'", self.fails(EXAMPLE.replace("as np", "as np, nowhere"), status=2))
        self.fails(EXAMPLE.replace("as np", "as np\nimport os, helper as other, sys"), status=0)

    def test_exceptions_are_the_error_of_the_case(self):
        edits = {("self.last = None\n\n    def iterate", "raise KeyError(3)\n\n    def iterate"): (1, "KeyError: 3"),
                 ("g = problem.gradient(z)", "g = problem.gradient(z[1:])"): (1, "ValueError: an array of"),
                 ("g = problem.gradient(z)", "problem.mass[0] = 1"): (1, "ValueError: assignment destination is read-only"),
                 ("g = problem.gradient(z)", "problem.place"): (1, "AttributeError: this needs the claim 'sees_net' in the line"),
                 ("g = problem.gradient(z)", "problem.net"): (1, "AttributeError: this needs the claim 'sees_net' in the line"),
                 ("g = problem.gradient(z)", "problem.contact(0, z[0])"): (1, "AttributeError: this needs the claim 'sees_net'"),
                 ("self.last = z.copy(), g", "return 3"): (1, "ValueError: returned .3"),
                 ("self.last = z.copy(), g", "return z"): (1, r"ValueError: returned .\["),
                 ("return self.count", "return self.counts"): (1, "AttributeError"),
                 ("def begin(self, problem, z):", "def begin(self, problem, z):\n        raise SystemExit(0)"): (1, "SystemExit: 0"),
                 ("import numpy as np", "import numpy as np,"): (2, "SyntaxError"),
                 ("def __init__(self, options, unknowns):", "def __init__(self, options):"): (2, "TypeError"),
                 ("class Minimizer", "class Minimiser"): (2, "NameError: .* class Minimizer")}
        for (old, new), (status, said) in edits.items():
            with self.subTest(said):
                self.assertEqual(1, EXAMPLE.count(old))
                text = EXAMPLE.replace(old, new)
                line = r":\d+" if old[0] != "c" and "returned" not in said and "__init__" not in old else ""
                if said.startswith("KeyError"):
                    line = f":{text[:text.index('raise Key')].count(chr(10)) + 1}"
                self.assertRegex(self.fails(text, status), f"{self.folder.resolve()}/own.py{line}: error: {said}")
        self.call("run", "own.yaml", "-o", "r", "--plugin", "own.py", status=1)
        failed, = self.rows("r", "fail")
        self.assertEqual("error", failed["status"])
        self.assertRegex(failed["reason"], "own.py: error: NameError")

    def test_prints_are_in_the_log(self):
        self.write(EXAMPLE.replace("self.last = None\n\n", "self.last = None\n        print('a step begins')\n\n"))
        said = self.call(*CASE, "minimizer=numpy_bb", "--json", "--plugin", "own.py")
        self.assertEqual("ok", json.loads(said.stdout)["status"])
        self.assertEqual(2, said.stderr.count("a step begins"))

    def test_python_is_the_users(self):
        """That of a virtual environment, with its modules; without NumPy, a library or a python3 the error says so."""
        for name, more in ("with", ["--system-site-packages"]), ("without", []):
            subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", *more, self.folder / name], check=True)
        library = next((self.folder / "with").glob("lib/python3*/site-packages"))
        (library / "only_there.py").write_text("")
        venv = environment(self.folder / "with" / "bin")
        asked = subprocess.run(["python3", "-c", "import sys; print(sys.prefix, sys.path[1:])"], env=venv, text=True, capture_output=True)
        shows = EXAMPLE.replace("as np", "as np\nimport sys, only_there\nprint(sys.prefix, sys.path)")
        self.assertIn(asked.stdout, self.call_example(shows, env=venv).stdout)
        self.assertIn("No module named 'only_there'", self.fails(shows, status=2))
        self.assertRegex(self.fails(EXAMPLE, 2, env=environment(self.folder / "without" / "bin")), "without/bin/python3 has no NumPy.*python3-numpy")
        fake = self.folder / "fake"
        fake.mkdir()
        (fake / "python3").write_text("#!/bin/sh\nprintf '%s\\n' /opt/python3 3.11 /opt/lib/libpython3.11.so.1.0\n")
        (fake / "python3").chmod(0o755)
        self.assertIn("/opt/python3 has no shared library libpython3.11.so.1.0 (Debian's package libpython3.11)", self.fails(EXAMPLE, 2, env=environment(fake)))
        (fake / "python3").write_text("#!/bin/sh\nexit 1\n")
        self.assertIn("a plug-in in Python needs a `python3` in PATH", self.fails(EXAMPLE, 2, env=environment(fake)))

    def call_example(self, text, **more):
        self.write(text)
        return self.call(*CASE, "minimizer=numpy_bb", "--plugin", "own.py", **more)

    def test_a_simulation_in_python_has_it_in_the_same_interpreter(self):
        """Also one whose modules have the names of the program's own, and whose exception is the simulation's error."""
        self.write(EXAMPLE.replace("as np", "as np\nimport sys\nimport helper\nsys.seen = helper.WHOSE", 1).replace(
            "self.last = None\n\n", "self.last = None\n        if problem.step == 4:\n            raise KeyError(4)\n\n"))
        self.write("WHOSE = 'the plug-in'", "helper.py")
        program = """import sys, types
sys.modules["helper"] = types.ModuleType("helper")
import springbench
simulation = springbench.Simulation(scene="cloth", grid=4, integrator="implicit_euler", h=0.01, minimizer="numpy_bb", max_iterations=30)
simulation.step(3)
print(sys.seen, simulation.positions.min())
try:
    simulation.step(3)
except springbench.Error as error:
    print(error)
"""
        env = self.environment | {"PYTHONPATH": str(ROOT / "python"), "SPRINGBENCH_LIBRARY": LIBRARY, "SPRINGBENCH_PLUGINS": "own.py"}
        if "libasan" in subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout:
            files = [subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
                     for name in ("libasan.so", "libstdc++.so.6")]
            env |= {"LD_PRELOAD": " ".join(files), "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run(["/usr/bin/python3", "-c", program], cwd=self.folder, env=env, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"the plug-in -\d\.\d+\n.*own\.py:\d+: error: KeyError: 4")

    def test_no_python_runs_before_the_case(self):
        """Nor does a command need it that only lists and plans."""
        self.write("raise ValueError\n" + EXAMPLE)
        nowhere = environment(PATH="/nowhere")
        self.assertIn("a class of Python", self.call("list", "minimizers", "numpy_bb", "--plugin", "own.py", env=nowhere).stdout)
        self.assertIn("2 to run", self.call("plan", "own.yaml", "--plugin", "own.py", env=nowhere).stdout)

    def test_lines_that_name_methods_are_checked(self):
        first = EXAMPLE.splitlines()[1]
        for line, said in [("# springbench: minimiser numpy_bb: a method", "2: error: a method is named as"),
                           ("# springbench: minimizer numpy_bb", "2: error: a method is named as"),
                           ("# springbench: minimizer numpy_bb: a method [swift]", "2: error: 'swift' is not a claim of family 'minimizer'; these are: descends,"),
                           (first + "\n" + first.replace("numpy_bb", "other"), "3: error: a file has one class Minimizer"),
                           ("# springbench: integrator i: a method [descends]", "'descends' is not a claim of family 'integrator'; these are: symp"),
                           ("# springbench: integrator i: a method [memory=a, memory=b, memory=c]", "memory=NAME (at most two)"),
                           ("# springbench: integrator i: a method [memory=a, memory=a]", "has two memories of one name"),
                           ("# springbench: minimizer NumPy: a method", "lower-case letters"),
                           ("# springbench: minimizer newton: a method", "is already used"),
                           ("# springbench: minimizer numpy_bb: [counted]", "has no summary"),
                           ("# a method", "own.py: error: no line '# springbench: minimizer NAME: SUMMARY'")]:
            with self.subTest(line):
                self.write(EXAMPLE.replace(first, line))
                self.assertIn(said, self.call("list", "minimizers", "--plugin", "own.py", status=2).stderr)
        self.write(EXAMPLE.replace("[counted]", "[ ]"))
        self.call("list", "minimizers", "--plugin", "own.py")


if __name__ == "__main__":
    main()
