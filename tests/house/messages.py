# SPDX-License-Identifier: GPL-3.0-or-later
"""Every message code used in the code stands in docs/messages.md, and every code there is used; every document that a
comment names exists."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
folders = ["base", "model", "solvers", "cases", "drivers", "library", "harness"]
sources = [path for folder in folders for path in (root / folder).glob("**/*.[ch]")]
text = {path: path.read_text() for path in sources}
used = {code for body in text.values() for code in re.findall(r"\b([EW]\d{3})\b", body)}
listed = set(re.findall(r"\b([EW]\d{3})\b", (root / "docs/messages.md").read_text()))
bad = [f"docs/messages.md lacks {code}" for code in sorted(used - listed)]
bad += [f"docs/messages.md lists {code}, which nothing says" for code in sorted(listed - used)]
for path, body in text.items():
    bad += [f"{path.relative_to(root)} names {name}, which is not there"
            for name in sorted(set(re.findall(r"docs/\w+\.md", body))) if not (root / name).exists()]
print("\n".join(bad) if bad else f"{len(used)} codes")
sys.exit(bool(bad))
