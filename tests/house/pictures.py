# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of README.md and of the findings' pages, in docs/pictures: pictures.py PROGRAM ROOT, or PROGRAM ROOT FOLDER to make them anew from
sweeps that are run, or found, in FOLDER (cmake --build build/release --target pictures). The test holds them against
the page, and the words in one of them against its sweep as it stands; a part of the sweep is enough for that."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
pictures = root / "docs" / "pictures"

# A picture, and the sweep and the figure that it is a copy of.
FIGURES = {name: (name, name) for name in (
    "rope_blowup", "newton_vs_pd_swinging", "spring_anisotropy", "square_error_left", "cloth_local_global_motion",
    "chain_dispersion", "step_target", "refinement_stiffness", "strands", "newton_and_pd", "newton_and_pd_motion",
    "precision", "tension_ends", "material_damping")}
FIGURES |= {f"minimizers_{figure}": ("minimizers", figure) for figure in ("profiles", "strata", "break_even")}
FIGURES |= {"minimizers_price": ("minimizers_kinds", "price"), "budget_map_error": ("budget_map", "error"), "rod": ("rod", "iterations"),
            "pressure_solvers": ("pressure_solvers", "convergence"), "wang_chebyshev": ("wang_chebyshev", "wang"),
            "simulator_integrator": ("simulator_integrator", "simulator_integrator"),
            "newton_and_pd_motion_time": ("newton_and_pd_motion", "time"),
            "newton_and_pd_161": ("newton_and_pd", "newton_and_pd"),
            "inside": ("inside", "inside"), "device_step": ("device_step", "step"), "minimizers_tuned_momentum": ("minimizers_tuned", "momentum")}
# Pictures for which a part of the sweep is enough; it has a folder of its own.
PART = {"budget_map_error": "stiffness == 300", "device_step": "grid <= 99",
        "newton_and_pd": "grid <= 40 or grid == 80 and frames == 5 and stiffness < 1000", "newton_and_pd_161": "grid == 160",
        "wang_chebyshev": "method in [local_global, chebyshev, chebyshev_positive, ncg]", "inside": "problem == typical_curtain_41_8",
        "minimizers_tuned_momentum": "method in [chebyshev, chebyshev_positive, nesterov]"}


def run(*arguments):
    subprocess.run([program, *map(str, arguments)], cwd=root, check=True)


def sweep(name, folder, *options):
    file, = (root / "experiments").glob(f"*/{name}.yaml")  # a topic may have the name of a sweep
    run("run", file, "-o", folder, *options)
    return folder


def thinned(svg):
    """Without the points of curves that lie nearer than half a point to the one before, which nobody sees."""
    def thin(run):
        kept = []
        points = run.group().split()
        for point in points:
            x, y = map(float, point.lstrip("L").split(","))
            if len(kept) < 3 or point is points[-1] or max(abs(x - kept[-1][0]), abs(y - kept[-1][1])) >= 0.5:
                kept.append((x, y, point))
        return " ".join(point for _, _, point in kept) + " "
    return re.sub(r"(?:L?\d+\.\d+,\d+\.\d+\s+){3,}", thin, svg)


def make(folder):
    pictures.mkdir(exist_ok=True)
    for picture, (name, figure) in FIGURES.items():
        drawn = (sweep(name, folder / picture, "-f", PART[picture]) if picture in PART
                 else sweep(name, folder / name)) / "figures" / f"{figure}.svg"
        (pictures / f"{picture}.svg").write_text(thinned(drawn.read_text()))
    # One case of the sweep is enough for its film.
    draped = sweep("cloth_on_sphere", folder / "cloth_on_sphere", "-f", "grid == 63 and integrator == symplectic_euler")
    case, = draped.glob("cases/*.h5")
    run("animate", case, "--strip", "--stills=3", "--size=360x300", "-o", folder / "cloth_on_sphere.gif")
    shutil.copyfile(folder / "cloth_on_sphere.png", pictures / "cloth_on_sphere.png")


def words(path):
    """Returns the texts of a figure without its numbers, sorted."""
    texts = (re.sub(r"<[^>]+>", "", text).strip() for text in re.findall(r"<text>.*?</text>", path.read_text(), re.S))
    return sorted(text for text in texts if re.search(r"[^\W\d]", text))


def title(name, figure):
    """The title that a sweep gives a figure."""
    text = next((root / "experiments").glob(f"*/{name}.yaml")).read_text().split("\nfigures:")[1]
    line = re.search(rf"id: {figure}\b.*?(^ *|[{{,] *)title: *([^\n]*)", text, re.S | re.M)
    said = line[2] if line[1].strip() == "" else re.match(r'"[^"]*"|[^,}]*', line[2])[0]
    return said.split(" #")[0].strip().strip('"')


def faults():
    front = set(re.findall(r"docs/pictures/([\w.]+)", (root / "README.md").read_text()))
    pages = "".join(page.read_text() for page in (root / "docs" / "findings").glob("*.md"))
    shown = front | {"live.png"} & set(re.findall(r"pictures/([\w.]+)", (root / "docs/live.md").read_text())) | set(re.findall(r"\.\./pictures/([\w.]+)", pages))
    there = {path.name for path in pictures.iterdir()}
    if there != {f"{name}.svg" for name in FIGURES} | {"cloth_on_sphere.png", "live.png"}:  # tests/live/picture.py makes the last
        yield f"docs/pictures has {sorted(there)}, which is not what this script makes"
    if shown != there or len(front) != 1:
        yield f"the pages show {sorted(shown)}, docs/pictures has {sorted(there)}"
    for path in pictures.iterdir():
        if path.stat().st_size >= (100_000 if path.name in front else 200_000):
            yield f"{path.name} has {path.stat().st_size} bytes"
        if path.suffix == ".svg" and not re.search(r'<rect x="0" y="0" [^>]*fill="#ffffff"', path.read_text()):
            yield f"{path.name} has no white ground, and would be black on black in a dark page"
    for picture, (name, figure) in FIGURES.items():
        wanted = re.sub(r"\\{[^}]*\\}", ".+", re.escape(title(name, figure)))  # a number of the results
        if not any(re.fullmatch(wanted, text) for text in words(pictures / f"{picture}.svg")):
            yield f"{picture}.svg lacks the title of its sweep, '{title(name, figure)}'"
    with tempfile.TemporaryDirectory() as folder:
        part = sweep("rope_blowup", pathlib.Path(folder) / "rope_blowup", "-f", "substeps in [9, 16]", "--progress", "none")
        now, then = words(part / "figures" / "rope_blowup.svg"), words(pictures / "rope_blowup.svg")
        if now != then:
            yield f"rope_blowup.svg says {then}, its sweep {now}"


if len(sys.argv) > 3:
    make(pathlib.Path(sys.argv[3]).resolve())
    sys.exit()
bad = list(faults())
print("\n".join(bad) if bad else "all pictures are there")
sys.exit(bool(bad))
