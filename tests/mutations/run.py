# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeds the faults of mutations.txt into a copy of the tree, one at a time, and says which test sees each.

    run.py TREE BUILD [--only WORD] [--report FILE --commit HASH]
    run.py TREE                 whether every fault has its place, which changes nothing

TREE is a copy that may be changed, BUILD its configured build. A fault is rebuilt with what depends on it, then the
tests of its area run, cheapest first, until one fails; if none does, all other tests of the numerics, of 1, then of 2
ranks, and last the drivers. integrate_known, which compares bits with those of an earlier day, comes after
all that know why: a fault that it alone sees is marked. Exit status 1 when a fault survives, 2 when its text is not in
its file exactly once, or does not compile, or a test fails without any fault."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

SECONDS_PER_TEST = 60
LAST = "integrate_known"


class Fault:
    def __init__(self, number, area, kind, file, line):
        self.number, self.area, self.kind, self.file, self.line = number, area, kind, file, line
        self.old, self.new = [], []


def read_list(path):
    areas, faults = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("= "):
            name, *tests = line[2:].split()
            areas[name] = tests
        elif line.startswith("@ "):
            area, kind, file = line[2:].split()
            faults.append(Fault(len(faults) + 1, area, kind, file, number))
        elif line.startswith("- "):
            faults[-1].old.append(line[2:])
        elif line.startswith("+ "):
            faults[-1].new.append(line[2:])
        elif line and not line.startswith("#"):
            sys.exit(f"{path}:{number}: neither '=', '@', '-', '+' nor '#': {line}")
    return areas, faults


class Build:
    def __init__(self, folder):
        self.folder = folder
        listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, check=True,
                                           capture_output=True, text=True).stdout)
        programs = set(re.findall(r"^(test_\w+): phony", self.ninja("-t", "targets", "all").stdout, re.M))
        self.target, self.labels = {}, {}
        for test in listed["tests"]:
            name = test["name"]
            program = "test_" + re.sub(r"_np\d$", "", name)
            self.target[name] = program if program in programs else "springbench"
            self.labels[name] = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])

    def of(self, labels, parallel):
        return [name for name in self.target
                if set(self.labels[name]) & set(labels) and name.endswith("_np2") == parallel
                and (parallel or "_np" not in name) and name != LAST]

    def fallback(self):
        numerics = ["model", "linear", "minimize", "integrate"]
        return (self.of(numerics, False) + self.of(numerics, True) + self.of(["drivers"], False) +
                [LAST])

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.folder, *words], capture_output=True, text=True)

    def fails(self, name):
        """None when the test passes, else what failed in it."""
        done = subprocess.run(["ctest", "-R", f"^{name}$", "--timeout", str(SECONDS_PER_TEST), "--output-on-failure"],
                              cwd=self.folder, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        if "***Timeout" in done.stdout:
            return "out of time"
        checks = re.findall(r"\[  FAILED  \] (\w+)$", done.stdout, re.M)
        checks = checks or re.findall(r"^(?:FAIL|ERROR): (\w+)", done.stdout, re.M)
        return checks[0] if checks else "crash"


def seeded(tree, fault):
    """The file's text without the fault and with it; exits when the fault has no place."""
    text, old, new = (tree / fault.file).read_text(), "\n".join(fault.old), "\n".join(fault.new)
    if text.count(old) != 1:
        print(f"mutations.txt:{fault.line}: the text stands {text.count(old)} times in {fault.file}:\n{old}")
        sys.exit(2)
    return text, text.replace(old, new)


def hunt(build, tests):
    """(test, check) of the first that fails, or None; a build that fails ends it all."""
    for name in tests:
        made = build.ninja("-j2", build.target[name])
        if made.returncode != 0:
            print(made.stdout[-3000:])
            sys.exit(2)
        check = build.fails(name)
        if check:
            return name, check
    return None


def try_fault(tree, build, areas, fault):
    text, faulty = seeded(tree, fault)
    (tree / fault.file).write_text(faulty)
    try:
        own = [name for name in areas[fault.area] if name in build.target]
        return hunt(build, own) or hunt(build, [name for name in build.fallback() if name not in own])
    finally:
        (tree / fault.file).write_text(text)


def check_tests(areas, build, faults):
    named = sorted({name for fault in faults for name in areas[fault.area]})
    unknown = [name for name in named if name not in build.target]
    if unknown:
        sys.exit(f"no such tests: {' '.join(unknown)}")
    found = hunt(build, named)
    if found:
        sys.exit(f"{found[0]} fails without any fault ({found[1]})")


def cell(text):
    return "`" + " ".join(" ".join(text).split()).replace("|", "\\|") + "`"


def report(faults, killed, commit, seconds):
    survivors = [fault for fault in faults if not killed[fault.number]]
    by_bits = [fault for fault in faults if killed[fault.number] and killed[fault.number][0] == LAST]
    lines = ["# Seeded faults", "",
             "Written by `tests/mutations.sh`, not by hand. Each line is one fault put into a copy of the tree, alone. The",
             "last column is the first test that failed, and the check in it. Tests run by area, cheapest first, so",
             "others would have seen it too.", "",
             f"Commit {commit}: {len(faults)} faults, {len(faults) - len(survivors)} killed, "
             f"{len(survivors)} survived; {len(by_bits)} seen by stored bits alone; {seconds / 60:.0f} minutes.", "",
             "| | file | kind | instead of | stands | killed by |", "|---|---|---|---|---|---|"]
    for fault in faults:
        found = killed[fault.number]
        lines.append(f"| {fault.number} | {fault.file} | {fault.kind.replace('-', ' ')} | {cell(fault.old)} | "
                     f"{cell(fault.new)} | {f'{found[0]}: {found[1]}' if found else '**SURVIVED**'} |")
    return "\n".join(lines) + "\n"


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("tree", type=pathlib.Path)
    asked.add_argument("build", type=pathlib.Path, nargs="?")
    asked.add_argument("--only", default="")
    asked.add_argument("--report", type=pathlib.Path)
    asked.add_argument("--commit", default="unknown")
    given = asked.parse_args()
    areas, faults = read_list(given.tree / "tests/mutations/mutations.txt")
    faults = [fault for fault in faults if given.only in f"{fault.number} {fault.area} {fault.kind} {fault.file}"]
    for fault in faults:
        seeded(given.tree, fault)
    if not given.build:
        sys.exit(0 if faults else 2)
    build, killed, started = Build(given.build), {}, time.time()
    check_tests(areas, build, faults)
    for fault in faults:
        began = time.time()
        found = killed[fault.number] = try_fault(given.tree, build, areas, fault)
        verdict = f"{found[0]}: {found[1]}" if found else "SURVIVED"
        print(f"{fault.number:3} {fault.file}: {fault.kind}: {verdict} ({time.time() - began:.0f} s)", flush=True)
    survived = sum(not found for found in killed.values())
    print(f"{len(faults)} faults, {survived} survived, {time.time() - started:.0f} s")
    if given.report:
        given.report.write_text(report(faults, killed, given.commit, time.time() - started))
    sys.exit(1 if survived else 0)


main()
