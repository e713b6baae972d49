"""What the pages tell a reader to follow or to type is there: links, files of the tree, commands of the program, sweeps;
the sweep file in docs/results.md is a good one, and the block "Use" of README.md runs line by line."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
texts = {path: path.read_text() for path in [*(root / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md",
                                                                         "results/README.md", "examples/README.md")),
                                             *sorted((root / "docs").rglob("*.md"))]}
ours = [path.name for path in root.iterdir() if path.is_dir() and path.name not in ("build", "results", ".git")]
part = "springbench run rope_blowup -f 'substeps == 9' --progress none"
before = [f"{part} -o out", "cp -r out before", "cp -r out after", *(f"{part} --shard {i}/2 -o part{i}" for i in (1, 2))]


def call(folder, line):
    return subprocess.run(["bash", "-euc", line], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"})


def leads_nowhere(page, text):
    """Links, and what stands in backquotes and looks like a file of the tree, or like a program built from one. (The
    linear solver that CONTRIBUTING.md shows is added by a test, toy_backend.)"""
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)|src=\"([^\"]+)\"", text):
        link = "".join(link)
        if "://" not in link and not (page.parent / link).exists():
            yield link
    for name in re.findall(rf"`(?:\S+ )*((?:{'|'.join(ours)})/[\w./*-]+)[^`]*`", text):
        name = name.rstrip("/.")
        there = any(any(top.glob(name + end)) for top in (root, root / "tests") for end in ("", ".*"))
        if not there and not re.search(r"\b[A-Z]+\b", name) and name != "solvers/linear/plain_cg.c":
            yield name


def faults():
    commands = re.findall(r"^  (\w+)", call(root, "springbench --help").stdout, re.M)
    for page, text in texts.items():
        name = page.relative_to(root)
        yield from (f"{name}: {what} is not there" for what in leads_nowhere(page, text))
        yield from (f"{name}: there is no command '{word}'"
                    for word in re.findall(r"[`/]springbench ([a-z]+)\b", text) if word not in commands)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "experiments").symlink_to(root / "experiments")
        (pathlib.Path(folder) / "page.yaml").write_text(
            re.search(r"```yaml\n(springbench: 1\n.*?)```", texts[root / "docs" / "results.md"], re.S).group(1))
        use = re.search(r"^## Use\n\n```sh\n(.*?)```", texts[root / "README.md"], re.M | re.S).group(1).splitlines()
        typed = [line for line in use if line.startswith("springbench ")]
        runs = [re.sub(r" *(#.*)?$", " --dry-run", line) for line in typed if line.startswith("springbench run ")]
        others = [line for line in typed if not line.startswith("springbench run ")]
        for line in ["springbench check page.yaml", *runs, *before, *others]:
            done = call(folder, line)
            if done.returncode:
                yield f"status {done.returncode} of: {line}\n{done.stdout}{done.stderr}"
        if len(typed) < 10:
            yield "README.md has no block of commands under Use"


bad = list(faults())
print("\n".join(bad) if bad else f"{len(texts)} pages")
sys.exit(bool(bad))
