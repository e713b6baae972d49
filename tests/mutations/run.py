# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeds the faults of mutations.txt and harness.txt, one at a time, and says which test sees each.

    run.py TREE BUILD [--only WORD] [--trust] [--report FILE --commit HASH]
    run.py TREE                 whether every fault has its place, which changes nothing

WORD is in the name of the list, the area, kind or file of the faults, or in the last word of their line. --trust: BUILD
is complete, and its tests pass without any fault.

TREE is a copy that may be changed, BUILD its configured build. A fault of mutations.txt is rebuilt with what depends on
it, then the tests of its area run, cheapest first, until one fails; if none does, all other tests of the numerics, of
1, then of 2 ranks, and last the drivers. integrate_known, which compares bits with those of an earlier day, comes after
all that know why: a fault that it alone sees is marked. One with needs:FLAG stands in code for processors that have the
flag (/proc/cpuinfo), and is named and left out on others. A fault of harness.txt is one of a source file without readers:
it is compiled beside the build, and the programs of tests are linked with it. Neither TREE nor BUILD changes. Exit
status 1 when a fault survives, 2 when its text is not in its file exactly once, or does not compile, or a test fails
without any fault."""
import argparse
import collections
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SECONDS_PER_TEST = 60
SECONDS_ASIDE = 300  # scripts that start the program
LAST = "integrate_known"
LISTS = ["mutations", "harness"]
WHOSE = [
    "Whose lists these are: who writes a test also chooses the faults that it must see. The lists show that the tests see",
    "what their authors thought of. Two outsiders, who had read the code and not the tests, seeded further faults where",
    "verdicts are made. 17 of 67 faults of the first survived the tests of their rooms, and 11 of 35 of the second. Tests",
    "that see the survivors were added. `harness.txt` has these faults; those of the second have the word `outsider`.",
]


@functools.cache
def processor():
    """The flags of this processor."""
    lines = [line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")]
    return set(lines[0].split()) if lines else set()


class Fault:
    def __init__(self, number, place, area, kind, file, *more):
        self.number, self.place, self.area, self.kind, self.file = number, place, area, kind, file
        self.old, self.new = [], []
        self.lacks = [word[6:] for word in more if word.startswith("needs:") and word[6:] not in processor()]
        self.words = " ".join([str(number), place, area, kind, file, *more])

    def is_aside(self):
        return self.place.startswith("harness")


def read_list(path, areas, faults):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("= "):
            name, *tests = line[2:].split()
            areas[name] = tests
        elif line.startswith("@ "):
            faults.append(Fault(len(faults) + 1, f"{path.name}:{number}", *line[2:].split()))
        elif line.startswith("- "):
            faults[-1].old.append(line[2:])
        elif line.startswith("+ "):
            faults[-1].new.append(line[2:])
        elif line and not line.startswith("#"):
            sys.exit(f"{path}:{number}: neither '=', '@', '-', '+' nor '#': {line}")


class Build:
    def __init__(self, folder, trusted):
        self.folder, self.trusted, self.sound = folder, trusted, {}
        listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, check=True,
                                           capture_output=True, text=True).stdout)
        programs = set(re.findall(r"^(test_\w+): phony", self.ninja("-t", "targets", "all").stdout, re.M))
        self.target, self.labels, self.tests = {}, {}, {test["name"]: test for test in listed["tests"]}
        for name, test in self.tests.items():
            program = "test_" + re.sub(r"_np\d$", "", name)
            self.target[name] = program if program in programs else "springbench"
            self.labels[name] = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])

    def of(self, labels, parallel):
        return [name for name in self.target
                if set(self.labels[name]) & set(labels) and name.endswith("_np2") == parallel
                and (parallel or "_np" not in name) and name != LAST]

    def fallback(self, fault):
        if fault.is_aside():
            names = self.of(["harness", "report", "run", "store", "compare", "command"], False)
            return sorted((name for name in names if "long" not in self.labels[name]),
                          key=lambda name: self.target[name] == "springbench")
        numerics = ["model", "linear", "minimize", "integrate"]
        return (self.of(numerics, False) + self.of(numerics, True) + self.of(["drivers"], False) +
                [LAST])

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.folder, *words], capture_output=True, text=True)

    def commands(self, target):
        return self.ninja("-t", "commands", target).stdout.splitlines()

    def make(self, name):
        if not self.trusted:
            insist(self.ninja("-j2", self.target[name]))

    def fails(self, name):
        """None when the test passes, else what failed in it."""
        done = subprocess.run(["ctest", "-R", f"^{name}$", "--timeout", str(SECONDS_PER_TEST), "--output-on-failure"],
                              cwd=self.folder, capture_output=True, text=True)
        self.said = done.stdout
        return "out of time" if "***Timeout" in done.stdout else failed_check(done)

    def detects(self, name):
        return self.fails(name)


class Aside:
    """A fault that is compiled beside the build, and the programs of tests that are linked with it."""
    def __init__(self, tree, build, fault, folder):
        self.build, self.folder, self.object = build, folder, folder / "faulty.o"
        source = folder / fault.file.replace("/", "+")
        source.write_text(seeded(tree, fault)[1])
        place = f" -c {(tree / fault.file).resolve()}"
        line = next(line for line in build.commands("springbench/springbench-cases") if line.endswith(place))
        self.run(re.sub(r"ccache | -MD -MT .*$", "", line) + f" -Wno-error -o {self.object} -c {source}")
        self.linker = "-fuse-ld=gold " if shutil.which("ld.gold") else ""

    def run(self, command):
        insist(subprocess.run(command, shell=True, cwd=self.build.folder, capture_output=True, text=True))

    def linked(self, word):
        """The program in the place of one of the build; the full springbench in the place of the light one."""
        path = os.path.relpath(word, self.build.folder)
        if path.startswith("..") or not (os.path.isfile(word) and os.access(word, os.X_OK)):
            return word
        path = path.replace("springbench/springbench", "springbench/springbench-cases")
        ours = self.folder / os.path.basename(word)
        if not ours.exists():
            self.run(self.build.commands(path)[-1].replace(f"-o {path} ", f"{self.linker}-o {ours} {self.object} ", 1))
        return str(ours)

    def make(self, name):
        self.build.make(name)
        self.command = [self.linked(word) for word in self.build.tests[name]["command"]]

    def fails(self, name):
        properties = {p["name"]: p["value"] for p in self.build.tests[name]["properties"]}
        values = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
        values["SB_FIRST_FAILURE"] = "1"
        try:
            done = subprocess.run(self.command, cwd=self.folder, capture_output=True, text=True, errors="replace",
                                  env={**os.environ, **values}, stdin=subprocess.DEVNULL, start_new_session=True,
                                  timeout=SECONDS_ASIDE)
        except subprocess.TimeoutExpired:
            return "out of time"
        return failed_check(done)

    def detects(self, name):
        """A test that fails without the fault, too, does not detect it."""
        check, sound = self.fails(name), self.build.sound
        if check and name not in sound:
            sound[name] = self.build.trusted or self.build.fails(name) is None
        return check if check and sound[name] else None


def insist(done):
    if done.returncode != 0:
        print((done.stdout + done.stderr)[-3000:])
        sys.exit(2)


def failed_check(done):
    if done.returncode in (0, 77):
        return None
    text = done.stdout + done.stderr
    checks = re.findall(r"\[  FAILED  \] (\w+)$", text, re.M) or re.findall(r"^(?:FAIL|ERROR): (\w+)", text, re.M)
    return checks[0] if checks else "crash"


def seeded(tree, fault):
    """The file's text without the fault and with it; exits when the fault has no place."""
    text, old, new = (tree / fault.file).read_text(), "\n".join(fault.old), "\n".join(fault.new)
    if text.count(old) != 1:
        print(f"{fault.place}: the text is {text.count(old)} times in {fault.file}:\n{old}")
        sys.exit(2)
    return text, text.replace(old, new)


def hunt(build, tests):
    """(test, check) of the first that fails, or None; a build that fails ends it all."""
    for name in tests:
        build.make(name)
        check = build.detects(name)
        if check:
            return name, check
    return None


def try_fault(tree, build, areas, fault):
    own = [name for name in areas[fault.area] if name in build.target]
    tests = own + [name for name in build.fallback(fault) if name not in own]
    if fault.is_aside():
        with tempfile.TemporaryDirectory() as folder:
            return hunt(Aside(tree, build, fault, pathlib.Path(folder)), tests)
    text, faulty = seeded(tree, fault)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the tree stays whole
    build.trusted = False  # from here on its programs may have a fault
    (tree / fault.file).write_text(faulty)
    try:
        return hunt(build, tests)
    finally:
        (tree / fault.file).write_text(text)


def check_tests(areas, build, faults):
    named = sorted({name for fault in faults for name in areas[fault.area]})
    unknown = [name for name in named if name not in build.target]
    if unknown:
        sys.exit(f"no such tests: {' '.join(unknown)}")
    found = hunt(build, named)
    if found:
        sys.exit(f"{build.said}\n{found[0]} fails without any fault ({found[1]})")


def report(faults, killed, commit, seconds, left_out):
    """The page: how many faults each room of the tree has, and which tests saw them first."""
    survivors = [fault for fault in faults if not killed[fault.number]]
    by_bits = [fault for fault in faults if killed[fault.number] and killed[fault.number][0] == LAST]
    lines = ["# Seeded faults", "",
             "`tests/mutations.sh` writes this page. It puts each fault into a copy of the tree, alone, and runs tests until one",
             "fails. The faults are in `tests/mutations/mutations.txt` and `harness.txt`. The last column has the tests that",
             "failed first, with the number of faults. Tests run by area, cheapest first, so others would have failed too.", "",
             *WHOSE, "",
             f"Commit {commit}: {len(faults)} faults, {len(faults) - len(survivors)} killed, {len(survivors)} survived;",
             f"{len(by_bits)} seen by stored bits alone; {seconds / 60:.0f} minutes{left_out}.", "",
             "| room | faults | killed | first seen by |", "|---|---:|---:|---|"]
    rooms = {}
    for fault in faults:
        rooms.setdefault("/".join(fault.file.split("/")[:-1][:2]), []).append(killed[fault.number])
    for room, found in sorted(rooms.items()):
        tests = collections.Counter(one[0] for one in found if one).most_common()
        lines.append(f"| {room} | {len(found)} | {sum(map(bool, found))} | {', '.join(f'{name} {n}' for name, n in tests)} |")
    lines += ["", *(f"- survived: {fault.file}, {fault.kind}, `tests/mutations/{fault.place}`" for fault in survivors)]
    return "\n".join(lines).rstrip() + "\n"


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("tree", type=pathlib.Path)
    asked.add_argument("build", type=pathlib.Path, nargs="?")
    asked.add_argument("--only", default="")
    asked.add_argument("--trust", action="store_true")
    asked.add_argument("--report", type=pathlib.Path)
    asked.add_argument("--commit", default="unknown")
    given = asked.parse_args()
    areas, faults = {}, []
    for name in LISTS:
        read_list(given.tree / f"tests/mutations/{name}.txt", areas, faults)
    faults = [fault for fault in faults if given.only in fault.words]
    for fault in faults:
        seeded(given.tree, fault)
    if not given.build:
        sys.exit(0 if faults else 2)
    build, killed, started = Build(given.build, given.trust), {}, time.time()
    if not given.trust:
        check_tests(areas, build, faults)
    for fault in [fault for fault in faults if fault.lacks]:
        print(f"{fault.number:3} {fault.file}: {fault.kind}: not run: the processor has no {fault.lacks[0]}", flush=True)
    skipped, faults = sum(bool(fault.lacks) for fault in faults), [fault for fault in faults if not fault.lacks]
    for fault in faults:
        began = time.time()
        found = killed[fault.number] = try_fault(given.tree, build, areas, fault)
        verdict = f"{found[0]}: {found[1]}" if found else "SURVIVED"
        print(f"{fault.number:3} {fault.file}: {fault.kind}: {verdict} ({time.time() - began:.0f} s)", flush=True)
    survived = sum(not found for found in killed.values())
    left_out = f", {skipped} more for other processors" if skipped else ""
    print(f"{len(faults)} faults, {survived} survived, {time.time() - started:.0f} s{left_out}")
    if given.report:
        given.report.write_text(report(faults, killed, given.commit, time.time() - started, left_out))
    sys.exit(1 if survived else 0)


main()
