#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renews typical_times.csv, the times that `list sweeps`, `plan` and `run` tell. The times are in the logs of runs of
several sweeps, on two quiet cores and from nothing:

    springbench run all --quick -o quick
    springbench run all -o whole
    experiments/typical_times.py quick/run.log whole/run.log

Sweeps and columns that no log has keep their values."""
import csv
import pathlib
import re
import sys

FIELDS = ["sweep", "cases", "seconds", "quick_cases", "quick_seconds"]
path = pathlib.Path(__file__).with_suffix(".csv")
lines = path.read_text().splitlines() if path.exists() else []
comments = [line for line in lines if line.startswith("#")]
times = {row["sweep"]: row for row in csv.DictReader(line for line in lines if not line.startswith("#"))}
for log in sys.argv[1:]:
    cases = {}
    for line in pathlib.Path(log).read_text().splitlines():
        if begun := re.match(r"\[\d+/\d+\] (\w+)  (\d+) cases?\b", line):
            cases[begun[1]] = begun[2]
        elif took := re.match(r"(\w+) took ([\d.]+) s(, quick)?$", line):
            row = times.setdefault(took[1], {"sweep": took[1]})
            part = "quick_" if took[3] else ""
            row[part + "cases"], row[part + "seconds"] = cases[took[1]], took[2]
with path.open("w") as file:
    file.writelines(line + "\n" for line in comments)
    table = csv.DictWriter(file, FIELDS, lineterminator="\n")
    table.writeheader()
    table.writerows(times[name] for name in sorted(times))
