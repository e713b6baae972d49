# SPDX-License-Identifier: GPL-3.0-or-later
"""A release has one version, that of CMakeLists.txt, and its source says which it is: in a clone by git describe, in a
tarball of git archive by the same text, in any other copy by the version. debian/control agrees with packages.txt.
Every source names its licence. Argument: the source folder."""
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
version = re.search(r"^project\(springbench VERSION (\d+\.\d+\.\d+) ", (root / "CMakeLists.txt").read_text(), re.M)[1]
places = {"CITATION.cff": r"^version: (\S+)$", "debian/changelog": r"\Aspringbench \((\S+)-\d+\) "}
bad = []


def judge_versions():
    for name, pattern in places.items():
        if (root / name).exists():
            found = re.search(pattern, (root / name).read_text(), re.M)
            if not found or found[1] != version:
                bad.append(f"{name}: version {found and found[1]}; CMakeLists.txt has {version}")
    if (root / "debian").exists():
        maintainer = re.search(r"^Maintainer: (.*)$", (root / "debian/control").read_text(), re.M)[1]
        signed = re.search(r"^ -- (.*>)  ", (root / "debian/changelog").read_text(), re.M)[1]
        if maintainer != signed:
            bad.append(f"debian/changelog is signed by {signed}; the maintainer of debian/control is {maintainer}")
    for path in sorted(root.glob("**/*")):
        name = path.relative_to(root).as_posix()
        ours = path.suffix in (".c", ".h", ".py", ".sh", ".in", ".cmake", ".txt")
        if ours and not name.startswith(("build", "results")):
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if version in line and not line.startswith("project("):
                    bad.append(f"{name}:{number}: only CMakeLists.txt may give the version: {line.strip()[:80]}")


def judge_licences():
    for path in sorted(root.glob("**/*")):
        name = path.relative_to(root).as_posix()
        ours = re.search(r"\.(c|h|cpp|def|py|sh|bash|cmake|[a-z]+\.in)$|(^|/)(CMakeLists\.txt|run|rules)$", name)
        others = re.match(r"build/|obj-|results/|tests/fuzz/corpus/|debian/(?!rules)|\.git/", name)
        if ours and not others and path.is_file():
            lines = [line for line in path.read_text().splitlines()[:2] if not line.startswith("#!")]
            if not lines or not re.fullmatch(r"(/\* |# )SPDX-License-Identifier: GPL-3\.0-or-later( \*/)?", lines[0]):
                bad.append(f"{name}: its first line does not name the licence (SPDX-License-Identifier)")


def judge_packages():
    groups = {name: set(words.split()) for name, words in
              re.findall(r"^\[(\w+)\]\n([^[#]*)", (root / "packages.txt").read_text(), re.M)}
    control = (root / "debian/control").read_text()

    def field(name, package="Source"):
        found = re.search(rf"^{package}.*?^{name}:(.*?)(?=^\S|\Z)", control, re.M | re.S)
        return set(re.findall(r"(?:^|[,|])\s*([a-z0-9.+-]+)", found[1])) if found else set()

    build = {name for name in groups["run"] if name.endswith("-dev") or name in ("cmake", "ninja-build", "pkg-config")}
    helpers = {"debhelper-compat", "dh-sequence-python3", "dh-sequence-sphinxdoc", "python3", "gnuplot"}
    told = {"what builds": (build - {"libc6-dev"}, field("Build-Depends")),
            "what runs": (groups["run"] - build - {"gcc", "g++", "git"}, field("Depends", "Package: springbench\n")),
            "the site": (groups["site"], field("Build-Depends-Indep"))}
    for what, (wanted, found) in told.items():
        bad.extend(f"{what}: {name} is in one of packages.txt and debian/control"
                   for name in sorted(wanted ^ (found - helpers)))


def run(folder, *command, **options):
    return subprocess.run(command, cwd=folder, check=True, text=True, capture_output=True, **options).stdout


def described(folder):
    script = folder / "describe.cmake"
    script.write_text(f'set(PROJECT_SOURCE_DIR "{folder}")\nset(PROJECT_VERSION 7.8.9)\n'
                      'include(${PROJECT_SOURCE_DIR}/cmake/build_facts.cmake)\n'
                      'sb_describe_source(source)\nfile(WRITE ${PROJECT_SOURCE_DIR}/described ${source})\n')
    run(folder, "cmake", "-P", script)
    return (folder / "described").read_text()


def judge_fonts():
    """A character that no font has is drawn by whatever there is, as large as it likes."""
    sweeps = "".join(path.read_text() for path in (root / "experiments").glob("*/*.yaml"))
    wanted = set((root / "packages.txt").read_text().split())
    listed = subprocess.run(["fc-list", "--format=%{file}\t%{charset}\n"], capture_output=True, text=True, check=True)
    charsets = dict(line.split("\t") for line in listed.stdout.splitlines())
    owners = subprocess.run(["dpkg-query", "-S", *charsets], capture_output=True, text=True)  # 1: a font of no package
    ours = [file for package, file in (line.split(": ") for line in owners.stdout.splitlines()) if package in wanted]
    ranges = [[int(end, 16) for end in part.split("-")] for file in ours for part in charsets[file].split()]
    for character in sorted({letter for letter in sweeps if ord(letter) > 127}):
        if not any(part[0] <= ord(character) <= part[-1] for part in ranges):
            bad.append(f"no font of packages.txt has '{character}' (U+{ord(character):04X}), which sweeps write")


def judge_sources(folder):
    clone, tarball, copy = (folder / name for name in ("clone", "tarball", "clone/copy"))
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
    for place in (clone, tarball, copy):
        (place / "cmake").mkdir(parents=True)
    facts = (root / "cmake/build_facts.cmake").read_text()
    facts = re.sub(r"set\(archived .*\)", "set(archived [[$Format:%(describe:tags,abbrev=12)$]])", facts)  # in a tarball, too
    for place in (clone, copy):
        (place / "cmake/build_facts.cmake").write_text(facts)
    (clone / ".gitattributes").write_text((root / ".gitattributes").read_text())
    (clone / ".gitignore").write_text("described\ndescribe.cmake\ncopy\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "release"], ["tag", "v7.8.8"]):
        run(clone, *git, *command)
    expected = {"a copy inside a clone": (copy, "v7.8.9"), "the tagged clone": (clone, "v7.8.8"),
                "the tagged tarball": (tarball, "v7.8.8")}
    for what, (place, wanted) in expected.items():
        if place == tarball:
            run(folder, "sh", "-c", 'git -C "$1" archive HEAD | tar -xC "$2"', "sh", clone, tarball)
        found = described(place)
        if found != wanted:
            bad.append(f"{what} is described as {found}, not {wanted}")
    run(clone, *git, "commit", "-q", "--allow-empty", "-m", "later")
    run(folder, "sh", "-c", 'git -C "$1" archive HEAD | tar -xC "$2"', "sh", clone, tarball)
    if described(tarball) != described(clone) or not described(clone).startswith("v7.8.8-1-g"):
        bad.append(f"one commit later, the tarball is {described(tarball)}, the clone {described(clone)}")


judge_versions()
judge_licences()
judge_packages()
judge_fonts()
with tempfile.TemporaryDirectory() as name:
    judge_sources(pathlib.Path(name).resolve())
print("\n".join(bad) if bad else f"version {version}")
sys.exit(bool(bad))
