# SPDX-License-Identifier: GPL-3.0-or-later
"""Broken installations of OpenCL: whatever a driver does, `list devices` and `doctor` end and name it, and a case ends
with a message and not with 0. Argument: the program."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import Program, main  # noqa: E402

SOURCE = pathlib.Path(__file__).parent / "broken_driver.c"
CASE = ["case", "scene=cloth", "grid=4", "integrator=symplectic_euler", "h=1e-4", "steps=2", "device=opencl", "--json"]
SWEEP = """springbench: 1
name: one
question: Is there a device?
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 4, integrator: symplectic_euler, h: 1e-4, steps: 2}
sweep: [{grid: {device: [none, opencl]}}]
"""
NO_DRIVER = "pocl-opencl-icd"
# A build with sanitizers ends with a status where another one crashes.
CRASHED = r"a driver of OpenCL (crashed \(SIG|ended the process \(exit status [1-9])"
SILENT = r"a driver of OpenCL did not answer within 2 s \(SPRINGBENCH_LOAD_SECONDS"
# Definitions of the driver; words of both commands.
DRIVERS = {
    "hangs when it is loaded": ({"ON_LOAD": "for (;;) pause()"}, SILENT),
    "hangs": ({"ON_PLATFORMS": "for (;;) pause()"}, SILENT),
    "hangs over its devices": ({"ON_DEVICES": "for (;;) pause()"}, SILENT),
    "exits when it is loaded": ({"ON_LOAD": "exit(0)"}, r"ended the process \(exit status 0\)"),
    "exits": ({"ON_PLATFORMS": "exit(0)"}, r"ended the process \(exit status 0\)"),
    "exits with a status of ours": ({"ON_PLATFORMS": "exit(3)"}, r"ended the process \(exit status 3\)"),
    "exits at once": ({"ON_DEVICES": "_exit(0)"}, r"ended the process \(exit status 0\)"),
    "aborts": ({"ON_PLATFORMS": "abort()"}, CRASHED),
    "reads NULL": ({"ON_DEVICES": "*(volatile int *)0 = 1"}, CRASHED),
    "has no platform": ({"PLATFORMS": "0"}, NO_DRIVER),
    "refuses to list platforms": ({"PLATFORMS": "CL_OUT_OF_HOST_MEMORY"}, f"{NO_DRIVER}|does not list its platforms"),
    "has no device": ({"DEVICES": "0"}, "platform 'a platform' has no device"),
    "refuses to list devices": ({"DEVICES": "CL_OUT_OF_HOST_MEMORY"}, r"'a platform' has no device \(OpenCL error -6\)"),
    "lacks the function of drivers": ({"NO_FUNCTION": "1"}, NO_DRIVER),
}
# Contents of the file that names the driver; None: a pipe.
FILES = {
    "names a missing file": "/nonexistent/libdriver.so\n",
    "is empty": "",
    "names a text": "{folder}/v/x.icd\n",
    "is a pipe": None,
}


class Installs(Program):
    def install(self, text=None, **definitions):
        """The environment in which the only driver is this one."""
        vendors, library = self.folder / "v", self.folder / "driver.so"
        vendors.mkdir(exist_ok=True)
        (vendors / "x.icd").unlink(missing_ok=True)
        if text is None:
            subprocess.run(["gcc", "-Wall", "-Wextra", "-shared", "-fPIC", SOURCE, "-o", library,
                            *(f"-D{name}={value}" for name, value in definitions.items())], check=True)
        (vendors / "x.icd").write_text(f"{library}\n" if text is None else text.format(folder=self.folder))
        return {**os.environ, "OCL_ICD_VENDORS": str(vendors), "OPENCL_VENDOR_PATH": str(vendors)}

    def check(self, env, words, doctor=False):
        listed = self.call("list", "devices", env=env)
        self.assertRegex(" ".join(listed.stdout.split()), words)
        self.assertEqual({"devices": []}, json.loads(self.call("list", "devices", "--json", env=env).stdout))
        case = self.call(*CASE, env=env, status=2)
        self.assertEqual("", case.stdout)
        self.assertRegex(case.stderr, words)
        if doctor:
            self.assertRegex(" ".join(self.call("doctor", "--seconds", "0.01s", env=env).stdout.split()), words)

    def test_drivers(self):
        for name, (definitions, words) in DRIVERS.items():
            with self.subTest(name):
                env = self.install(**definitions)
                silent = {"SPRINGBENCH_LOAD_SECONDS": "2"} if words == SILENT else {}
                self.check(env | silent, words, doctor=name in ("hangs", "exits", "has no device"))

    def test_files_that_name_drivers(self):
        for name, text in FILES.items():
            with self.subTest(name):
                env = self.install(text or "")
                if text is None:
                    (self.folder / "v" / "x.icd").unlink()
                    os.mkfifo(self.folder / "v" / "x.icd")
                    env["SPRINGBENCH_LOAD_SECONDS"] = "2"
                self.check(env, NO_DRIVER if text is not None else SILENT)
        self.check({**os.environ, "OCL_ICD_VENDORS": "/nonexistent"}, NO_DRIVER + "|/nonexistent")

    def test_texts_that_no_table_can_show(self):
        env = self.install(NAME=r'"\033[2J\377\n' + 300 * "x" + '"', DEVICES="5")
        found = json.loads(self.call("list", "devices", "--json", env=env).stdout)["devices"]
        self.assertEqual(["?[2J??" + 121 * "x"], [device["summary"] for device in found])
        self.assertIn("did not open (OpenCL error -5)", self.call(*CASE, env=env, status=2).stderr)

    def test_an_exit_after_the_devices_are_listed(self):
        """In the process of the case: its status is that of a failure."""
        for code in 0, 3, 75:
            env = self.install(ON_CONTEXT=f"exit({code})")
            self.assertIn(f"called exit({code}) before the case had ended", self.call(*CASE, env=env, status=1).stderr)
        (self.folder / "one.yaml").write_text(SWEEP)
        for name, *more in [("forked",), ("executed", "--exec")]:
            self.call("run", "one.yaml", "-o", name, *more, env=env, status=1)
            rows = {event["row"]["status"]: event["row"]["reason"] for kind in ("publish", "fail")
                    for event in self.events(self.folder / name, kind)}
            self.assertEqual({"ok", "error"}, set(rows))
            self.assertIn("called exit(75)", rows["error"])

    def test_an_exit_does_not_end_the_cases_of_a_sweep(self):
        (self.folder / "one.yaml").write_text(SWEEP)
        self.call("run", "one.yaml", "-o", "r", env=self.install(ON_PLATFORMS="exit(0)"), status=1)
        self.assertIn("1  ok", self.call("status", "r").stdout)

    def test_a_cache_that_cannot_be_written(self):
        """PoCL, which is installed, has no device then; a run has the variables that name another place."""
        (self.folder / "one.yaml").write_text(SWEEP)
        for variable in "POCL_CACHE_DIR", "XDG_CACHE_HOME":
            with self.subTest(variable):
                place = self.folder / variable
                place.mkdir()
                nowhere = {name: value for name, value in os.environ.items() if name not in ("POCL_CACHE_DIR", "XDG_CACHE_HOME")}
                nowhere["HOME"] = "/proc/nowhere"
                self.check(nowhere, "platform 'Portable Computing Language' has no device: .*POCL_CACHE_DIR")
                self.call("run", "one.yaml", "-o", f"none_{variable}", env=nowhere, status=1)
                self.call("run", "one.yaml", "-o", f"there_{variable}", env=nowhere | {variable: str(place)})
                self.assertTrue(list(place.rglob("*")))

    def test_a_driver_beside_a_good_one(self):
        env = self.install(DEVICES="0")
        good = next(pathlib.Path("/etc/OpenCL/vendors").glob("pocl*.icd")).read_text()
        (self.folder / "v" / "pocl.icd").write_text(good)
        said = " ".join(self.call("list", "devices", env=env).stdout.split())
        self.assertIn("opencl:1", said)
        self.assertIn("platform 'a platform' has no device", said)
        self.assertEqual("ok", json.loads(self.call(*CASE, env=env).stdout)["status"])


main()
