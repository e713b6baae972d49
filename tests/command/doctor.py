# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of `springbench doctor` and its exit status: on machines made up in files that lie over the kernel's (in a
namespace of mounts, where one may be had), and in the environment. No time is judged, only what follows from the times
told.

usage: doctor.py PROGRAM [TEST ...]"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import PROGRAM, Program, main

OVER = """set -e
while read -r part place; do
  mount -t tmpfs none "$place"
  cp -r "$MACHINE/$part/." "$place"
done <<places
cpu /sys/devices/system/cpu
cgroup /sys/fs/cgroup
clocksource /sys/devices/system/clocksource
places
mount --bind "$MACHINE/group" /proc/$$/cgroup
exec "$@"
"""
SPACES = ["unshare", "--mount", "--user", "--map-root-user"]
MAY = subprocess.run([*SPACES, "mount", "-t", "tmpfs", "none", "/sys/fs/cgroup"], capture_output=True).returncode == 0
CORES = sorted(os.sched_getaffinity(0))


class Call(Program):
    environment = {name: value for name, value in os.environ.items() if name != "PETSC_OPTIONS"}

    def doctor(self, *arguments, environment=None, **more):
        return self.call("doctor", *arguments, env=self.environment | (environment or {}), **more)


class Doctor(Call):
    def lines(self, text):
        """Maps each subject to its verdict and the text about it."""
        found = re.findall(r"^  (ok|doubtful|UNFIT) +(\S.*?)  +(.*)$", text, re.MULTILINE)
        return {what: (how, said) for how, what, said in found}

    def machine(self, files):
        """Returns doctor's report on a machine whose kernel shows these files."""
        if not MAY:
            self.skipTest("mounts of one's own are not allowed")
        for part in ("cpu", "cgroup", "clocksource"):
            (self.folder / part).mkdir()
        for name, text in ({"group": "0::/\n"} | files).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = self.doctor("--seconds", "0.02", before=[*SPACES, "sh", "-c", OVER, "-"],
                         environment={"MACHINE": str(self.folder)})
        return self.lines(done.stdout), done.stdout

    def governors(self, *words):
        return {f"cpu/cpu{core}/cpufreq/scaling_governor": words[min(i, len(words) - 1)] + "\n"
                for i, core in enumerate(CORES)}

    def test_a_machine_of_which_little_is_visible(self):
        told, _ = self.machine({})
        self.assertEqual(told["frequency governor"], ("ok", "not visible here (a virtual machine?)"))
        self.assertEqual(told["turbo"], ("ok", "not visible here"))
        self.assertEqual(told["SMT siblings"], ("ok", "not visible here"))
        self.assertEqual(told["CPU quota"], ("ok", "none"))
        self.assertIn("unknown source: resolution", told["clock"][1])

    def test_a_machine_for_measurements(self):
        told, _ = self.machine(self.governors("performance") | {
            "cpu/intel_pstate/no_turbo": "1\n", "cpu/smt/active": "0\n", "cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "cgroup/cpu/cpu.cfs_period_us": "100000\n", "clocksource/clocksource0/current_clocksource": "tsc\n"})
        self.assertEqual(told["frequency governor"], ("ok", "performance"))
        self.assertEqual(told["turbo"], ("ok", "off"))
        self.assertEqual(told["SMT siblings"], ("ok", "none"))
        self.assertEqual(told["CPU quota"], ("ok", "none"))
        self.assertIn("tsc: resolution", told["clock"][1])

    def test_a_machine_that_changes_its_rates(self):
        told, text = self.machine(self.governors("powersave") | {
            "cpu/intel_pstate/no_turbo": "0\n", "cpu/smt/active": "1\n", "cgroup/cpu/cpu.cfs_quota_us": "150000\n",
            "cgroup/cpu/cpu.cfs_period_us": "100000\n"})
        self.assertEqual(told["frequency governor"], ("doubtful", "powersave: clock rates follow the load"))
        self.assertEqual(told["turbo"][0], "doubtful")
        self.assertIn("on: cases are pinned to whole cores", told["SMT siblings"][1])
        self.assertEqual(told["CPU quota"], ("doubtful", "1.5 cores: a process that works longer is paused"))
        for advice in ("cpupower frequency-set -g performance", "switch turbo off", "lift the quota"):
            self.assertIn("\n  - " + advice, text)
        self.assertTrue(text.endswith("results are correct, but times measured now are doubtful.\n"))

    def test_another_maker_one_core_that_differs_and_groups(self):
        told, _ = self.machine(self.governors("performance", "schedutil") | {
            "cpu/cpufreq/boost": "1\n", "group": "1:cpu:/\n0::/outer/inner\n",
            "cgroup/outer/inner/cpu.max": "max 100000\n", "cgroup/outer/cpu.max": "50000 100000\n",
            "cgroup/cpu.max": "70000 100000\n"})
        self.assertEqual(told["CPU quota"][1].split(":")[0], "0.5 cores")  # the least of the groups around it
        if len(CORES) > 1:
            self.assertEqual(told["frequency governor"], ("doubtful", "schedutil: clock rates follow the load"))
        self.assertEqual(told["turbo"][0], "doubtful")

    def test_the_environment(self):
        done = self.doctor("--seconds", "0.02", "--strict", status=4, environment={"PETSC_OPTIONS": "-ksp_type cg"})
        self.assertEqual(self.lines(done.stdout)["PETSC_OPTIONS"][0], "doubtful")
        self.assertEqual(done.stdout.count("unset PETSC_OPTIONS"), 1)
        self.assertRegex(self.lines(done.stdout)["processor"][1], r"\S; microcode \S+$")
        self.assertRegex(self.lines(done.stdout)["caches, memory"][1], r"(L\d\S* [\d.]+ [KMG]iB|unknown); memory [\d.]+ [MGT]iB$")
        for empty in ({}, {"PETSC_OPTIONS": ""}):
            done = self.doctor("--seconds", "0.02", environment=empty)
            self.assertEqual(self.lines(done.stdout)["PETSC_OPTIONS"], ("ok", "not set"))

    def test_only_the_cores_one_may_use_are_watched(self):
        done = self.doctor("--seconds", "0.05", "--strict", status=None,
                         preexec_fn=lambda: os.sched_setaffinity(0, CORES[:1]))
        told = self.lines(done.stdout)
        self.assertEqual([name for name in told if re.fullmatch(r"core \d+", name)], [f"core {CORES[0]}"])
        fine = all(how == "ok" for how, _ in told.values())
        self.assertEqual((done.returncode, done.stdout.endswith("\nYes.\n")), (0, True) if fine else (4, False))

    def test_arguments(self):
        self.assertIn("--seconds takes a time", self.doctor("--seconds", "soon", status=2).stderr)
        self.doctor("--no-such", status=2)
        self.doctor("more", status=2)


main()
