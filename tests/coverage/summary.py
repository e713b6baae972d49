# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of springbench's own code the tests have executed, read from a build of the preset `coverage`: a line for
every folder, the files below 95 % of lines, and what is missing in the files that parse, store, handle signals or map
statuses. Status 1 below 95 % of lines, 85 % of branches, or 100 % of the lines of those files.

Counted are the lines and branches of base, model, solvers, cases, drivers, harness and springbench that gcc -O0 knows,
as executed when they were in any object or process. These are not counted: branches of statements made by a PETSc macro
with its own error check (PETSC below) and of assert; lines marked `cannot happen: REASON`, which are listed.

usage: summary.py TREE BUILD [--markdown FILE --commit HASH]
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import pathlib
import re
import subprocess
import sys

FOLDERS = ("base", "model", "solvers", "cases", "drivers", "harness", "springbench")
LEAST_LINES, LEAST_BRANCHES = 95.0, 85.0
PETSC = re.compile(r"\b(?:PetscCall\w*|PetscCheck|PetscFunctionBegin\w*|PetscFunctionReturn|assert)\s*\(")
CANNOT = re.compile(r"cannot happen: \S")
# Parsing, storing, signals, mapping of statuses: all lines.
WHOLE = [re.compile(text) for text in (
    r"base/(options|options_read|number|number_table|composite|input_file|outcome)\.c",
    r"model/(mesh_\w+|formula|meshes/\w+)\.c", r"solvers/linear/(petsc_text|ksp_outcome)\.c",
    r"harness/sweep/(sweep\w*|expression(_planned)?|plan_(store|check|expand))\.c",
    r"harness/common/(csv|json_text|durable)\.c",
    r"harness/store/(journal|lock|case_(file|writer)|hdf5_tools|restart|recorder)\.c",
    r"harness/run/(runner|signals|child|case)\.c")]


class File:
    def __init__(self):
        self.lines, self.branches = collections.Counter(), {}

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        counts = [branch["count"] for branch in line["branches"]]
        known = self.branches.get(number, [])
        if len(known) < len(counts):  # the object that knows most of them
            self.branches[number] = counts
        elif len(known) == len(counts):
            self.branches[number] = [a + b for a, b in zip(known, counts)]


def gcov(note):
    said = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", str(note)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/").stdout
    if said[:2] == b"\x1f\x8b":
        said = gzip.decompress(said)
    return [json.loads(line) for line in said.splitlines() if line.strip()]


def read_all(tree, build):
    files = collections.defaultdict(File)
    notes = sorted(build.glob("**/*.gcno"))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for answers in pool.map(gcov, notes):
            for answer in answers:
                for entry in answer["files"]:
                    path = pathlib.Path(answer["current_working_directory"], entry["file"])
                    name = str(path).removeprefix(f"{tree}/")
                    if name.split("/")[0] in FOLDERS:
                        for line in entry["lines"]:
                            files[name].add(line)
    return files


def lines_of_checks(text):
    """The lines of the statements of which only PETSc's own error branch is in question."""
    found = set()
    for match in PETSC.finditer(text):
        depth, at = 0, match.end() - 1
        for at in range(match.end() - 1, len(text)):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if depth == 0:
                break
        first = text.count("\n", 0, match.start()) + 1
        found.update(range(first, first + text.count("\n", match.start(), at) + 1))
    return found


class Figures:
    def __init__(self, name, file, text):
        self.name = name
        marked = {number for number, line in enumerate(text.splitlines(), 1) if CANNOT.search(line)}
        self.marked = sorted(marked & set(file.lines))
        self.missing = sorted(n for n, count in file.lines.items() if count == 0 and n not in marked)
        self.lines = len(set(file.lines) - marked)
        left_out = lines_of_checks(text) | marked
        taken = [count > 0 for number, counts in file.branches.items() if number not in left_out for count in counts]
        self.branches, self.taken = len(taken), sum(taken)
        self.executed = self.lines - len(self.missing)
        self.whole = any(pattern.fullmatch(name) for pattern in WHOLE)


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def row(name, figures):
    lines, executed = sum(f.lines for f in figures), sum(f.executed for f in figures)
    branches, taken = sum(f.branches for f in figures), sum(f.taken for f in figures)
    return (f"| {name} | {len(figures)} | {lines} | {percent(executed, lines):.1f} | {branches} | "
            f"{percent(taken, branches):.1f} |"), percent(executed, lines), percent(taken, branches)


def ranges(numbers):
    parts = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def folder_of(name):
    parts = name.split("/")
    return "/".join(parts[:-1])


def report(figures):
    groups = collections.defaultdict(list)
    for f in figures:
        groups[folder_of(f.name)].append(f)
    out = ["| folder | files | lines | % | branches | % |", "|:---|---:|---:|---:|---:|---:|"]
    out += [row(name, group)[0] for name, group in sorted(groups.items())]
    whole = [f for f in figures if f.whole]
    out.append(row("parsing, storing, signals, statuses", whole)[0])
    line, lines, branches = row("**all**", figures)
    out += [line, "", "Files below 95 % of lines:", ""]
    out += [f"- {f.name}: {percent(f.executed, f.lines):.1f} %: {ranges(f.missing)}" for f in figures
            if percent(f.executed, f.lines) < LEAST_LINES]
    out += ["", "Lines not executed of parsing, storing, signals, statuses:", ""]
    missing = [f for f in whole if f.missing]
    out += [f"- {f.name}: {ranges(f.missing)}" for f in missing] or ["none"]
    out += ["", "Lines marked as such that cannot happen:", ""]
    out += [f"- {f.name}: {ranges(f.marked)}" for f in figures if f.marked] or ["none"]
    return out, lines >= LEAST_LINES and branches >= LEAST_BRANCHES and not missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, help="where the sources are, if the tree has changed since")
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--commit", default="")
    given = parser.parse_args()
    tree, build = given.tree.resolve(), given.build.resolve()
    source = given.source or tree
    figures = [Figures(name, file, (source / name).read_text())
               for name, file in sorted(read_all(tree, build).items()) if (source / name).exists()]
    out, good = report(figures)
    print("\n".join(out))
    if given.markdown:
        head = given.markdown.read_text().split("<!-- figures -->")[0]
        given.markdown.write_text(head + f"<!-- figures -->\nMeasured at {given.commit}:\n\n" + "\n".join(out) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
