"""The size of files and functions: files of at most 1000 lines, functions of at most 70 (median 18, 95 % of them 55),
lines of at most 120 characters; no tabs, no dates, no leftover marks."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
folders = ["base", "model", "solvers", "cases", "drivers", "harness", "springbench"]
bad, functions, files = [], [], []


def lengths_of_functions(lines):
    """Bodies start with a line that is just '{' and end with a line that is just '}' (Linux braces)."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield start, number - start + 2
            start = None


for folder in folders:
    for source in sorted((root / folder).glob("**/*.[ch]")):
        name = source.relative_to(root).as_posix()
        lines = source.read_text().splitlines()
        files.append(len(lines))
        if len(lines) > 1000:
            bad.append(f"{name}: {len(lines)} lines (at most 1000)")
        if source.suffix == ".c" or source.suffix == ".h":
            if not lines[0].startswith("/*"):
                bad.append(f"{name}:1: opens without saying what it answers")
        if source.suffix == ".h" and "#pragma once" not in lines:
            bad.append(f"{name}: no #pragma once")
        for number, line in enumerate(lines, 1):
            if len(line) > 120:
                bad.append(f"{name}:{number}: {len(line)} characters (at most 120)")
            if "\t" in line or re.search(r"\b(TODO|FIXME|XXX)\b", line):
                bad.append(f"{name}:{number}: tab or leftover mark")
        for start, length in lengths_of_functions(lines):
            functions.append(length)
            if length > 70:
                bad.append(f"{name}:{start}: function of {length} lines (at most 70)")

functions.sort()
files.sort()
median, high = functions[len(functions) // 2], functions[int(0.95 * len(functions))]
if median > 18:
    bad.append(f"median function has {median} lines (at most 18)")
if high > 55:
    bad.append(f"95 % of functions have up to {high} lines (at most 55)")
print("\n".join(bad) if bad else f"{len(files)} files, {len(functions)} functions: median {median}, 95 % {high} lines")
sys.exit(bool(bad))
