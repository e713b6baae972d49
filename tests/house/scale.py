# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/scale.md has the tables that its own formulas give; --write renews them."""
import math
import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1]) / "docs" / "scale.md"
text = page.read_text()
given = {row[0]: float(row[1]) for row in re.findall(r"^\| `(\w+)` \| ([\d.e+-]+) \|", text, re.M)}
INTEGERS = 2.0**31


def seconds(method, vertices, ranks):
    """Seconds of a step, or of an iteration: the kernels, messages one after the other, their bytes, reductions."""
    row = 24 * math.sqrt(vertices)
    work = given["derating"] * given[f"{method}_s"] * vertices / ranks
    messages = given[f"{method}_messages"] * (given["latency_s"] + row / given["bandwidth"])
    return work, messages, given[f"{method}_reductions"] * given["latency_s"] * math.log2(ranks)


def shown(value):
    """Two digits, without an exponent."""
    digits = 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):.{max(digits, 0)}f}"


def predicted():
    yield "| vertices | ranks | explicit step, ms | of it messages | local-global iteration, s | of it messages | Newton iteration, s | of it messages | explicit, MB per rank | local-global | Newton | replicated net, MB per rank |"
    yield "|---:|---:|" + "---:|" * 10
    for vertices in (1e6, 1e7, 1e8):
        for ranks in (64, 256, 1024):
            cells = []
            for method, unit in (("explicit", 1e3), ("local_global", 1), ("newton", 1)):
                work, messages, reductions = seconds(method, vertices, ranks)
                whole = work + messages + reductions
                cells += [shown(unit * whole), f"{100 * (messages + reductions) / whole:.0f} %"]
            cells += [shown(1e-6 * (given["process_bytes"] + given[f"{method}_bytes"] * vertices / ranks))
                      for method in ("explicit", "local_global", "newton")]
            cells.append(shown(1e-6 * given["replicated_bytes"] * vertices))
            yield f"| 10{'⁶⁷⁸'[int(math.log10(vertices)) - 6]} | {ranks} | {' | '.join(cells)} |"


def ends():
    million = lambda vertices: f"{vertices / 1e6:.3g} million"
    entries = given["factor_entries"]
    yield "| what ends | at how many vertices | why |"
    yield "|---|---:|---|"
    for what, vertices, why in (
            ("any case", INTEGERS / 3, "three coordinates per vertex are numbered by 32 bits, and so are the three springs of V1"),
            ("any case of V2", INTEGERS / 6, "six springs per vertex"),
            ("a frame in one HDF5 chunk", 2.0**32 / 24, "a chunk is smaller than 4 GiB"),
            ("Newton's matrix of V1, per rank", INTEGERS / 63, "seven blocks of nine entries per vertex"),
            ("Newton's matrix of V2, per rank", INTEGERS / 117, "thirteen blocks"),
            ("`cholesky` and `panel` with Newton, one rank", INTEGERS / entries,
             f"{entries:.0f} entries of L per vertex at a million vertices, and more beyond"),
            ("a net that every rank builds whole, 64 ranks on 256 GB", 256e9 / 64 / given["replicated_bytes"],
             f"{given['replicated_bytes']:.0f} B per vertex on every rank")):
        yield f"| {what} | {million(vertices)} | {why} |"


renewed = text
for name, lines in (("predicted", predicted()), ("ends", ends())):
    renewed = re.sub(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", lambda m: m[1] + "\n".join(lines) + m[2], renewed,
                     flags=re.S)
if "--write" in sys.argv:
    page.write_text(renewed)
elif renewed != text:
    sys.exit(f"{page}: a table is not what its formulas give; tests/house/scale.py . --write renews it")
print(len(given), "numbers,", renewed.count("\n| 10"), "predictions")
