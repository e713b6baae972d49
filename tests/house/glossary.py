# SPDX-License-Identifier: GPL-3.0-or-later
"""Each row of docs/glossary.md about a list (colliders, kinds of claims, statuses …) names entries that the list has, and
all of them unless "…" follows. Each of these lists has its row."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def entries(name):
    """The entries of a .def file."""
    return re.findall(r"^SB_ENTRY\((\w+)\)", (root / name).read_text(), re.M)


def words(folder, start):
    """The first text of each initialiser [ENTRY] = "text" or [ENTRY] = {"text", …}, after the pattern `start`."""
    found = [match for path in (root / folder).glob("*.c")
             for match in re.finditer(start + r"[^;{]*= (\{.*?\};)", path.read_text(), re.S)]
    return [] if len(found) != 1 else re.findall(r'\[\w+\] = \{?"([^"]+)"', found[0][1])


lists = {
    "accelerator": entries("solvers/minimize/accelerators/accelerators.def"),
    "collider": entries("model/contact/colliders.def"),
    "driver": entries("drivers/drivers.def"),
    "field": entries("model/forces/fields.def"),
    "integrator": entries("solvers/integrate/integrators.def"),
    "kind, of a claim": words("harness/results", r"\bkinds\[\]"),
    "kind, of a figure": entries("harness/report/figures.def"),
    "linear solver, backend": entries("solvers/linear/backends.def"),
    "metric": entries("solvers/minimize/metrics/metrics.def"),
    "minimiser": entries("solvers/minimize/minimizers.def"),
    "scene": entries("model/scene/scenes.def"),
    "status": words("base", r"\bstatus_names\[SB_STATUS_COUNT\]"),
    "verdict": words("harness/results", r"\bwords\[SB_VERDICT_KINDS\]"),
}
page = dict(re.findall(r"^\| (.+?) \| (.*) \|$", (root / "docs/glossary.md").read_text(), re.M))
bad = [f"found no list of '{word}'" for word, names in lists.items() if not names]
for word, names in lists.items():
    shown = page.get(word, "").rpartition(": ")[2]
    named = [name.strip("`") for name in shown.removesuffix(" …").split(", ")]
    bad += [f"docs/glossary.md, '{word}': the list has no '{name}'" for name in named if name not in names]
    bad += [f"docs/glossary.md, '{word}' lacks '{name}'" for name in names if name not in named and not shown.endswith("…")]
for word, meaning in page.items():
    if re.search(r": `[^:]*`( …)?$", meaning) and word not in lists:
        bad.append(f"docs/glossary.md, '{word}' has names of a list that this test lacks")
print("\n".join(bad) if bad else f"{len(lists)} lists")
sys.exit(bool(bad))
