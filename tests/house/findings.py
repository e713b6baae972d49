# SPDX-License-Identifier: GPL-3.0-or-later
"""Every folder of experiments/ has the sweeps of one topic. Published findings and claims name each other: every claim's finding is in results/published/findings.csv; every
finding there has a claim, or says why it cannot (`not_comparable`), or needs a method that is in no list; every page of
docs/findings is in its README, and every link there leads somewhere. Each page opens with a summary of at most six lines
and a picture. A link to the bibliography names an entry of it."""
import csv
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
# Their sweep takes half an hour, and a part of it shows little.
WITHOUT_PICTURE = {"minimizers_tuning.md"}
lists = {"minimizer": "minimize/minimizers.def", "integrator": "integrate/integrators.def",
         "linear": "linear/backends.def"}


def lacks(needs):
    """The first option=name that no list has."""
    for need in needs.split():
        option, _, name = need.partition("=")
        if option not in lists or f"SB_ENTRY({name})" not in (root / "solvers" / lists[option]).read_text():
            return need
    return ""


bad, claimed, topics, folder = [], {}, set(), root / "docs/findings"
for path in sorted((root / "experiments").glob("*/*.yaml")):
    topics.add((path.parent.name, re.search(r"^topic: (.*)", path.read_text(), re.M).group(1)))
    for name in re.findall(r"\bfinding:\s*([\w.-]+)", path.read_text()):
        claimed.setdefault(name, path.name)
if not len(topics) == len({folder for folder, _ in topics}) == len({topic for _, topic in topics}):
    bad.append(f"folders of experiments/ and topics of sweeps are not one to one: {sorted(topics)}")
lines = (root / "results/published/findings.csv").read_text().splitlines()
findings = list(csv.DictReader(line for line in lines if line and not line.startswith("#")))
ids = [row["id"] for row in findings]
bad += [f"findings.csv names {name} twice" for name in sorted({i for i in ids if ids.count(i) > 1})]
bad += [f"experiments/{path} claims '{name}', which findings.csv does not have"
        for name, path in claimed.items() if name not in ids]
for row in findings:
    if row["kind"] not in ("exact", "shape", "time") or None in row:
        bad.append(f"findings.csv: {row['id']} is of kind '{row['kind']}', or has more cells than the header; a cell with a "
                   "comma needs quotes")
    needs, reason = row["needs"] or "", row["not_comparable"] or ""
    bad += [f"findings.csv: {row['id']} needs '{need}', which is no minimizer=, integrator= or linear="
            for need in needs.split() if need.partition("=")[0] not in lists]
    if row["id"] not in claimed and not reason and not lacks(needs):
        bad.append(f"findings.csv: no sweep's claim names {row['id']}")
    page = folder / (row["page"] or "README.md")
    named = page.exists() and re.search(rf"(?<![\w-]){re.escape(row['id'])}(?![\w-])", page.read_text())
    if row["id"] in claimed and (not row["page"] or not named):
        bad.append(f"findings.csv: {row['id']} has no page of docs/findings that names it, or '{row['page']}' does not")
links = re.findall(r"\]\(([^)#]+)\)", (folder / "README.md").read_text())
bad += [f"docs/findings/README.md lacks {path.name}" for path in sorted(folder.glob("*.md"))
        if path.name not in ("README.md", *links)]
bad += [f"docs/findings/README.md links {name}, which is not there" for name in links if not (folder / name).exists()]
for path in sorted(folder.glob("*.md")):
    opening = path.read_text().split("\n## ")[0].split("\n\n")
    if path.name in ("README.md", *WITHOUT_PICTURE):
        continue
    if len(opening[1].splitlines()) > 6 or not opening[2].startswith('<p align="center"><img '):
        bad.append(f"docs/findings/{path.name} does not open with a summary of at most six lines and a picture")
entries = re.findall(r"^### (\w+)$", (root / "docs/bibliography.md").read_text(), re.M)
for path in sorted((root / "docs").rglob("*.md")):
    bad += [f"{path.relative_to(root)} links bibliography.md#{name}, which has no such entry"
            for name in re.findall(r"bibliography\.md#(\w+)", path.read_text()) if name not in entries]
    if re.search(r"[Uu]ntil\s+20\d\d-", path.read_text()):
        bad.append(f"{path.relative_to(root)} tells what it said before: that belongs into CHANGELOG.md")
print("\n".join(bad) if bad else f"{len(ids)} findings, {len(claimed)} of them claimed")
sys.exit(bool(bad))
