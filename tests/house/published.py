# SPDX-License-Identifier: GPL-3.0-or-later
"""Each published table (results/published/*.csv) is of one kind: every line has the cells of the header, no two lines
are alike but for their last numbers, and in peers.csv, where rows of another table were once mangled in, topologies,
sizes and units are known ones, and no program's time falls as its net grows."""
import csv
import pathlib
import sys

UNITS = {"pd_iteration": "us", "step_1_iteration": "us", "step_10_iterations": "us", "newton_step": "us", "setup": "ms"}
SIZES = [10, 21, 41, 81, 161, 321]
FALL = 0.95  # of two times that noise may have turned about

folder = pathlib.Path(sys.argv[1]) / "results/published"
bad = []


def rows_of(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    reader = csv.DictReader(lines)
    rows = list(reader)
    for row in rows:
        if None in row or None in row.values():
            bad.append(f"{path.name}: a line has not the cells of the header: {[v for v in row.values() if v]}")
    if len(set(map(lambda row: tuple(row.values()), rows))) < len(rows):
        bad.append(f"{path.name}: a line stands there twice")
    return rows


def check_peers(rows):
    series = {}
    for row in rows:
        name = row["quantity"], row["topology"], row["peer"]
        series.setdefault(name, {})
        if row["topology"] not in ("V1", "V2") or int(row["n"]) not in SIZES:
            bad.append(f"peers.csv: {name} has topology {row['topology']} and n = {row['n']}")
        if UNITS.get(row["quantity"]) != row["unit"]:
            bad.append(f"peers.csv: {name} is in {row['unit']}")
        if int(row["n"]) in series[name]:
            bad.append(f"peers.csv: {name} has n = {row['n']} twice")
        series[name][int(row["n"])] = float(row["value"])
    for name, values in series.items():
        if list(values) != SIZES[:len(values)]:
            bad.append(f"peers.csv: {name} has the sizes {list(values)}")
        times = list(values.values())
        if any(after < FALL * before for before, after in zip(times, times[1:])):
            bad.append(f"peers.csv: {name} takes less time the larger the net: {times}")


for path in sorted(folder.glob("*.csv")):
    rows = rows_of(path)
    if path.name == "peers.csv":
        check_peers(rows)
print("\n".join(bad) or "every published table is of one kind")
sys.exit(bool(bad))
