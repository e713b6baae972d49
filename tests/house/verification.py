# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/robustness/verification.md names every check V1 … V49, and every test and function it names exists: "`test`" and
"`test: function`" of tests known to ctest. Given the tree and the build."""
import json
import pathlib
import re
import subprocess
import sys

root, build = pathlib.Path(sys.argv[1]), sys.argv[2]
page = (root / "docs/robustness/verification.md").read_text()
listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True,
                                   text=True).stdout)
tests = {test["name"] for test in listed["tests"]}


def has(test, function):
    """The test area_topic is tests/area/topic.c."""
    area, topic = test.split("_", 1)
    source = root / "tests" / area / f"{topic}.c"
    tests = rf"(?:TEST_MAIN|RUN_\w+|cmocka_unit_test)\([^)]*\b{function}\b"
    return source.exists() and re.search(tests, source.read_text()) is not None


bad = [f"V{number} has no line" for number in range(1, 50)
       if not re.search(rf"^\| V{number} \| `\w+: \w+`", page, re.M)]
named = re.findall(r"`(\w+): (\w+)`", page)
bad += [f"there is no test {name}" for name, _ in named if name not in tests]
bad += [f"{name} has no function {function}" for name, function in named if not has(name, function)]
alone = re.findall(r"`(honesty|fast_math|finite_[\w-]+)`", page)
bad += [f"there is no test {name}" for name in alone if name not in tests]
print("\n".join(bad) if bad else f"{len(named)} checks in {len({name for name, _ in named})} tests")
sys.exit(bool(bad) or not alone)
