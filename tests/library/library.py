# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared library: its header in C and C++, its symbols, the bits of its steps, its case files, and the Python module.
usage: library.py PROGRAM LIBRARY [TEST ...]; SB_CASES: how many cases are compared with `springbench case` (all: 0)
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy
import pandas

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "python"))
LIBRARY = os.environ["SPRINGBENCH_LIBRARY"] = sys.argv.pop(2)
# As `springbench case` sets them for one thread.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}
from program import PROGRAM, Program, main  # noqa: E402

HEADER = ROOT / "library" / "springbench.h"
SANITIZED = "libasan" in subprocess.run(["ldd", LIBRARY], capture_output=True, text=True).stdout
# The interpreter is not built with sanitizers: their runtime has to be loaded before the library that needs it. The one of
# gcc 14 looks for C++'s exceptions when it is loaded.
if SANITIZED and "LD_PRELOAD" not in os.environ:
    runtime = " ".join(subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
                       for name in ("libasan.so", "libstdc++.so.6"))
    os.execve(sys.executable, [sys.executable, __file__, PROGRAM, LIBRARY, *sys.argv[2:]],
              os.environ | {"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0"})
PYTHON = [sys.executable]

SCENES = {"cloth": "scene=cloth grid=5", "rope": "scene=rope nodes=12", "square": "scene=square grid=4",
          "sphere": "scene=sphere subdivisions=1", "bar": "scene=bar grid=2", "curtain": "scene=curtain grid=4",
          "cloth_on_sphere": "scene=cloth_on_sphere grid=4"}


def cases():
    """Option lines of short runs, over scenes, integrators, minimisers and linear solvers."""
    import springbench
    integrators = [name for name in springbench.names("integrators") if name not in ("implicit_euler", "isph", "petsc_ts")]
    for scene in SCENES.values():
        for integrator in integrators:
            yield f"{scene} integrator={integrator} h=0.0005"
        for minimizer in springbench.names("minimizers"):
            more = {"petsc_nonlinear": " petsc_nonlinear='-snes_type newtonls'"}.get(minimizer, "")
            yield f"{scene} integrator=implicit_euler minimizer={minimizer} max_iterations=5 h=0.01{more}"
    for linear in springbench.names("linear"):
        more = " petsc='-ksp_type cg -pc_type icc'" if linear == "petsc" else ""
        for minimizer in ("newton", "local_global"):
            yield (f"scene=cloth grid=5 integrator=implicit_euler minimizer={minimizer} linear={linear} h=0.01 "
                   f"max_iterations=4{more}")
    for more in ("contact=penalty collider=sphere:centre=[0,0,-0.5],radius=0.4", "wind=uniform:acceleration=[1,0,0]",
                 "drag=0.1 spring_damping=0.1", "velocity_factor=0.99", "perturbation=0.01 seed=3",
                 "self_contact=vertices thickness=0.02", "air_resistance=1.2", "threads=2",
                 "initial_velocity=[0,1,0]", "gravity=[0,0,0]", "pins=none", "young=200"):
        for method in ("integrator=symplectic_euler h=0.0005", "integrator=implicit_euler minimizer=newton h=0.01"):
            yield f"scene=cloth grid=5 {method} {more}"
    yield "scene=column spacing=0.1 integrator=isph h=0.002"
    yield "scene=taylor_green spacing=0.125 integrator=isph h=0.002"


SWEEP = """springbench: 1
name: s
question: q
source: this test
driver: trajectory
timed: false
defaults: {scene: rope, nodes: 5, h: 0.001, duration: 0.01, save: every:5}
sweep: [{grid: {stiffness: [10, 100]}}]
"""
STEPS = 6
COMPARE = """
import shlex, sys
sys.path.insert(0, sys.argv[1])
import numpy, springbench
for number, line in enumerate(sys.stdin):
    try:
        sim = springbench.Simulation(**dict(word.split("=", 1) for word in shlex.split(line)))
        sim.step(int(sys.argv[2]))
        numpy.save(f"{number}.npy", numpy.array([sim.positions, sim.velocities]))
        print(number, "ok")
    except (springbench.Error, springbench.StepError) as error:
        print(number, str(error).replace("\\n", " | "))
"""


class Header(Program):
    def compile(self, compiler, *flags, name="t.c"):
        source = self.folder / name
        source.write_text('#include "springbench.h"\nint main(void) { return sb_sim_version() == 0; }\n')
        return subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HEADER.parent}", "-c",
                               source, "-o", self.folder / "t.o"], capture_output=True, text=True)

    def test_is_standard_c_and_cpp(self):
        for compiler, standard, name in [("gcc", "c99", "t.c"), ("gcc", "c17", "t.c"), ("g++", "c++11", "t.cpp"),
                                         ("g++", "c++20", "t.cpp"), ("clang", "c99", "t.c")]:
            result = self.compile(compiler, f"-std={standard}", name=name)
            self.assertEqual((0, ""), (result.returncode, result.stderr), (compiler, standard))

    def test_symbols_are_those_of_the_header(self):
        declared = set(re.findall(r"\b(sb_sim_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)))
        lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        exported = {line.split()[2].split("@")[0] for line in lines.splitlines() if line.split()[1] != "A"}
        self.assertEqual(declared, exported)
        self.assertGreater(len(declared), 12)

    def test_names_its_interface_version(self):
        dynamic = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertIn("libspringbench.so.1]", dynamic)


class Bits(Program):
    def test_are_those_of_a_case(self):
        chosen = list(cases())
        number = int(os.environ.get("SB_CASES", "24"))
        chosen = chosen if number == 0 else chosen[::max(1, len(chosen) // number)]
        result = subprocess.run([*PYTHON, "-c", COMPARE, str(ROOT / "python"), str(STEPS)], input="\n".join(chosen),
                                capture_output=True, text=True, cwd=self.folder)
        said = dict(line.split(" ", 1) for line in result.stdout.splitlines())
        self.assertEqual(len(chosen), len(said), result.stderr)
        equal = 0
        for number, line in enumerate(chosen):
            file = self.folder / f"{number}.h5"
            case = subprocess.run(f"{PROGRAM} case {line} steps={STEPS} save=final -o {file} --json "
                                  f"{'driver=flow' if 'isph' in line else ''}", shell=True, capture_output=True, text=True)
            if said[str(number)] != "ok":  # refused or ended early: by the command line too
                self.assertFalse(case.returncode == 0 and '"status":"ok"' in case.stdout, (line, said[str(number)]))
                continue
            with h5py.File(file) as stored:
                states = [stored[f"particles/all/{name}/value"][-1] for name in ("position", "velocity")]
            numpy.testing.assert_array_equal(numpy.array(states), numpy.load(self.folder / f"{number}.npy"), line)
            equal += 1
        print(f"{equal} of {len(chosen)} cases have the bits of `springbench case`, the others are refused by both")
        self.assertGreater(equal, len(chosen) * 3 // 4)


CONTINUE = """
import shlex, sys
sys.path.insert(0, sys.argv[1])
import numpy, springbench
def halves(text): return dict(word.split("=", 1) for word in shlex.split(text))
for number, line in enumerate(sys.stdin):
    try:
        sim = springbench.Simulation(**halves(line))
        sim.step(3)
        sim.save(f"{number}.h5")
        sim.step(3)
    except (springbench.Error, springbench.StepError) as error:
        print(number, "refused")
        continue
    for file in f"{number}.h5", f"case{number}.h5":
        loaded = springbench.Simulation.load(file)
        loaded.step(3)
        assert loaded.measure("step") == 6 and loaded.time == sim.time, line
        numpy.testing.assert_array_equal([loaded.positions, loaded.velocities], [sim.positions, sim.velocities], line + file)
    print(number, "ok")
"""


class Continued(Program):
    def test_has_the_bits_of_one_run(self):
        """From files of the library and of `springbench case`, by the library and by option restart."""
        chosen = list(cases())
        number = int(os.environ.get("SB_CASES", "10"))
        chosen = chosen if number == 0 else chosen[1::max(1, len(chosen) // number)]
        for number, line in enumerate(chosen):
            subprocess.run(f"{PROGRAM} case {line} steps=3 save=final -o case{number}.h5 "
                           f"{'driver=flow' if 'isph' in line else ''}", shell=True, capture_output=True, cwd=self.folder)
        result = subprocess.run([*PYTHON, "-c", CONTINUE, str(ROOT / "python")], input="\n".join(chosen),
                                capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertGreater(result.stdout.count("ok"), len(chosen) * 3 // 4)
        whole = self.call("case", *shlex.split(chosen[0]), "steps=6", "save=final", "-o", "whole.h5")
        self.call("case", "--continue", "0.h5", "steps=6", "-o", "from_library.h5")
        ends = []
        for name in ("whole.h5", "from_library.h5"):
            with h5py.File(self.folder / name) as stored:
                ends.append(stored["particles/all/position/value"][-1])
        numpy.testing.assert_array_equal(*ends, whole.stdout)

    def test_refuses_other_files(self):
        self.call("case", "scene=rope", "nodes=5", "driver=timing", "h=0.01", "steps=3", "-o", "timing.h5")
        self.call("case", "scene=rope", "stiffness=1e9", "h=0.01", "steps=100", "save=final", "-o", "diverged.h5", status=None)
        self.call("case", "scene=rope", "nodes=5", "h=0.01", "steps=3", "save=none", "-o", "none.h5")
        self.call("case", "scene=rope", "nodes=5", "h=0.01", "steps=3", "save=final", "-o", "cut.h5")
        (self.folder / "cut.h5").write_bytes((self.folder / "cut.h5").read_bytes()[:3000])
        (self.folder / "text.h5").write_text("no file of HDF5")
        for name, text in [("absent.h5", "absent.h5"), ("diverged.h5", "diverged"), ("none.h5", "no state is stored"),
                           ("cut.h5", "cannot continue"), ("text.h5", "cannot continue"), ("", "sb_sim_load: error")]:
            code = f"""import sys; sys.path.insert(0, {str(ROOT / "python")!r}); import springbench
try: springbench.Simulation.load({name!r})
except springbench.Error as error: print(error)"""
            done = subprocess.run([*PYTHON, "-c", code], capture_output=True, text=True, cwd=self.folder)
            self.assertIn(text, done.stdout, (name, done.stderr))


class Module(Program):
    def python(self, code, **environment):
        result = subprocess.run([*PYTHON, "-c", "import sys; sys.path.insert(0, sys.argv[1])\nimport springbench, numpy\n"
                                 + code, str(ROOT / "python")], capture_output=True, text=True, cwd=self.folder,
                                env=os.environ | environment)
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        return result.stdout.split()

    def test_arrays_go_in_and_out(self):
        out = self.python("""
n = 5
chain = springbench.Simulation(positions=[[i, 0, 0] for i in range(n)], springs=[[i, i + 1] for i in range(n - 1)],
                               masses=numpy.ones(n), stiffnesses=numpy.full(n - 1, 100.), pinned=[1, 0, 0, 0, 0],
                               integrator="implicit_euler", h=0.01)
assert chain.positions.shape == (n, 3) and chain.springs.tolist() == [[i, i + 1] for i in range(n - 1)]
assert chain.pinned.tolist() == [True] + [False] * 4 and (chain.rest_lengths == 1).all()
for state in chain.run(0.1, every=2): last = state.time
assert abs(last - 0.1) < 1e-12 and chain.positions[-1, 2] < 0 and (chain.positions[0] == 0).all()
chain.velocities = numpy.zeros((n, 3))
assert chain.measure("energy_kinetic") == 0
chain.save("chain.h5")
case = springbench.load("chain.h5")
assert (case.trajectory[-1].positions == chain.positions).all() and case.row["steps_done"] == 10
assert abs(case.observables.energy_total.iloc[-1] - chain.measure("energy_total")) < 1e-12
print("done")""")
        self.assertEqual(["done"], out)
        self.assertIn("steps_done", self.call("show", "chain.h5").stdout)

    def test_errors_are_exceptions(self):
        self.assertEqual(["done"], self.python("""
def refused(text, error=springbench.Error, **arguments):
    try: springbench.Simulation(**arguments)
    except error as caught: assert text in str(caught), caught
    else: raise AssertionError(arguments)
refused("did you mean 'grid'", scene="cloth", gird=4)
refused("expected (2, 3)", positions=[[0, 0], [1, 0]])
refused("integers", positions=numpy.eye(3), springs=[[0, 1.5]])
refused("vertex 7", positions=numpy.eye(3), springs=[[0, 7]], vertex_mass=1, stiffness=1)
rope = springbench.Simulation(scene="rope", stiffness=1e9, h=0.01)
try: rope.step(1000)
except springbench.StepError as caught: assert caught.status == "diverged" and caught.report.steps_done < 100
else: raise AssertionError
try: springbench.names("nothing")
except springbench.Error: print("done")"""))

    def test_signals_stay_the_host_s(self):
        """MPI looks at the machine, for which a driver of OpenCL replaces handlers (packages.txt has one)."""
        code = """import os, signal, springbench
numbers = [n for n in signal.valid_signals() if n < signal.SIGRTMIN and n not in (signal.SIGKILL, signal.SIGSTOP)]
seen = []
for number in numbers:
    signal.signal(number, lambda number, frame: seen.append(number))
springbench.Simulation(scene="cloth", grid=4, integrator="symplectic_euler", h=0.001)
for number in numbers:
    os.kill(os.getpid(), number)
assert sorted(seen) == numbers, (seen, numbers)
assert "pocl" not in open("/proc/self/maps").read()"""
        self.python(code)
        self.python(code.rpartition("\n")[0], HWLOC_COMPONENTS="opencl", HWLOC_PLUGINS_BLACKLIST="none")

    def test_mistakes_are_not_silent(self):
        self.assertEqual(["done"], self.python("""
import copy, pickle
def raises(kind, text, call):
    try: call()
    except kind as caught: assert text in str(caught), caught
    else: raise AssertionError(text)
Sim, Error = springbench.Simulation, springbench.Error
cloth = Sim(scene="cloth", grid=4, h=0.001)
for way in (copy.copy, copy.deepcopy, pickle.dumps): raises(TypeError, "cannot be copied or pickled", lambda: way(cloth))
raises(AttributeError, "stiffness", lambda: setattr(cloth, "stiffness", 5))
for name in ("positions", "velocities", "masses", "pinned", "springs", "stiffnesses", "rest_lengths", "triangles"):
    raises(ValueError, "read-only", lambda: getattr(cloth, name).__setitem__(0, 0))
cloth.positions = cloth.positions + 0.5
cloth.step()
for pins in ([0, 5], (0, 5), numpy.array([0, 5]), "[0,5]"):
    assert Sim(scene="cloth", grid=4, pins=pins).pinned.nonzero()[0].tolist() == [0, 5]
assert Sim(scene="cloth", grid=4, pins=range(3)).pinned.sum() == 3
for gravity in ([0, 0, -1.5], numpy.array([0, 0, -1.5]), [0, numpy.int64(0), numpy.float64(-1.5)]):
    fall = Sim(scene="cloth", grid=4, gravity=gravity, pins="none", h=0.001, integrator="symplectic_euler")
    fall.step()
    assert abs(fall.velocities[:, 2] + 0.0015).max() < 1e-12
assert Sim(scene="cloth", grid=4, springs="structural").springs.shape == (40, 2)
raises(Error, "unknown springs 'nonsense'", lambda: Sim(scene="cloth", grid=4, springs="nonsense"))
arrays = dict(springs=[[0, 1]], masses=[1], velocities=[[0, 0, 0]], stiffnesses=[1], rest_lengths=[1], triangles=[[0, 1, 2]],
              pinned=[1] * 25)
for name, value in arrays.items():
    raises(Error, f"{name} belongs to a net", lambda: Sim(scene="cloth", grid=4, **{name: value}))
for call in (lambda: Sim(scene="rope\\0x"), lambda: cloth.measure("time\\0"), lambda: cloth.save("a\\0.h5"),
             lambda: springbench.names("scenes\\0")):
    raises(Error, "zero character", call)
for seconds in (-1, float("nan"), float("inf"), 1e300): raises(Error, "seconds is a time", lambda: next(cloth.run(seconds)))
print("done")"""))

    def test_a_run_changes(self):
        self.assertEqual(["done"], self.python("""
Sim, Error = springbench.Simulation, springbench.Error
def refused(text, call):
    try: call()
    except Error as caught: assert text in str(caught), caught
    else: raise AssertionError(text)
def same(a, b): return (a.positions == b.positions).all() and (a.velocities == b.velocities).all()
cloth = lambda **more: Sim(scene="cloth", grid=4, integrator="implicit_euler", **{"h": 0.01, "stiffness": 100} | more)
a, b = cloth(), cloth(stiffness=50, gravity=[0, 0, -2], vertex_mass=0.5)
a.step(4)
b.positions, b.velocities = a.positions, a.velocities
a.configure(stiffness=50, gravity=[0, 0, -2], vertex_mass=0.5)
assert (a.masses == 0.5).all() and set(a.stiffnesses) == set(b.stiffnesses) and a.measure("step") == 4 and a.time == 0.04
a.step(5), b.step(5)
assert same(a, b)
before = a.positions
for text, change in [("options:1: error: option 'stiffness' is out of range", dict(stiffness=-1)),
                     ("options:2: error: unknown option 'stifness'", dict(h=1, stifness=1)), ("options: error: ", dict(grid=5)),
                     ("options:1: error: 'scene' belongs to the start", dict(scene="rope")), ("pins of this one", dict(pins="none")),
                     ("'perturbation' belongs to the start", dict(perturbation=0.1)),
                     ("options:1: error: vbd_omega=1.5 is not read", dict(vbd_omega=1.5)),
                     ("sb_sim_advance", dict(steps=3)), ("nonsense", dict(linear="petsc", petsc="-ksp_type nonsense")),
                     ("finite", dict(h=float("nan"))), ("h is too short", dict(h=1e-300))]:
    refused(text, lambda: a.configure(**change))
assert (a.positions == before).all() and a.measure("h") == 0.01
a.step(2), b.step(2)
assert same(a, b)
a.configure(total_mass=3); a.configure(young=5); a.configure(substeps=4, frame_seconds=0.01)
assert abs(a.masses.sum() - 3) < 1e-12 and a.measure("h") == 0.0025 and a.time == 0.11 and a.measure("step") == 44
net = Sim(positions=[[0, 0, 0], [1, 0, 0], [2, 0, 0]], springs=[[0, 1], [1, 2]], stiffnesses=[100, 50], masses=[1, 2, 3],
          pinned=[1, 0, 0], triangles=[[0, 1, 2]], perturbation=0.01, h=0.01)
net.step(3)
net.configure(gravity=[0, 0, -1])
assert net.masses.tolist() == [1, 2, 3]
net.configure(vertex_mass=5)
assert net.masses.tolist() == [5, 5, 5] and net.stiffnesses.tolist() == [100, 50]
state = net.positions
net.pin([1]); net.unpin([0])
assert net.pinned.tolist() == [False, True, False] and (net.positions == state).all()
net.step(2)
assert (net.positions[1] == state[1]).all() and (net.positions[0] != state[0]).any()
net.move([1], [[1, 0, 2]])
net.step(3)
assert net.positions[1].tolist() == [1, 0, 2]
net.save("net.h5")
other = Sim.load("net.h5")
assert same(net, other) and other.pinned.tolist() == [False, True, False] and other.masses.tolist() == [5, 5, 5]
net.step(3), other.step(3)
assert same(net, other)
refused("vertex 2 is not pinned", lambda: net.move([2], [[0, 0, 0]]))
refused("not finite", lambda: net.move([1], [[0, 0, float("inf")]]))
refused("go from 0 to 2", lambda: net.pin([3]))
refused("no vertex would be free", lambda: net.pin([0, 2]))
refused("pin_method=penalty", lambda: cloth(pin_method="penalty").pin([7]))
refused("pin_path", lambda: cloth(pin_path="line:velocity=[0,0,1]").pin([7]))
refused("fluids have no pins", lambda: Sim(scene="column", spacing=0.1, integrator="isph").pin([7]))
refused("has vertex 1 twice", lambda: Sim(positions=numpy.eye(3), triangles=[[0, 1, 1]], vertex_mass=1))
held = cloth()
held.step(3)
held.pin([12])
held.move([12], held.positions[[12]] + 0.01)
held.save("held.h5")
held.step(6)
numpy.save("held9.npy", held.positions)
held.step(3)
numpy.save("held12.npy", held.positions)
print("done")"""))
        # A case goes on with pins that no option has, and with those of its own result.
        self.call("case", "--continue", "held.h5", "steps=9", "-o", "held9.h5")
        self.call("case", "--continue", "held9.h5", "steps=12", "-o", "held12.h5")
        for name in ("held9", "held12"):
            with h5py.File(self.folder / f"{name}.h5") as file:
                places = file["particles/all/position/value"][-1]
            self.assertTrue((places == numpy.load(self.folder / f"{name}.npy")).all(), name)
        said = self.call("case", "--continue", "held.h5", "steps=9", "ranks=2", status=2).stderr
        self.assertIn("cannot be continued on several ranks", said)
        self.assertIn("sb_sim_load", self.call("case", "--continue", "net.h5", "steps=99", status=2).stderr)

    def test_a_burst_stops_a_run(self):
        """As in a case; a host that steps one by one sees it within 16 steps. Energy of the host's own is no burst."""
        self.assertEqual(["done"], self.python("""
burst = springbench.Simulation(scene="cloth", grid=10, gravity=[0, 0, -500], h=0.0018)
try:
    while burst.measure("step") < 4000: burst.step()
except springbench.StepError as caught: assert "burst: at t = " in str(caught) and caught.status == "diverged", caught
assert 600 < burst.measure("step") < 4000 and burst.measure("step") % 16 == 0
pushed = springbench.Simulation(scene="cloth", grid=3, pins="none", h=0.001)
pushed.set_forces(numpy.full(pushed.positions.shape, 300.0))
pushed.step(1000)
pushed.velocities = numpy.full(pushed.positions.shape, 1e5)
pushed.step(1000)
print("done")"""))

    def test_forces_are_those_of_a_field(self):
        self.assertEqual(["done"], self.python("""
wind = lambda x, y, z: f"uniform:acceleration=[{x},{y},{z}]"
push = numpy.tile([0.5, 0.25, 2], (25, 1))
for more in [dict(integrator=name, h=0.0005) for name in springbench.names("integrators") if name != "isph"] + [
        dict(integrator="implicit_euler", minimizer=name, h=0.01) for name in springbench.names("minimizers")
        if name not in ("petsc_nonlinear",)]:
    make = lambda **wind: springbench.Simulation(scene="cloth", grid=4, vertex_mass=1, **more, **wind)
    try: by_field, by_forces = make(wind=wind(0.5, 0.25, 2)), make()
    except springbench.Error: continue
    plain, pushed = make(), make()
    both, sums = make(wind=wind(0.5, 0.25, 2)), make(wind=wind(1, 0.5, 4))
    by_forces.set_forces(push), both.set_forces(push), pushed.set_forces(push), pushed.set_forces(None)
    for sim in by_field, by_forces, plain, pushed, both, sums: sim.step(4)
    for a, b in (by_field, by_forces), (plain, pushed), (both, sums): assert (a.positions == b.positions).all(), more
    assert (plain.positions != by_forces.positions).any()
    by_forces.configure(gravity=[0, 0, 0])
    by_forces.step()
    for bad in (numpy.full((25, 3), numpy.nan), numpy.zeros((24, 3))):
        try: by_forces.set_forces(bad)
        except springbench.Error: pass
        else: raise AssertionError
fluid = springbench.Simulation(scene="column", spacing=0.1, integrator="isph", h=0.002)
device = springbench.Simulation(scene="cloth", grid=4, integrator="symplectic_euler", h=0.0005, device="host")
for sim in fluid, device:
    try: sim.set_forces(numpy.zeros((sim.vertices, 3)))
    except springbench.Error: pass
    else: raise AssertionError
    sim.step()
print("done")"""))

    def test_recorded_frames_are_a_film(self):
        self.assertEqual(["done"], self.python("""
cloth = springbench.Simulation(scene="cloth", grid=4, integrator="implicit_euler", h=0.01)
cloth.record()
states = []
for state in cloth.run(0.1, every=4):
    state.record()
    states.append(state.positions)
cloth.record()
cloth.save("film.h5")
film = springbench.load("film.h5").trajectory
assert film.steps.tolist() == [0, 4, 8, 10] and abs(film.times - [0, 0.04, 0.08, 0.1]).max() < 1e-15
for k in range(3): assert (film[k + 1].positions == states[k]).all()
cloth.step()
cloth.save("longer.h5")
assert springbench.load("longer.h5").trajectory.steps.tolist() == [0, 4, 8, 10, 11]
loaded = springbench.Simulation.load("longer.h5")
cloth.step(3), loaded.step(3)
assert (cloth.positions == loaded.positions).all()
cloth.configure(stiffness=3)
cloth.save("one.h5")
assert springbench.load("one.h5").trajectory.steps.tolist() == [14]
print("done")"""))
        self.assertEqual("film.gif\nfilm.png\n", self.call("animate", "film.h5").stdout)
        self.assertIn("sb_sim_record", self.call("animate", "one.h5", status=2).stderr)

    def test_ctrl_c_ends_a_step(self):
        self.assertEqual(["done"], self.python("""
import _thread, signal, threading
cloth = springbench.Simulation(scene="cloth", grid=4, h=0.0001, integrator="symplectic_euler", gravity=[0, 0, 0])
timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
timer.start()
try: cloth.step(10**9)
except KeyboardInterrupt: print("done")
reached = cloth.measure("step")
assert 0 < reached < 10**9 and cloth.step(5).steps_done == 5 and cloth.measure("step") == reached + 5"""))

    def test_the_import_says_what_is_missing(self):
        done = subprocess.run([*PYTHON, "-I", "-S", "-c", "import sys; sys.path.insert(0, sys.argv[1])\nimport springbench",
                               str(ROOT / "python")], capture_output=True, text=True)
        self.assertIn("ModuleNotFoundError: springbench needs numpy, h5py, pandas", done.stderr)
        self.assertIn("`pip install numpy h5py pandas`", done.stderr)
        self.assertIn("`apt install python3-numpy python3-h5py python3-pandas`", done.stderr)

    def test_threads_wait_for_each_other(self):
        for _ in range(4):
            self.python("""
import threading
threads, found = [], []
def work():
    for _ in range(10):
        sim = springbench.Simulation(scene="cloth", grid=4, integrator="implicit_euler", h=0.01)
        sim.step(3)
        found.append(sim.measure("energy_total"))
for _ in range(4):
    threads.append(threading.Thread(target=work))
    threads[-1].start()
for thread in threads:
    thread.join()
assert len(found) == 40 and len(set(found)) == 1, found
""")

    def test_goes_with_mpi4py(self):
        begin, after = "from mpi4py import MPI", "import subprocess, springbench\nsim = springbench.Simulation(scene='rope')"
        count = ('print(subprocess.run(["mpiexec", "--oversubscribe", "-n", "2", sys.executable, "-c", "from mpi4py import '
                 'MPI; print(MPI.COMM_WORLD.allreduce(1))"], capture_output=True, text=True).stdout.count("2"))')
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        for code in (f"{begin}\n{after}\nsim.step()", f"{after}\n{begin}\nsim.step()", f"{begin}\n{after}\nMPI.Finalize()"):
            self.assertEqual([], self.python(code))
        # A program that the host starts has the host's environment.
        self.assertEqual(["2"], self.python(f"{after}\n{count}", **root))

    def test_a_full_disk_is_an_error_and_the_simulation_goes_on(self):
        self.assertEqual(["done"], self.python("""
import resource
cloth = springbench.Simulation(scene="cloth", grid=40, h=1e-3)
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (40000, limits[1]))
try: cloth.save("large.h5")
except springbench.Error as caught: assert "cannot write 'large.h5'" in str(caught), caught
else: raise AssertionError
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
cloth.step(2)
cloth.save("large.h5")
assert springbench.load("large.h5").row["steps_done"] == 2
print("done")"""))
        self.assertEqual(["large.h5"], [path.name for path in self.folder.iterdir()])

    def test_reads_results(self):
        (self.folder / "s.yaml").write_text(SWEEP)
        self.call("run", "s.yaml", "-o", "r")
        sys.path.insert(0, str(ROOT / "python"))
        import springbench
        results = springbench.load(self.folder / "r")
        self.assertEqual([10, 100], list(results.rows.stiffness))
        self.assertEqual(("N/m", "s"), (results.units["stiffness"], results.rows.attrs["units"]["end_time"]))
        csv = pandas.read_csv(self.folder / "r" / "results.csv")
        self.assertEqual(list(csv.digest), list(results.rows.digest))
        case = results.case(stiffness=100)
        self.assertEqual([0, 5, 10], list(case.trajectory.steps))
        self.assertEqual(3, len(list(case.trajectory)))
        self.assertEqual(100, case.options["stiffness"])
        self.assertEqual(11, len(case.observables))
        with self.assertRaises(KeyError):
            results.case(stiffness=7)
        with self.assertRaises(FileNotFoundError):
            springbench.load(self.folder)


    def test_damage_is_an_exception(self):
        """One flipped bit anywhere in a case file, in a results directory or alone, or in the index."""
        import springbench
        (self.folder / "s.yaml").write_text(SWEEP)
        self.call("run", "s.yaml", "-o", "r")
        out = self.folder / "r"
        key = springbench.load(out).rows.key[0]
        file, alone = out / f"cases/{key}.h5", self.folder / "alone.h5"
        whole, index = file.read_bytes(), (out / "results.h5").read_bytes()
        with h5py.File(file) as stored:
            place = stored["particles/all/position/value"].id.get_chunk_info(0).byte_offset
        read = [lambda case: case.trajectory[-1], lambda case: case.observables, lambda case: case.row,
                lambda case: case.options, lambda case: case.masses, lambda case: list(case.trajectory)]
        for number, at in enumerate((place + 6, place + 100, 8, len(whole) // 2, len(whole) - 5)):
            damaged = bytearray(whole)
            damaged[at] ^= 0x10
            file.write_bytes(damaged), alone.write_bytes(damaged)
            for load in (lambda: springbench.load(out).case(key), lambda: next(springbench.load(out).cases())[1],
                         lambda: springbench.load(file), lambda: springbench.load(alone)):
                case = load()  # which reads nothing
                for once in range(2):
                    with self.assertRaisesRegex(springbench.DamagedError, "is damaged: its checksum disagrees"):
                        read[number % len(read)](case)
            self.assertEqual(100, springbench.load(out).case(stiffness=100).options["stiffness"])
            if at >= place + 6 and at < place + 101:  # as `springbench show FILE.h5` reads it
                self.assertEqual(5, len(springbench.load(file, check=False).trajectory[-1].positions))
        file.write_bytes(whole), alone.write_bytes(whole)
        case = springbench.load(out).case(key)
        self.assertEqual(3, len(case.trajectory))
        file.write_bytes(damaged)  # after it has been read
        os.utime(file, ns=(1, 1))
        with self.assertRaises(springbench.DamagedError):
            case.trajectory[-1]
        file.write_bytes(whole)
        os.utime(file, ns=(2, 2))
        self.assertEqual(5, len(case.trajectory[-1].positions))
        self.assertEqual(10, springbench.load(alone).options["stiffness"])
        for at in (100, len(index) // 2, len(index) - 60, len(index) - 5):
            damaged = bytearray(index)
            damaged[at] ^= 1
            (out / "results.h5").write_bytes(damaged)
            with self.assertRaisesRegex(springbench.DamagedError, "results.h5 is damaged.*remove it"):
                springbench.load(out)
        (out / "results.h5").unlink()
        self.call("run", "r")
        self.call("forget", "r", "-f", "stiffness == 10", "--yes")
        file.write_bytes(whole)
        (out / "results.h5").write_bytes(index)
        with self.assertRaisesRegex(springbench.DamagedError, "is not published"):
            springbench.load(out).case(key).row
        self.assertEqual(10, springbench.load(file).row["steps_done"])  # its seal is whole

    def test_integers_are_not_cut_off(self):
        self.assertEqual(["done"], self.python("""
def refused(call, text):
    try: call()
    except springbench.Error as caught: assert text in str(caught), caught
    else: raise AssertionError(text)
rope = springbench.Simulation(scene="rope", nodes=5, h=0.01)
for count in (2**64 + 1, 2**64, 2**63, 2**200, -1, -2**63, -2**64 + 1, 1.5, None, "1"):
    refused(lambda: rope.step(count), "count is an integer")
for every in (0, -1, 2**64 + 1, 1.5):
    refused(lambda: next(rope.run(1, every=every)), "every is an integer")
refused(lambda: rope.step(2**40), "takes 0 to 1e9 steps")
assert rope.time == 0 and rope.step(numpy.int64(3)).steps_done == 3 and rope.step(0).steps_done == 0
for number in (2**31, 2**32 + 1, 2**64 + 1, -2**32 + 1, -1):
    for name in ("springs", "triangles"):
        ends = {"springs": [[0, 1], [1, 2]], name: [[0, number] + [2] * (name == "triangles")]}
        refused(lambda: springbench.Simulation(positions=numpy.eye(3), vertex_mass=1, stiffness=1, h=0.01, **ends), "vert")
print("done")"""))


SANITIZERS = ["-fsanitize=address,undefined"] if SANITIZED else []
ENDED = "MPI has ended in this process"


class Host(Program):
    """A program with an MPI, a locale, traps and handlers of its own (host.c), whose words are done in turn."""
    shares_folder = True

    @classmethod
    def prepare(cls):
        cls.host = cls.folder / "host"
        subprocess.run(["mpicc", "-Wall", "-Wextra", "-Werror", *SANITIZERS, f"-I{HEADER.parent}",
                        pathlib.Path(__file__).parent / "host.c", LIBRARY, f"-Wl,-rpath,{pathlib.Path(LIBRARY).parent}",
                        "-lm", "-o", cls.host], check=True, env=os.environ | {"LD_PRELOAD": "", "OMPI_CC": "gcc"})

    def said(self, words, before=(), **environment):
        done = subprocess.run([*before, self.host, *words.split()], capture_output=True, text=True, cwd=self.folder,
                              env=os.environ | environment, timeout=300)
        if done.returncode == 3:
            self.skipTest("no locale de_DE.UTF-8")
        self.assertEqual((0, ""), (done.returncode, done.stderr), words)
        return done.stdout.splitlines()

    def test_may_end_mpi_at_any_time(self):
        bits = self.said("sim step free")[1]
        for words in ("init sim step free finalize", "thread sim step finalize", "sim step once free finalize",
                      "init sim sim step finalize free free", "sim once sim step finalize free",
                      "sim step once finalize", "init sim step", "init sim free sim step free finalize"):
            said = self.said(words)
            self.assertEqual((bits, "end"), (said[words.split().count("sim")], said[-1]), words)
        for words in ("init sim finalize step sim step free free", "sim sim once finalize step free free sim step",
                      "init finalize sim step free", "init sim step free finalize sim step sim"):
            said = self.said(words)
            late = [line for line in said if ENDED in line]
            self.assertEqual(words.partition("finalize")[2].split().count("sim"),
                             sum(line.startswith("sim: ") for line in late), said)
            self.assertTrue(any(line.startswith("step: ") for line in late), said)
        for words in "init sim sim step free finalize", "sim step", "sim once finalize":  # PETSc ends, with all its memory back
            done = subprocess.run([self.host, *words.split()], capture_output=True, text=True, cwd=self.folder,
                                  env=os.environ | {"PETSC_OPTIONS": "-malloc_dump -log_view"})
            self.assertIn("PETSc Performance Summary", done.stderr, words)
            self.assertNotRegex(done.stdout + done.stderr, r"\] *\d+ bytes")
        for line in self.said("init sim step free finalize", before=["mpiexec", "--oversubscribe", "-n", "2"],
                              OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"):
            self.assertIn(line, (bits, "sim: ok", "end"))

    def test_threads_wait_for_each_other(self):
        """Also for the first simulation, which starts MPI and PETSc."""
        bits = self.said("sim step free")[1]
        for words in 5 * ["threads"] + ["threads sim step free", "thread threads finalize", "sim free threads"]:
            said = self.said(words)
            steps = [line for line in said if line.startswith("step: ")]
            self.assertEqual((20 + words.split().count("step"), {bits}), (len(steps), set(steps)), said)
        self.assertLessEqual({"fork: ok", "thread: ok", "end"}, set(self.said("fork")))

    def test_keeps_its_locale_and_arithmetic(self):
        plain = self.said("sim step all free")
        self.assertEqual(["set", "measure", "save", "record", "configure", "pin", "free"],
                         [line[:-4] for line in plain[2:9] if line.endswith(": ok")])
        self.assertEqual(["load: ok", "net: ok", "rope: 1"], plain[10:13])
        for state in ("locale", "arithmetic", "locale arithmetic"):
            for words in (f"{state} note sim step all free compare", f"init {state} sim note step all free compare finalize"):
                self.assertEqual(plain, self.said(words), words)

    def test_keeps_its_handlers_and_environment(self):
        for more in {}, {"HWLOC_COMPONENTS": "opencl", "HWLOC_PLUGINS_BLACKLIST": "none"}:  # which loads PoCL
            self.said("sim step free", **more)
            for words in ("handlers note sim step free compare", "init handlers note sim step free compare finalize",
                          "handlers note sim sim step free compare free compare"):
                self.assertNotIn("another's", said := " ".join(self.said(words, **more)))
                self.assertNotIn("environment", said)


class Wheel(Program):
    def pip(self, *words):
        return subprocess.run([*PYTHON, "-m", "pip", "--disable-pip-version-check", *words], cwd=self.folder, check=True,
                              capture_output=True, text=True)

    def elsewhere(self, code):
        return subprocess.run([*PYTHON, "-c", code], cwd=self.folder / "r", capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(self.folder / "site"), "SPRINGBENCH_LIBRARY": "/none.so.1"})

    def test_reads_results_without_the_library(self):
        """Built and installed without an index, as a user of another system has it: results, adapters, no library."""
        shutil.copytree(ROOT / "python", self.folder / "tree/python")
        shutil.copy(ROOT / "CITATION.cff", self.folder / "tree")
        self.pip("wheel", "--no-index", "--no-build-isolation", "--no-deps", "tree/python", "-w", "wheels")
        [wheel] = (self.folder / "wheels").iterdir()
        version = re.search(r"^project\(springbench VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        self.assertEqual(f"springbench-{version}-py3-none-any.whl", wheel.name)
        self.pip("install", "--no-index", "--no-deps", "--target", "site", wheel)
        (self.folder / "s.yaml").write_text(SWEEP)
        self.call("run", "s.yaml", "-o", "r")
        done = self.elsewhere("""
import springbench, springbench.simulator, importlib.metadata
assert springbench.__file__.endswith("site/springbench/__init__.py"), springbench.__file__
print(*sorted(importlib.metadata.requires("springbench")))
results = springbench.load(".")
print(*map(int, results.rows.stiffness), *results.case(stiffness=100).trajectory.steps)
springbench.Simulation(scene="rope")""")
        self.assertEqual(["h5py numpy pandas", "10 100 0 5 10"], done.stdout.splitlines(), done.stderr)
        self.assertIn("springbench.simulation.Error: /none.so.1: cannot open", done.stderr)
        self.assertIn("install libspringbench1, a Debian package of springbench", done.stderr)


class Examples(Program):
    examples = ROOT / "examples"

    def middle(self, *command):
        out = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((0, ""), (out.returncode, out.stderr))
        return float(re.search(r"z = (-[\d.]+) m", out.stdout)[1])

    def test_in_c_and_cpp_agree(self):
        values = []
        for compiler, name in [("gcc", "cloth_from_arrays.c"), ("g++", "cloth_from_arrays.cpp")]:
            program = self.folder / name.replace(".", "_")
            subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", *SANITIZERS, f"-I{HEADER.parent}", self.examples / name,
                            LIBRARY, f"-Wl,-rpath,{pathlib.Path(LIBRARY).parent}", "-o", program], check=True,
                           env=os.environ | {"LD_PRELOAD": ""})
            values.append(self.middle(program))
        self.assertEqual(values[0], values[1])
        self.assertTrue(-1 < values[0] < -0.1)

    def test_program_of_the_readme(self):
        source = self.folder / "first.c"
        source.write_text(re.search(r"^```c\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)[1])
        program = self.folder / "first"
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", *SANITIZERS, f"-I{HEADER.parent}", source, LIBRARY,
                        f"-Wl,-rpath,{pathlib.Path(LIBRARY).parent}", "-o", program], check=True,
                       env=os.environ | {"LD_PRELOAD": ""})
        out = subprocess.run([program], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((0, ""), (out.returncode, out.stderr))
        self.assertTrue(0 < float(out.stdout.split()[-1]) < 1, out.stdout)

    def test_in_python_draw_and_store(self):
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
        for name, file in [("cloth_from_arrays.py", "cloth.png"), ("own_mesh.py", "hammock.h5")]:
            out = subprocess.run([*PYTHON, self.examples / name, file], capture_output=True, text=True, cwd=self.folder,
                                 env=environment)
            self.assertEqual((0, ""), (out.returncode, out.stderr))
            self.assertGreater((self.folder / file).stat().st_size, 10000)
        self.assertIn("kinetic energy", out.stdout)

    def test_sweep_reproduces_its_claim(self):
        self.call("run", self.examples / "own_sweep.yaml", "-o", "own")
        self.assertIn("1 claim: 1 reproduced", self.call("verify", "own").stdout)
        self.assertTrue((self.folder / "own" / "figures" / "stretch.svg").exists())


if __name__ == "__main__":
    main()
