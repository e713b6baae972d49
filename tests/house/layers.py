"""Includes never point upwards: base <- model <- solvers <- harness <- experiments <- springbench, and from room to room
within the harness."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
order = ["base", "model", "solvers/linear", "solvers/minimize", "solvers/integrate", "harness/common",
         "harness/store", "harness/sweep", "harness/results", "harness/run", "harness/report", "harness/commands",
         "experiments", "springbench"]


def layer(path):
    for i, name in enumerate(order):
        if path == name or path.startswith(name + "/"):
            return i
    return None


bad, seen = [], 0
for source in sorted(root.glob("**/*.[ch]")):
    relative = source.relative_to(root).as_posix()
    own = layer(relative)
    if own is None:
        continue
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        seen += 1
        target = layer(match.group(1))
        if target is None:
            bad.append(f"{relative}:{number}: includes are written from the root; got {match.group(1)}")
        elif target > own:
            bad.append(f"{relative}:{number}: {order[own]} may not include {order[target]} ({match.group(1)})")
print("\n".join(bad) if bad else f"{seen} includes, none upwards")
sys.exit(bool(bad) or seen < 100)
