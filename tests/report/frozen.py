# SPDX-License-Identifier: GPL-3.0-or-later
"""The output on made-up results is the same as at the commit that frozen.txt names.

    write_made_up FOLDER        (a program of the tests) writes what they say
    frozen.py FOLDER            compares
    frozen.py FOLDER --renew    writes frozen.txt anew

A line of frozen.txt is a digest of every file of one kind (verdicts, tables in one form, scripts of figures) that one
sweep gives. A difference is meant, and named in the commit that renews the file, or it is a fault."""
import argparse
import hashlib
import pathlib
import sys

STORED = pathlib.Path(__file__).with_name("frozen.txt")


def digests(folder):
    kinds = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        place = path.relative_to(folder)
        kind = f"{place.parts[0]} {path.name if len(place.parts) == 3 else place.parts[2] + '/*' + path.suffix}"
        found = kinds.setdefault(kind, hashlib.sha256())
        found.update(str(place).encode() + b"\0" + path.read_bytes())
    return [f"{kind} {found.hexdigest()[:16]}" for kind, found in sorted(kinds.items())]


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("folder", type=pathlib.Path)
    asked.add_argument("--renew", action="store_true")
    given = asked.parse_args()
    now = digests(given.folder)
    if given.renew:
        STORED.write_text("\n".join(now) + "\n")
        return 0
    before = STORED.read_text().splitlines()
    changed = sorted({line.rsplit(" ", 1)[0] for line in set(now) ^ set(before)})
    for name in changed[:20]:
        print(f"other than in frozen.txt: {name}")
    if changed:
        print(f"{len(changed)} of {len(before)} differ; write_made_up at both commits, then diff -r, shows how")
    return 1 if changed or not now else 0


sys.exit(main())
