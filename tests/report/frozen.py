# SPDX-License-Identifier: GPL-3.0-or-later
"""What made-up results say today is what they said at the commit that frozen.txt names.

    frozen.py WRITE_MADE_UP             compares
    frozen.py WRITE_MADE_UP --renew     writes frozen.txt anew
    frozen.py WRITE_MADE_UP --keep DIR  writes all files to DIR: `diff -r` of two such folders shows the change

A line of frozen.txt is a digest of every file of one kind (verdicts, tables in one form, scripts of figures) that one
sweep gives. A difference is meant, and named in the commit that renews the file, or it is a fault."""
import argparse
import hashlib
import pathlib
import subprocess
import sys
import tempfile

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
    asked.add_argument("program")
    asked.add_argument("--renew", action="store_true")
    asked.add_argument("--keep", type=pathlib.Path)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or pathlib.Path(scratch)
        subprocess.run([given.program, str(folder.resolve())], check=True)
        now = digests(folder)
    if given.renew:
        STORED.write_text("\n".join(now) + "\n")
        return 0
    before = STORED.read_text().splitlines()
    changed = sorted({line.rsplit(" ", 1)[0] for line in set(now) ^ set(before)})
    for name in changed[:20]:
        print(f"other than in frozen.txt: {name}")
    if changed:
        print(f"{len(changed)} of {len(before)} differ; frozen.py --keep DIR at both commits, then diff -r, shows how")
    return 1 if changed or not now else 0


sys.exit(main())
