# SPDX-License-Identifier: GPL-3.0-or-later
"""The adapters of examples/simulators: the header for C and C++, install.sh, and each simulator that is installed against
what theory gives its integrator. Bullet is compiled here if its library is installed; the others are tests/long.sh's.
usage: simulators.py PROGRAM [TEST ...]"""
import base64
import hashlib
import io
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import unittest

import h5py
import numpy

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from program import Program, main  # noqa: E402

EXAMPLES = ROOT / "examples" / "simulators"
# An oscillator with h omega = 1/6: amplitude after 600 steps over that at the start, by the method and its substeps.
KEPT = {"cannon_es": 1, "mujoco": 1, "simbody": 1, "rapier3d": (1 + 1 / 36 / 16)**-1200,
        "jolt": (1 + 1 / 36 / 25)**-1500, "bullet": (1 + 1 / 36)**-300}
SINGLE = ("rapier3d", "jolt", "bullet")


class Adapters(Program):
    environment = {name: value for name, value in os.environ.items() if name != "SPRINGBENCH_SIMULATORS"}

    def case(self, name, *words, status=0, folder=EXAMPLES):
        return json.loads(self.call("case", "driver=external", f"simulator={name}", *words, "--json",
                                    f"--simulator={folder / name}.json", status=status).stdout)

    def copy(self):
        """A copy of examples/simulators without what is installed there."""
        folder = self.folder / "simulators"
        shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("build", "node_modules", ".installing*", "__pycache__"))
        return folder

    def install(self, folder, *words, status=0, **environment):
        end = subprocess.run([folder / "install.sh", *words], capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(status, end.returncode, end.stderr)
        return end

    def test_header_in_C_and_in_CXX(self):
        for compiler, *flags in (["gcc", "-std=c99", "-pedantic"], ["gcc", "-std=gnu11"]):
            with self.subTest(flags):
                subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-Werror", f"-I{EXAMPLES}", "-o", self.folder / "program",
                                ROOT / "tests" / "drivers" / "simulator.c", "-lm"], check=True)
        source = self.folder / "empty.cpp"
        source.write_text('#include "springbench_simulator.h"\nint main() { return 0; }\n')
        subprocess.run(["g++", "-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{EXAMPLES}", "-o",
                        self.folder / "empty", source], check=True)
        (self.folder / "ours.json").write_text(json.dumps(
            {"springbench_simulator": 1, "name": "ours", "summary": "C", "command": ["{here}/program"],
             "version_command": ["echo", "1"], "files": ["program"], "maps": ["gravity"], "ignores": ["integrator"]}))
        net = ["scene=cloth", "grid=4", "h=0.001", "duration=0.1"]
        files = []
        for words in (["driver=trajectory", "integrator=symplectic_euler"],
                      ["driver=external", "simulator=ours", f"--simulator={self.folder}/ours.json"]):
            files.append(self.folder / f"{len(files)}.h5")
            self.call("case", *net, *words, "save=every:10", "-o", files[-1])
        with h5py.File(files[0]) as a, h5py.File(files[1]) as b:
            for kind in ("position", "velocity"):
                for k in range(len(a["frames"])):
                    numpy.testing.assert_allclose(a[f"frames/{k}/{kind}"][:], b[f"frames/{k}/{kind}"][:], rtol=0, atol=1e-11)
        row = self.case("ours", *net, "simulator_options=other=2 scale=-1", folder=self.folder)
        self.assertGreater(row["columns"]["center_z"], 0)
        for text, reason in (("scales=1", "unknown simulator option 'scales'; there are: scale other"),
                             ("scale=x", "simulator option 'scale' needs a number")):
            row = self.case("ours", *net, f"simulator_options={text}", folder=self.folder, status=1)
            self.assertIn(reason, row["reason"])

    def test_install_checks_what_it_downloads(self):
        folder, tools = self.copy(), self.folder / "tools"
        tools.mkdir()
        with tarfile.open(self.folder / "package.tgz", "w:gz") as archive:
            entry = tarfile.TarInfo("package/package.json")
            entry.size = 2
            archive.addfile(entry, io.BytesIO(b"{}"))
        (tools / "npm").write_text(f"#!/bin/sh\ncp {self.folder}/package.tgz package.tgz && echo package.tgz\n")
        for name in ("npm", "node", "dpkg-query"):  # these packages count as installed
            if name != "npm":
                (tools / name).write_text("#!/bin/sh\necho ok installed\n")
            (tools / name).chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        end = self.install(folder, "jolt", status=1, PATH=path)
        self.assertIn("lock.json:8: error: jolt-physics 1.1.0 has another SHA-512", end.stderr)
        self.assertFalse((folder / "node_modules").exists())
        self.assertEqual([], list(folder.glob(".installing*")))
        self.assertNotIn("jolt", self.install(folder, "--list", PATH=path).stdout)
        sums = base64.b64encode(hashlib.sha512((self.folder / "package.tgz").read_bytes()).digest()).decode()
        lines = (folder / "lock.json").read_text().splitlines()
        lines[7] = f'   "integrity": "sha512-{sums}"}},'
        (folder / "lock.json").write_text("\n".join(lines))
        self.assertIn(f"{folder}/jolt.json", self.install(folder, "jolt", PATH=path).stdout)
        (tools / "npm").write_text("#!/bin/sh\nexit 1\n")  # files that are present are not downloaded again
        self.assertIn(f"{folder}/jolt.json", self.install(folder, "jolt", PATH=path).stdout)
        self.assertIn("no simulator 'x' to install", self.install(folder, "x", status=2).stderr)

    def check_oscillator(self, name, folder=EXAMPLES):
        net = ["scene=oscillator", "stiffness=100", "h=1/60", "amplitude=0.001"]
        at_end = self.case(name, *net, "duration=10", folder=folder)
        self.assertEqual("ok", at_end["status"], at_end["reason"])
        kept = math.sqrt(at_end["columns"]["energy_final"] / at_end["columns"]["energy_start"])
        # Symplectic Euler keeps the energy in a band of h omega; single precision has an amplitude of 1e-3 to 1e-4.
        self.assertLess(abs(kept - KEPT[name]), 0.01 if name in SINGLE else 0.09, kept)
        self.assertGreater(at_end["columns"]["own_step_s"], 0)
        self.assertLess(at_end["columns"]["own_step_s"] * 600, at_end["columns"]["process_s"])
        self.assertIn("unknown simulator option 'x'",
                      self.case(name, *net, "duration=0.1", "simulator_options=x=1", folder=folder, status=1)["reason"])
        self.assertIn("neither maps nor ignores drag",
                      self.call("case", "driver=external", f"simulator={name}", *net, "duration=0.1", "drag=1",
                                f"--simulator={folder / name}.json", status=2).stderr)
        cloth = self.case(name, "scene=cloth", "grid=4", "substeps=32", "frames=10", "frame_seconds=1/60", folder=folder)
        self.assertEqual("ok", cloth["status"], cloth["reason"])
        self.assertLess(cloth["columns"]["error"], 0.05, name)

    def test_bullet(self):
        if subprocess.run(["pkg-config", "--exists", "bullet"]).returncode != 0:
            self.skipTest("libbullet-dev is not installed")
        folder = self.copy()
        self.assertIn("bullet.json", self.install(folder, "bullet").stdout)
        self.check_oscillator("bullet", folder)
        # One link between a pinned and a free vertex: k = (m/h^2) s/(1 - s).
        net = ["scene=rope", "nodes=2", "rope_from=[0,0,0]", "rope_to=[0,-1,0]", "h=1/60", "duration=10"]
        for own, iterations in ((0.2, 1), (0.2, 4)):
            row = self.case("bullet", *net, f"simulator_options=kLST={own} iterations={iterations}", folder=folder)
            s = 1 - (1 - own)**iterations
            stretch = row["columns"]["strain_final"]
            self.assertLess(abs(stretch * 3600 * s / (1 - s) - 1), 1e-3)

    @unittest.skipUnless("Adapters.test_others" in sys.argv, "tests/long.sh simulators makes this test")
    def test_others(self):
        installed = self.install(EXAMPLES, "--list").stdout
        names = [name for name in KEPT if f"/{name}.json" in installed]
        if not names:
            self.skipTest("examples/simulators/install.sh was not run")
        for name in names:
            with self.subTest(name):
                self.check_oscillator(name)


main()
