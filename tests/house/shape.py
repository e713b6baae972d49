# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of files and functions: files of at most 1000 lines, functions of at most 70 (median 18, 95 % of them 55),
lines of at most 120 characters; no tabs, no dates, no leftover marks. And the English (prose.py): the contracts in
headers, other comments, the texts for users and the pages have no fault, and comments of tests open with no relative
clause. Lines in code blocks of pages may be wide: they quote the program."""
import collections
import pathlib
import re
import sys

import prose

root = pathlib.Path(sys.argv[1])
folders = ["base", "model", "solvers", "cases", "drivers", "library", "harness", "springbench"]
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
            if not lines[1].startswith("/*"):
                bad.append(f"{name}:2: opens without saying what it answers")
        # headers for others' programs have the guard of standard C
        if source.suffix == ".h" and not {"#pragma once", f"#define {source.stem.upper()}_H"} & set(lines):
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


def judge_english():
    """Faults by kind: of every comment and text for users, and of the pages that are written by hand."""
    found = collections.defaultdict(list)
    for path in sorted(path for folder in folders for path in (root / folder).glob("**/*.*")):
        if path.suffix in (".c", ".h", ".def"):
            text = path.read_text()
            kind = "comments of .c" if path.suffix == ".c" else "contracts"
            for kind, parts in ((kind, prose.comments(text)), ("texts for users", prose.strings(text))):
                for number, part in parts:
                    for fault, sentence in prose.faults(part):
                        found[kind, fault].append(f"{path.relative_to(root)}:{number}: {fault}: {sentence[:100]}")
    for path in sorted(path for path in (root / "tests").glob("**/*.*") if path.suffix in (".c", ".h", ".py")):
        for number, part in (prose.python_comments if path.suffix == ".py" else prose.comments)(path.read_text()):
            for fault, sentence in prose.faults(part):
                if fault == "clause":
                    found["comments of tests", fault].append(f"{path.relative_to(root)}:{number}: {fault}: {sentence[:100]}")
    for path in sorted([root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").glob("**/*.md")]):
        kind, text = "README" if path == root / "README.md" else "pages", path.read_text()
        if "reference" in path.parts:
            continue
        for number, part in prose.paragraphs(text):
            for fault, sentence in prose.faults(part):
                found[kind, fault].append(f"{path.relative_to(root)}:{number}: {fault}: {sentence[:100]}")
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.lstrip().startswith("```")
            if len(line) > 120 and not fenced and not line.startswith(("|", "<p ")):
                found[kind, "wide"].append(f"{path.relative_to(root)}:{number}: wide: {len(line)} characters (at most 120)")
    bad.extend(sum(found.values(), []))


def judge_merges():
    for path in sorted(path for part in ("*.md", "docs/**/*.md", "experiments/**/*.yaml", "tests/**/*.py", "*/CMakeLists.txt")
                       for path in root.glob(part)):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith(("<<<<<<< ", ">>>>>>> ")):
                bad.append(f"{path.relative_to(root)}:{number}: mark of a merge: {line}")


judge_english()
judge_merges()
functions.sort()
files.sort()
median, high = functions[len(functions) // 2], functions[int(0.95 * len(functions))]
if median > 18:
    bad.append(f"median function has {median} lines (at most 18)")
if high > 55:
    bad.append(f"95 % of functions have up to {high} lines (at most 55)")
print("\n".join(bad) if bad else
      f"{len(files)} files, {len(functions)} functions: median {median}, 95 % {high} lines")
sys.exit(bool(bad))
