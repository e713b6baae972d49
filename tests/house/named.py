# SPDX-License-Identifier: GPL-3.0-or-later
"""harness/, library/ and live/ name no option of a case and no entry of a family; drivers/ have no list of options and name
no scene and no solver. Traits (base/options.def), members of entries and functions of lower rooms give what they need, so
that an option or an entry is added in one place. The exceptions have reasons.

Found are ids (SB_ID(name), SB_OPT_name), typed reads (SB_TEXT(options, name)), names that texts are compared with or that
are looked up among the parameters of a case file, and, anywhere, the names of scenes and solvers. A driver may read its
options one by one, and lists them in `uses`."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
exceptions = {  # room: [(names, why, files; none: all)]
    "harness": [
        ("driver", "a sweep has one driver; its table gives columns, curves and answers", ""),
        ("scene", "a case must have one; its name is the title of a film",
         "sweep/plan.c sweep/plan_check.c report/player.c"),
        ("save", "the harness decides which frames are stored, and whether a file has those that are asked for", ""),
        ("none", "save=none, and a sweep without a quick part",
         "results/publish.c run/prediction.c run/runner.c sweep/sweep.c"),
        ("ranks", "the harness starts the processes of a case", ""),
        ("threads", "the harness shares out the processors", ""),
        ("gravity", "a film shows up as up", "report/film.c"),
        ("spring_data vertex_data mesh_mass", "a caption leaves out stiffnesses and masses that a file overrules",
         "report/sweep_table.c"),
        ("linear minimizer integrator", "the three families whose entries conform tests one by one", "commands/command_conform.c"),
        ("petsc", "this backend always uses another library, which its text names", "report/sweep_table.c"),
        ("mumps", "a package of PETSc in results of earlier versions", "results/results.c"),
        ("unit", "a key of a list, not the step rule", "commands/command_list.c"),
        ("step", "a phase of a case, not the option", "report/compare.c"),
        ("bar", "a form of progress, not the scene", "commands/command_sweeps.c run/runner.c"),
        ("rope", "how the player draws any scene without triangles", "report/player.c"),
        ("column", "a column of results, not the scene", "report/compare.c"),
        ("auto", "a number of repetitions, not the minimiser", "commands/command_sweeps.c run/runner.c"),
    ],
    "library": [
        ("scene net", "arrays of the caller are this scene", "simulation.c"),
        ("driver restart save steps h", "a stored simulation is a case, which has these", "simulation.c save.c"),
        ("frames substeps frame_seconds", "a run whose time is stated by frames gets one frame", "simulation.c"),
        ("device", "a device does not have forces of the caller", "change.c"),
    ],
    "live": [
        ("scene net", "the title of a page; arrays of a file are this scene", "knobs.c picture.c"),
        ("h", "only a sweep over time steps asks for their limit; a step that nobody gave is chosen", "record.c simulation.c"),
        ("collider_path wind", "colliders on a path and fields do work", "burst.c"),
        ("driver substeps frame_seconds", "a sweep has one driver, and states the time as the page does", "record.c"),
        ("net step restart drag", "words of messages between page and server", "stage.c web.c"),
        ("memory_limit", "the server ends a simulation that needs more", "stage.c"),
        ("rope", "how the page draws any scene without triangles", "picture.c"),
    ],
    "drivers": [
        ("rk4", "the reference of other methods", "accuracy.c motion.c rk4_reference.c"),
        ("explicit_euler", "its step gives accelerations", "rk4_reference.c"),
        ("implicit_euler", "the integrator that minimises", "convergence.c peer.c"),
        ("symplectic_euler newton newton_cg local_global", "what stand-ins do", "peer.c"),
        ("local_global gradient_descent newton_cg lbfgs newton cholesky panel", "methods that find a reference", "reference.c"),
        ("oscillator", "its motion is known", "accuracy.c"),
        ("chain", "its modes are known", "dispersion.c"),
        ("standing_wave dam_break taylor_green column", "their motions are known", "flow.c"),
        ("isph", "the integrator that solves for pressures", "flow.c"),
    ],
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
listed = re.compile(r"\bSB_OPT_(?!COUNT)(\w+)|\bSB_ID\((\w+)\)(?=\s*,\s*SB_ID\()")
uses = re.compile(r'(?:\.uses =|_USES|\.defaults =)(?:[\s\\]|SB_\w+|"[^"]*")+')
compared = re.compile(r'\b(?:strn?cmp|strn?casecmp|strstr|strcasestr|sb_has_word)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|'
                      r'\bparameters, "\w+"')
literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def named(text, ids=ids, words=options | entries):
    """(place in the text, name) of everything that is named."""
    for found in ids.finditer(text):
        yield found.start(), next(filter(None, found.groups()))
    for call in compared.finditer(text):
        for found in literal.finditer(call.group()):
            for word in found.group(1).split():
                if word.split("=")[0] in words:
                    yield call.start(), word.split("=")[0]
    for found in literal.finditer(text):
        listing = found.group(1).split()
        if len(listing) > 1 and options.issuperset(listing):
            yield from ((found.start(), word) for word in listing)
        if found.group(1) in methods or re.match(r"(\w+)=(\w+)$", found.group(1)) and found.group(1).split("=")[1] in methods:
            yield found.start(), found.group(1).split("=")[-1]


def named_by_driver(text):
    """The same, without options that a driver reads one by one."""
    return named(uses.sub(lambda found: "\n" * found.group().count("\n"), text), listed, methods)


bad, used, seen = [], set(), 0
allowed = {(room, name, file): (names, files) for room, rows in exceptions.items() for names, _, files in rows
           for name in names.split() for file in files.split() or [""]}
for path in sorted(path for room in exceptions for path in (root / room).glob("**/*.[ch]")):
    room, place = path.relative_to(root).as_posix().split("/", 1)
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), path.read_text(), flags=re.S)
    text = re.sub(r"^#include.*", "", text, flags=re.M)
    for at, name in (named_by_driver if room == "drivers" else named)(text):
        seen += 1
        fits = {(room, name, place), (room, name, "")} & set(allowed)
        used |= fits
        if not fits:
            bad.append(f"{path.relative_to(root)}:{text.count(chr(10), 0, at) + 1}: names {name}; give a trait of "
                       "options.def or a member of the entry in its place")
for room, rows in exceptions.items():
    for names, _, files in rows:
        here = {(name, file) for name in names.split() for file in files.split() or [""] if (room, name, file) in used}
        bad += [f"{word} is no longer an exception in {room}/: remove it" for word in names.split() + files.split()
                if not any(word in pair for pair in here)]
# A new option compiles the files again that have options as constants: 22, when there were 580.
constants = [path for path in root.glob("*/**/*.[ch]") if path.relative_to(root).parts[0] not in ("tests", "build")
             and "base/option_ids.h" in path.read_text()]
bad += [f"{len(constants)} files include base/option_ids.h (at most 30): SB_ID(name) does outside tables and switches"
        ] * (len(constants) > 30)
print("\n".join(sorted(set(bad))) if bad else f"{seen} names, all of {sum(map(len, exceptions.values()))} exceptions")
sys.exit(bool(bad) or len(options) < 100 or len(entries) < 100 or len(methods) < 40)
