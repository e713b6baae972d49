# SPDX-License-Identifier: GPL-3.0-or-later
"""Every message code, exit status and status of a case that the program has is produced by some test.

The sources say what there is: codes in string literals, the enumerations SB_EXIT_* and sb_status. A test produces a
code when the literal stands in an expectation: a `>>` line of tests/input/*.rows, or a string of a C or Python test; an
exit status when a test of the program asks for it; a status when a test asks for its name. Comments do not count."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sources = [path for folder in ("base", "model", "solvers", "cases", "drivers", "library", "harness") for path in (root / folder).rglob("*.c")]


def without_comments(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in (".c", ".h"):
        return re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    if path.suffix == ".py":
        return re.sub(r'^\s*("""|\'\'\').*?\1', "", re.sub(r"(?m)^\s*#.*$", "", text), flags=re.S | re.M)
    return "\n".join(line for line in text.splitlines() if line.startswith(">>") or line.startswith("%exit"))


tests = {path: without_comments(path) for suffix in ("c", "py", "rows") for path in (root / "tests").rglob("*." + suffix)
         if "house" not in path.parts}
codes = {code for path in sources for code in re.findall(r'"[^"\n]*?\b([EW]\d{3})\b[^"\n]*"', without_comments(path))}
produced = {code: sorted(path.name for path, text in tests.items() if re.search(rf"\b{code}\b", text)) for code in codes}
bad = [f"no test produces {code}" for code in sorted(codes) if not produced[code]]

exits = dict(re.findall(r"(SB_EXIT_\w+) = (\d+)", (root / "cases/common/exit_status.h").read_text(encoding="utf-8")))
for name, number in exits.items():
    asked = re.compile(rf"\b{name}\b|\bstatus={number}\b|(?:returncode|wait\([^)]*\)) == {number}\b|%exit {number}\b"
                       + (r"|>> accepted" if number == "0" else ""))
    if not any(asked.search(text) for path, text in tests.items() if path.suffix != ".h"):
        bad.append(f"no test asks for exit status {number} ({name})")

names = re.findall(r'\[SB_(?:CASE_)?\w+\] = "(\w+)"', (root / "base/outcome.c").read_text(encoding="utf-8").split("status_names")[1])
for name in names:
    asked = re.compile(rf'"status"\] == "{name}"|\("{name}", "|"{name}"')
    if not any(asked.search(text) for path, text in tests.items() if path.parts[-2] in ("input", "run", "command")):
        bad.append(f"no test asks for the case status {name}")

print("\n".join(bad) if bad else f"{len(codes)} message codes, {len(exits)} exit statuses and {len(names)} statuses of "
                                  "cases are produced by tests")
sys.exit(bool(bad))
