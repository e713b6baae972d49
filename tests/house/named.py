# SPDX-License-Identifier: GPL-3.0-or-later
"""harness/ names no option of a case and no entry of a family. Traits (base/options.def), members of entries and functions
of lower rooms give what it has to know, so that an option or an entry is added in one place. The exceptions have reasons.

Found are ids (SB_ID(name), SB_OPT_name), typed reads (SB_TEXT(options, name)), names that texts are compared with or that are looked up
among the parameters of a case file, and, anywhere, the names of scenes and solvers."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
exceptions = {  # name: (why, files; none: all)
    "driver": ("a sweep has one driver; its table gives columns, curves and answers", ()),
    "scene": ("a case must have one; its name is the title of a film", ("sweep/plan.c", "sweep/plan_check.c", "report/player.c")),
    "save": ("the harness decides which frames are stored, and whether a file has those that are asked for", ()),
    "none": ("save=none, and a sweep without a quick part", ("results/publish.c", "run/prediction.c", "run/runner.c", "sweep/sweep.c")),
    "memory_limit": ("a limit of the machine, which the harness sets for each run", ("sweep/plan_store.c",)),
    "ranks": ("the harness starts the processes of a case", ()),
    "threads": ("the harness shares out the processors", ()),
    "gravity": ("a film shows up as up", ("report/film.c",)),
    "spring_data": ("a caption leaves out stiffnesses that this file overrules", ("report/sweep_table.c",)),
    "vertex_data": ("the same of masses", ("report/sweep_table.c",)),
    "mesh_mass": ("the same of masses in a mesh file", ("report/sweep_table.c",)),
    "linear": ("one of the two families whose entries conform tests one by one", ("commands/command_conform.c",)),
    "minimizer": ("the other one", ("commands/command_conform.c",)),
    "petsc": ("this backend always uses another library, which its text names", ("report/sweep_table.c",)),
    "mumps": ("a package of PETSc in results of earlier versions", ("results/results.c",)),
    "unit": ("a key of a list, not the step rule", ("commands/command_list.c",)),
    "step": ("a phase of a case, not the option", ("report/compare.c",)),
    "bar": ("a form of progress, not the scene", ("commands/command_sweeps.c", "run/runner.c")),
    "rope": ("how the player draws any scene without triangles", ("report/player.c",)),
    "column": ("a column of results, not the scene", ("report/compare.c",)),
}
below = [path for room in ("base", "model", "solvers", "cases", "drivers") for path in (root / room).glob("**/*.*")]
options = set(re.findall(r"^SB_OPTION\((\w+)", (root / "base/options.def").read_text(), re.M))
entries = {name for path in below if path.suffix == ".def" and not path.name.startswith("option")
           for name in re.findall(r'^SB_[A-Z]+\("?([\w+]+)', path.read_text(), re.M)}
entries |= {name for path in below if path.suffix == ".c" for name in re.findall(r'\.name = "([\w+]+)"', path.read_text())}
methods = {name for path in ("model/scene/scenes.def", "solvers/linear/backends.def", "solvers/minimize/minimizers.def",
                             "solvers/integrate/integrators.def", "solvers/bounded/bounded.def")
           for name in re.findall(r"^SB_ENTRY\((\w+)\)", (root / path).read_text(), re.M)}
ids = re.compile(r"\bSB_OPT_(?!COUNT)(\w+)|\bSB_ID\((\w+)\)|"
                 r"\bSB_(?:TEXT|IS|REAL|INTEGER|FLAG|HAS|VECTOR|COMPOSITES)\([^()]*?, (\w+)[,)]")
compared = re.compile(r'\b(?:strn?cmp|strn?casecmp|strstr|strcasestr|sb_has_word)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|'
                      r'\bparameters, "\w+"')
literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def named(text):
    """(place in the text, name) of everything that is named."""
    for found in ids.finditer(text):
        yield found.start(), next(filter(None, found.groups()))
    for call in compared.finditer(text):
        for found in literal.finditer(call.group()):
            for word in found.group(1).split():
                if word.split("=")[0] in options | entries:
                    yield call.start(), word.split("=")[0]
    for found in literal.finditer(text):
        words = found.group(1).split()
        if len(words) > 1 and options.issuperset(words):
            yield from ((found.start(), word) for word in words)
        if found.group(1) in methods or re.match(r"(\w+)=(\w+)$", found.group(1)) and found.group(1).split("=")[1] in methods:
            yield found.start(), found.group(1).split("=")[-1]


bad, used, seen = [], set(), 0
for path in sorted((root / "harness").glob("**/*.[ch]")):
    place = path.relative_to(root / "harness").as_posix()
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), path.read_text(), flags=re.S)
    text = re.sub(r"^#include.*", "", text, flags=re.M)
    for at, name in named(text):
        seen += 1
        why, files = exceptions.get(name, ("", ()))
        if why and (not files or place in files):
            used.add((name, place if files else ""))
        else:
            bad.append(f"harness/{place}:{text.count(chr(10), 0, at) + 1}: names {name}; give a trait of options.def or a "
                       "member of the entry in its place")
bad += [f"{name} is no longer named in harness/{place}: remove the exception" for name, (_, files) in exceptions.items()
        for place in files or [""] if (name, place) not in used]
# A new option compiles the files again that have options as constants: 28, when there were 580.
constants = [path for path in root.glob("*/**/*.[ch]") if path.relative_to(root).parts[0] not in ("tests", "build")
             and "base/option_ids.h" in path.read_text()]
bad += [f"{len(constants)} files include base/option_ids.h (at most 40): SB_ID(name) does outside tables and switches"
        ] * (len(constants) > 40)
print("\n".join(sorted(set(bad))) if bad else f"{seen} names in harness/, all of {len(exceptions)} exceptions")
sys.exit(bool(bad) or len(options) < 100 or len(entries) < 100 or len(methods) < 40)
