# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages agree with the lists that they count: sweeps, findings, contradicted findings, minimisers, problems. A topic has
one number, and no page calls something missing that exists."""
import csv
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
words = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
pages = {path: path.read_text() for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]}
sweeps = {path.stem: path.read_text() for path in sorted((root / "experiments").glob("*/*.yaml"))}
lines = (root / "results/published/findings.csv").read_text().splitlines()
findings = list(csv.DictReader(line for line in lines if line and not line.startswith("#")))
bad = []

contradicted = set()
for name, text in sweeps.items():
    for claim in re.split(r"^  - (?=claim:|\{claim:)", text, flags=re.M)[1:]:
        finding = re.search(r"\bfinding:\s*([\w.-]+)", claim)
        if re.search(r"\bcontradicted:", claim):
            if finding:
                contradicted.add(finding[1])
            else:
                bad.append(f"experiments/{name}.yaml: a contradicted claim names no finding: {claim[:80]}")
listed = set(re.findall(r"^\| ([a-z0-9-]+) \|", pages[root / "docs/findings.md"], re.M)) - {"finding"}
bad += [f"docs/findings.md lacks {name}, which a claim calls contradicted" for name in sorted(contradicted - listed)]
bad += [f"docs/findings.md has {name}, which no claim calls contradicted" for name in sorted(listed - contradicted)]

topics = {}
for name, text in sweeps.items():
    number, _, topic = re.search(r"^topic: (.*)$", text, re.M)[1].partition(" ")
    topics.setdefault(number, set()).add(topic)
bad += [f"topic {number} has several names: {', '.join(sorted(names))}"
        for number, names in topics.items() if len(names) > 1]
bad += [f"topic '{topic}' has several numbers" for topic in {topic for names in topics.values() for topic in names}
        if sum(topic in names for names in topics.values()) > 1]

# The sweep `minimizers` runs every minimiser but PETSc's, whose work is not counted.
listed_minimizers = set(re.findall(r"^SB_ENTRY\((\w+)", (root / "solvers/minimize/minimizers.def").read_text(), re.M))
run_minimizers = set(re.findall(r"minimizer: (\w+)", sweeps["minimizers"]))
bad += [f"the sweep minimizers lacks {name}" for name in listed_minimizers - run_minimizers - {"petsc_nonlinear"}]
minimizers = len(run_minimizers)
problems = 3 * len(re.findall(r"^SB_PROBLEMS\(", (root / "drivers/problems.def").read_text(), re.M))
counts = [(r"sweeps,\s+each", len(sweeps)), (r"published\s+findings", len(findings)),
          (r"findings\s+are\s+contradicted", len(contradicted)), (r"minimisers(?=\"|\s+on\s+\d+\s+motions|,\s+with\s+their\s+variants)", minimizers),
          (r"problems(?<=[^e] [6-9]\d problems)", problems)]  # not "the 67 problems where …"
seen = dict.fromkeys((noun for noun, _ in counts), 0)
for path, text in pages.items():
    for noun, count in counts:
        for number in re.findall(rf"\b(\d+|{'|'.join(words)})\s+{noun}", text, re.I):
            seen[noun] += 1
            said = int(number) if number.isdigit() else words.index(number.lower())
            if said != count:
                bad.append(f"{path.relative_to(root)}: '{number} {noun}', but there are {count}")
    for phrase in re.findall(r"for want of the method|[Nn]ot (?:yet )?in this version", text):
        bad.append(f"{path.relative_to(root)}: '{phrase}': say what is missing, or nothing")
bad += [f"no page says how many '{noun}'" for noun, times in seen.items() if times == 0]
print("\n".join(bad) if bad else f"{len(pages)} pages, {sum(seen.values())} counts, {len(contradicted)} contradicted")
sys.exit(bool(bad))
