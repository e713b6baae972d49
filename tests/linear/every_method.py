# SPDX-License-Identifier: GPL-3.0-or-later
"""Krylov methods and preconditioners of PETSc at their defaults, under both minimisers: what is sensible for a symmetric
positive definite system ends ok; what is not says why, and nothing ends without a reason. With --all every method with
every preconditioner on one, two and four ranks, and tables of how each ended."""
import collections
import csv
import json
import os
import pathlib
import re
import string
import subprocess
import sys
import tempfile

program, everything = os.path.abspath(sys.argv[1]), "--all" in sys.argv

SYMMETRIC = "cg fcg pipecg pipecg2 pipefcg pipeprcg groppcg minres symmlq cr pipecr nash stcg gltr".split()
GENERAL = "gmres fgmres lgmres dgmres gcr bcgs bcgsl ibcgs fbcgs qmrcgs cgs tfqmr tcqmr lcd".split()
ODD = "cgne bicg lsqr richardson chebyshev qcg tsirm pipecgrr pipelcg".split()  # slow, or in need of a transpose
EXACT = "lu cholesky redundant".split()
GOOD = "jacobi pbjacobi sor icc bjacobi asm gamg hypre ml".split()
POOR = "none ilu gasm ksp kaczmarz mg".split()
SERIAL = "icc ilu lu cholesky".split()  # refused on several ranks
# Known to die inside the library, or to need what this one's answer is not (bcgsl and pipecg2 go on past an exact one):
# neither is sensible.
POOR_PAIRS = ({("lcd", pc) for pc in GOOD} | {("qmrcgs", pc) for pc in GOOD} | {("bcgsl", pc) for pc in EXACT + ["sor"]}
              | {("pipecg2", pc) for pc in EXACT} | {("symmlq", "ml"), ("ibcgs", "ml")})


def pairs(ranks):
    if not everything and ranks > 1:  # so that additive Schwarz has several blocks
        return [(k, "asm") for k in "cg pipecg2 pipecr minres gmres".split()]
    if everything:
        return [(k, p) for k in SYMMETRIC + GENERAL + ODD + ["preonly"] for p in EXACT + GOOD + POOR]
    chosen = [(k, "jacobi") for k in SYMMETRIC + GENERAL if k not in ("lcd", "qmrcgs")]
    return chosen + [(k, p) for p in GOOD[1:] for k in ("cg", "gmres")] + [("preonly", p) for p in EXACT]


def presets():
    listed = subprocess.run([program, "list", "linear", "--json"], capture_output=True, text=True, check=True)
    return [preset["name"] for backend in json.loads(listed.stdout)["linear"] for preset in backend["presets"]]


def is_sensible(ksp, pc):
    if ksp == "preset":
        return True
    if ksp == "preonly":
        return pc in EXACT
    return ksp in SYMMETRIC + GENERAL and pc in EXACT + GOOD and (ksp, pc) not in POOR_PAIRS


def is_lacking(pc, row):
    """Debian 13 builds PETSc without Trilinos's ml, and PETSc says so."""
    return pc == "ml" and row["reason"].endswith("Unable to find requested PC type ml")


def sweep(ranks):
    lines = ["springbench: 1", "name: every_method", "question: Which methods of PETSc work as they stand?",
             "limits: {time: 3m}", "defaults: {scene: square, grid: 8, integrator: implicit_euler, h: 1/30, "
             f"duration: 1/15, hessian: projected, linear: petsc, linear_tolerance: 1e-8, linear_max_iterations: 3000, "
             f"gradient_tolerance: 0, ranks: {ranks}}}", "methods:"]
    names = {}
    for minimizer, iterations in (("newton", 3), ("local_global", 5)):
        texts = {(ksp, pc): f"-ksp_type {ksp} -pc_type {pc}" for ksp, pc in pairs(ranks) if ranks == 1 or pc not in SERIAL}
        for (ksp, pc), text in (texts | {("preset", name): f"{name} -ksp_atol 1e-99" for name in presets()}).items():
            name = f"{minimizer}_{ksp}_{pc}"
            names[name] = (minimizer, ksp, pc)
            lines.append(f"  {name}: {{minimizer: {minimizer}, max_iterations: {iterations}, petsc: \"{text}\"}}")
    lines.append(f"sweep: [grid: {{method: [{', '.join(names)}]}}]")
    return "\n".join(lines), names


def run(ranks):
    text, names = sweep(ranks)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "every_method.yaml").write_text(text)
        done = subprocess.run([program, "run", "every_method.yaml", "-o", "results", "--progress", "none"], cwd=folder,
                              capture_output=True, text=True)
        path = pathlib.Path(folder) / "results" / "results.csv"
        assert path.exists(), done.stderr
        rows = {names[row["method"]]: row for row in csv.DictReader(path.open())}
        assert len(rows) == len(names), sorted(set(names.values()) - set(rows))
        return rows


def print_tables(ends):
    """A row for each (ranks, minimiser, method, preconditioner); letters stand for ends other than ok, and their
    reasons."""
    def end_of(row):
        return row["status"], re.sub(r"^step \d+ \(.*?\): |[\d.]+e[+-]?\d+", "", row["reason"])
    why = collections.Counter(end_of(row) for row in ends.values() if row["status"] != "ok")
    names = dict(zip((end for end, _ in why.most_common()), list(string.ascii_lowercase) + list(string.ascii_uppercase)
                     + [f"z{i}" for i in range(1000)]))

    def cell(row):
        return "." if row is None else "ok" if row["status"] == "ok" else names[end_of(row)]
    for ranks, minimizer in sorted({key[:2] for key in ends}):
        print(f"\n## {minimizer}, {ranks} rank{'s' if ranks > 1 else ''}\n\n| | {' | '.join(EXACT + GOOD + POOR)} |")
        print("|---" * (1 + len(EXACT + GOOD + POOR)) + "|")
        for ksp in SYMMETRIC + GENERAL + ODD + ["preonly"]:
            print(f"| {ksp} | {' | '.join(cell(ends.get((ranks, minimizer, ksp, pc))) for pc in EXACT + GOOD + POOR)} |")
    print("\n'.': refused, the preconditioner runs on one rank only\n\n| | cases | ends | because |\n|---|---|---|---|")
    for (status, text), count in why.most_common():
        print(f"| {names[status, text]} | {count} | {status} | {text} |")


bad, ends = [], {}
for ranks in (1, 2, 4) if everything else (1, 2):
    rows = run(ranks)
    ends.update({(ranks, *method): row for method, row in rows.items()})
    for (minimizer, ksp, pc), row in rows.items():
        if row["status"] != "ok" and not row["reason"]:
            bad.append(f"{minimizer} {ksp} {pc} on {ranks}: {row['status']} without a reason")
        if is_sensible(ksp, pc) and row["status"] != "ok" and not is_lacking(pc, row):
            bad.append(f"{minimizer} {ksp} {pc} on {ranks}: {row['status']}, {row['reason']}")
    print(ranks, "ranks:", dict(collections.Counter(row["status"] for row in rows.values())), flush=True)
if everything:
    print_tables(ends)
print("\n".join(bad))
sys.exit(bool(bad))
