# SPDX-License-Identifier: GPL-3.0-or-later
"""Includes never point upwards: base <- model <- solvers <- cases <- drivers, harness <- springbench, library above drivers, live above all;
nor from room to room within a layer. Drivers and harness include nothing of each other. Rooms that need no PETSc do not
include it. Two public types never share a name. Within a room no circle of calls leads from a source back to itself.
Only harness/report/figures names a kind of figure."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
order = ["base", *(f"model/{room}" for room in ("maths", "mesh", "forces", "particles", "contact", "scene", "system")),
         *(f"solvers/{room}" for room in ("device", "linear", "minimize", "bounded", "integrate", "conform")),
         *(f"cases/{room}" for room in ("common", "store", "describe", "run")), "drivers", "library",
         *(f"harness/{room}" for room in ("sweep", "results", "run", "report", "commands")), "springbench", "live"]
plain = [room for room in order if room.split("/")[0] in ("base", "model", "harness") and room != "model/system"] + ["cases/common", "solvers/device"]
petsc = ["base/traffic.h", "model/particles/pressure.h"]  # of plain rooms


def layer(path):
    for i, name in enumerate(order):
        if path == name or path.startswith(name + "/"):
            return i
    return None


bad, seen, texts, defined_in, types = [], 0, {}, {}, {}
for source in sorted(root.glob("**/*.[ch]")):
    relative = source.relative_to(root).as_posix()
    own = layer(relative)
    if own is None:
        continue
    if source.suffix == ".h":
        for name in re.findall(r"^\} (sb_\w+);|^typedef [^{}]*?\b(sb_\w+);", source.read_text(), re.M):
            types.setdefault("".join(name), []).append(relative)
    if source.suffix == ".c":
        text = re.sub(r"/\*.*?\*/", "", source.read_text(), flags=re.S)
        texts[relative] = text
        for definition in re.finditer(r"^(?!static\b|extern\b|typedef\b)[A-Za-z_][^;={}()]*?\b(sb_\w+)\([^;{}]*\)\s*\{", text, re.M):
            defined_in[definition.group(1)] = relative
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if order[own] in plain and relative not in petsc and re.match(r"\s*#\s*include\s+<(petsc|slepc|mpi)", line):
            bad.append(f"{relative}:{number}: {order[own]} needs neither PETSc nor MPI")
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        seen += 1
        target = layer(match.group(1))
        if target is None:
            bad.append(f"{relative}:{number}: includes are written from the root; got {match.group(1)}")
        elif target > own or (order[target] in ("drivers", "library") and order[own].startswith("harness")):
            bad.append(f"{relative}:{number}: {order[own]} may not include {order[target]} ({match.group(1)})")
bad += [f"{name} is a type in {' and in '.join(where)}" for name, where in sorted(types.items()) if len(set(where)) > 1]
kinds = "|".join(re.findall(r"^SB_ENTRY\((\w+)\)", (root / "harness/report/figures.def").read_text(), re.M))
bad += [f"{path.relative_to(root)} names a kind of figure; give a member of its table in its place"
        for path in sorted((root / "harness").glob("**/*.[ch]")) if path.parent.name != "figures" and
        re.search(rf'\bsb_figure_(?:{kinds})\b|\bstrn?cmp\([^()]*kind, "(?:{kinds})"', path.read_text())]
calls = {name: {defined_in[word] for word in re.findall(r"\bsb_\w+", text) if word in defined_in} - {name}
         for name, text in texts.items()}


def way(start, end, passed):
    """The sources from one to another along calls within a room, or nothing."""
    for other in sorted(calls[start]):
        if layer(other) != layer(end):
            continue
        if other == end:
            return [start, end]
        if other not in passed:
            passed.add(other)
            rest = way(other, end, passed)
            if rest:
                return [start] + rest
    return []


told = set()
for name in sorted(calls):
    circle = way(name, name, set())
    if circle and not told & set(circle):
        told |= set(circle)
        bad.append("calls go round in a circle: " + " -> ".join(circle))
if __name__ == "__main__":
    print("\n".join(bad) if bad else f"{seen} includes, none upwards; {len(defined_in)} functions in {len(calls)} sources, no circle")
    sys.exit(bool(bad) or seen < 100 or len(defined_in) < 100)
