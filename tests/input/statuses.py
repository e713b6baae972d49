# SPDX-License-Identifier: GPL-3.0-or-later
"""Every status of a case by a real case, and every exit status by a real command. Argument: the program.

Ends from outside (time, memory, a signal, the runner's own end) are tried on a case that would run for hours."""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from program import WATCHED, memory_limit

PROGRAM = sys.argv[1]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PETSC_"))}
CLEAN["ASAN_OPTIONS"] = WATCHED["ASAN_OPTIONS"] + ":handle_segv=0"
HEAD = "springbench: 1\nname: n\ntimed: false\n"
METHODS = HEAD + """defaults: {scene: cloth, grid: 8, h: 0.01, duration: 0.02, integrator: implicit_euler}
methods:
  fine: {}
  too_stiff: {integrator: explicit_euler, stiffness: 1e9, duration: 1}
  relaxed: {linear: jacobi, jacobi_omega: 1, max_iterations: 2}
  compressed: {hessian: exact, stiffness: 1e6, perturbation: 0.1, h: 0.1, duration: 0.1}
  misspelt: {linear: petsc, petsc: "-ksp_richardson_scale 1"}
  left_out: {drag: 0.5}
  large: {grid: 120}
sweep:
  - grid: {method: [fine, too_stiff, relaxed, compressed, misspelt, left_out, large]}
exclude: [{when: method == left_out, because: nobody asked}]
expect: [{claim: "nothing diverges", test: "status != diverged"}]
"""
CLOSING = HEAD + """# corners that meet in the middle, and go on
defaults: {scene: cloth, grid: 4, duration: 1, pins: corners4, pin_path: "expression:x=-2*x*t,y=-2*y*t", thickness: 0.1}
methods:
  surfaces: {self_contact: surfaces, h: 0.001}
  barrier: {self_contact: barrier, h: 0.01, integrator: implicit_euler}
sweep: [{grid: {method: [surfaces, barrier]}}]
"""
LONG = HEAD + "defaults: {scene: rope, nodes: 4, frames: 1000000, substeps: 1000, stiffness: 0.001, frame_seconds: 1e-6}\n"


def call(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, env=CLEAN)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def rows(folder):
    with open(folder + "/results.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(name, text):
    pathlib.Path(name).write_text(text, encoding="ascii")
    return name


def results_and_errors():
    """The limit has room for two thirds of the large factor beside what is in use before it."""
    case = call("case", "scene=cloth", "grid=120", "integrator=implicit_euler", "h=0.01", "duration=0.02",
                "memory_limit=1", "--json")
    call("run", write("a.yaml", METHODS), "-o", "a", "-m", memory_limit(case.stdout, 2 / 3), status=1)
    found = {row["method"]: (row["status"], row["reason"]) for row in rows("a")}
    for method, (status, words) in {"fine": ("ok", ""), "too_stiff": ("diverged", "step "),
                                    "relaxed": ("not_converged", "linear solve"), "compressed": ("not_spd", "pivot"),
                                    "misspelt": ("error", "no object read"), "left_out": ("skipped", "nobody asked"),
                                    "large": ("skipped", "memory: the factorisation is predicted to need")}.items():
        assert found[method][0] == status and words in found[method][1], (method, found[method])
    assert "over the limit of" in found["large"][1]
    call("verify", "a", status=3)
    call("run", write("closing.yaml", CLOSING), "-o", "closing")
    for row in rows("closing"):
        assert row["status"] == "contact_unresolved" and "t = 0.5 s): " in row["reason"], row
    call("run", "a.yaml", "-o", "a", "-f", "h > 1", status=7)
    call("run", write("b.yaml", HEAD + "defaults: {h: x}\n"), "-o", "b", status=2)
    call("case", "scene=rope", "nodes=4", "frames=1", "substeps=1", "-o", "no/such/folder.h5", status=5)


def time_and_memory():
    call("run", write("l.yaml", LONG), "-o", "t", "-t", "0.2s", status=1)
    assert rows("t")[0]["status"] == "timeout" and "over the limit of 0.2 s" in rows("t")[0]["reason"], rows("t")
    call("run", "l.yaml", "-o", "m", "-m", "8M", status=1)
    assert rows("m")[0]["status"] == "oom" and "over the limit of 8.0 MiB" in rows("m")[0]["reason"], rows("m")


def child_of(runner):
    """The case's process, once it is one."""
    for _ in range(3000):
        children = pathlib.Path(f"/proc/{runner.pid}/task/{runner.pid}/children").read_text(encoding="ascii").split()
        for child in children:
            if b"\0case\0" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        time.sleep(0.02)
    raise AssertionError("no case was started")


def begin(folder):
    return subprocess.Popen([PROGRAM, "run", "l.yaml", "-o", folder, "--progress", "none", "--exec"], env=CLEAN,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def signals():
    runner = begin("c")
    call("run", "l.yaml", "-o", "c", status=6) if child_of(runner) else None
    os.kill(child_of(runner), signal.SIGSEGV)
    assert runner.wait(timeout=120) == 1
    assert rows("c")[0]["status"] == "crashed" and "SIGSEGV" in rows("c")[0]["reason"], rows("c")
    runner = begin("i")
    child_of(runner)
    runner.send_signal(signal.SIGTERM)
    assert runner.wait(timeout=120) == 75
    last = json.loads(pathlib.Path("i/journal.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert last["event"] == "interrupt" and last["row"]["status"] == "interrupted", last


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    for check in (results_and_errors, time_and_memory, signals):
        check()
        print(check.__name__)
    os.chdir("/")
