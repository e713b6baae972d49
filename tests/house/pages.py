# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that the pages tell a reader to follow or to type exists: links with their sections, files of the
tree, commands of the program, sweeps; the sweep file in docs/sweep_file.md is a good one, and the block "Use" of
README.md runs line by line. Every command that a page shows has flags that there are; if it names what comes with
springbench, it is planned, and a case is checked."""
import os
import pathlib
import re
import shlex
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


def anchor(heading):
    """The name of a section in links."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def leads_nowhere(page, text):
    """Links, and what stands in backquotes and looks like a file of the tree, or like a program built from one. (The
    linear solver that CONTRIBUTING.md shows is added by a test, toy_backend.)"""
    for link, part, picture in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)|src=\"([^\"]+)\"", text):
        there = page.parent / (link or picture or page.name)
        if "://" not in link and not there.exists():
            yield link or picture
        elif part and there.resolve() in texts and part not in map(anchor, re.findall(r"^#+ (.*)", texts[there.resolve()], re.M)):
            yield f"{link}#{part}"
    for name in re.findall(rf"`(?:\S+ )*((?:{'|'.join(ours)})/[\w./*-]+)[^`]*`", text):
        name = name.rstrip("/.")
        there = any(any(top.glob(name + end)) for top in (root, root / "tests") for end in ("", ".*"))
        if not there and not re.search(r"\b[A-Z]+\b", name) and name != "solvers/linear/plain_cg.c":
            yield name


def typed_on(text):
    """Commands in blocks, in backquotes and in indented lines, without comments and what a table says beside them."""
    inline = re.findall(r"(?<!`)`springbench ([a-z][^`]+)`", text)
    lines = re.findall(r"^(?:    |\$ )?springbench ((?:[a-z]+) .*)$", text, re.M)
    for line in inline + [re.sub(r"(\S)   .*| #.*", r"\1", line) for line in lines]:
        if not re.match(r"\w+:", line):  # the head of a message
            yield " ".join(line.split())


def as_plan(words):
    """The command that plans or checks what `words` do, and the sweep file it reads; None if they are placeholders."""
    command, operands = words[0], [word for word in words[1:] if not word.startswith("-")]
    if any(re.search(r"…|\.\.\.|=mine\b|^[A-Z]+\b|\bFILE\b|\[|\|", word) for word in words) or not operands:
        return None
    pairs = [word.split("=", 1) for word in operands if "=" in word]
    if command == "case" and pairs and "--continue" not in words:
        options = "".join(f"  {name}: {shlex.quote(value)}\n" for name, value in pairs if name != "driver")
        driver = dict(pairs).get("driver", "trajectory")
        head = f"springbench: 1\nname: typed\nquestion: Is it right?\ndriver: {driver}\ntimed: false\n"
        return "check typed.yaml", f"{head}defaults:\n{options}sweep:\n  - grid: {{drag: [0]}}\n"
    if command in ("run", "plan", "check") and (re.fullmatch(r"\w+", operands[0]) or (root / operands[0]).is_file()):
        return " ".join(["check" if command == "check" else "plan", *map(shlex.quote, words[1:])]), None
    return (shlex.join(words), None) if command == "list" else None


def judge_typed(folder):
    flags, seen, hidden = {}, set(), re.findall(r'"(--\w+)"', (root / "cases/run/serve.h").read_text())
    for page, text in texts.items():
        for line in set(typed_on(text)):
            name = f"{page.relative_to(root)}: springbench {line}"
            words = shlex.split(line) if line.count("'") % 2 == 0 else line.split()
            if words[0] not in flags:
                told = call(root, f"springbench {words[0]} --help").stdout
                flags[words[0]] = {*hidden, *re.findall(r"--[\w-]+", told)}
            given = re.findall(r"(?<![\w-])--[a-z][\w-]*", line.split(" -- ")[0])
            yield from (f"{name}: there is no {flag}" for flag in given if flag not in flags[words[0]])
            plan, sweep = as_plan(words) or (None, None)
            if plan and (plan, sweep) not in seen:
                seen.add((plan, sweep))
                (folder / "typed.yaml").write_text(sweep or "")
                done = call(folder, f"springbench {plan}")
                if done.returncode:
                    yield f"{name}: status {done.returncode} of {plan}\n{done.stdout}{done.stderr}"
    if len(seen) < 40:
        yield f"only {len(seen)} commands of the pages were planned"


def faults():
    listed = (root / "site" / "conf.py").read_text()  # Sphinx refuses a page that no list of it has
    yield from (f"site/conf.py does not list {page.relative_to(root)}" for page in (root / "docs").glob("*.md")
                if f'"docs/{page.stem}"' not in listed)
    commands = re.findall(r"^  (\w+)", call(root, "springbench --help").stdout, re.M)
    for page, text in texts.items():
        name = page.relative_to(root)
        yield from (f"{name}: {what} is not there" for what in leads_nowhere(page, text))
        yield from (f"{name}: there is no command '{word}'"
                    for word in re.findall(r"[`/]springbench ([a-z]+)\b", text) if word not in commands)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("experiments", "examples"):
            (pathlib.Path(folder) / name).symlink_to(root / name)
        yield from judge_typed(pathlib.Path(folder))
        (pathlib.Path(folder) / "page.yaml").write_text(
            re.search(r"```yaml\n(springbench: 1\n.*?)```", texts[root / "docs" / "sweep_file.md"], re.S).group(1))
        use = re.search(r"^## Use\n\n```sh\n(.*?)```", texts[root / "README.md"], re.M | re.S).group(1).splitlines()
        typed = [line for line in use if line.startswith("springbench ")]
        runs = [re.sub(r" *(#.*)?$", " --dry-run", line) for line in typed if line.startswith("springbench run ")]
        others = [line for line in typed if not line.startswith("springbench run ")]
        # The page with knobs is there until Ctrl-C.
        others = [re.sub("^springbench live", "timeout --preserve-status -s INT 5 springbench live", line) for line in others]
        for line in ["springbench check page.yaml", *runs, *before, *others]:
            done = call(folder, line)
            if done.returncode:
                yield f"status {done.returncode} of: {line}\n{done.stdout}{done.stderr}"
        if len(typed) < 10:
            yield "README.md has no block of commands under Use"


bad = list(faults())
print("\n".join(bad) if bad else f"{len(texts)} pages")
sys.exit(bool(bad))
