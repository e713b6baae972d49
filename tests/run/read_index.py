# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads results.h5 of a sweep of fake cases by pandas and h5py and compares it with results.csv."""
import math
import sys

import h5py
import pandas

directory = sys.argv[1]
table = pandas.read_hdf(f"{directory}/results.h5", "cases")
csv = pandas.read_csv(f"{directory}/results.csv")


def text(value):
    return value.decode() if isinstance(value, bytes) else value


assert list(table.columns) == list(csv.columns), list(table.columns)
assert len(table) == len(csv) == 4
assert [text(s) for s in table.status] == ["ok", "diverged", "crashed", "skipped"], list(table.status)
assert [text(k) for k in table.key] == list(csv.key)
assert list(table.seed) == [1, 100, 200, 2] and table.seed.dtype == float
assert list(table["size"][:2]) == [1.1, 100.1] and math.isnan(table["size"][2])
assert table.accuracy_ok[0] == 1 and math.isnan(table.accuracy_ok[1])
assert text(table.label[0]) == 'a "b", c' and text(table.label[2]) == ""
assert table["empty"].isna().all()
assert [text(c) for c in table.command] == list(csv.command)

with h5py.File(f"{directory}/results.h5") as index:
    assert index["cases"].attrs["CLASS"] == b"TABLE"
    names = list(table.columns)
    assert text(index["cases"].attrs[f"FIELD_{names.index('size')}_UNIT"]) == "m"
    timing = [bool(index["cases"].attrs[f"FIELD_{i}_TIMING"][0]) for i in range(len(names))]
    assert [n for n, t in zip(names, timing) if t] == ["step_s", "wall_s", "max_rss_bytes"]
    for key in csv.key[:2]:
        link = index["runs"].get(key, getlink=True)
        assert (link.filename, link.path) == (f"cases/{key}.h5", "/")
    assert len(index["runs"]) == 2
