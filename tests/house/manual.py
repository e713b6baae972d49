# SPDX-License-Identifier: GPL-3.0-or-later
"""Manual pages and completion agree with the program that they are made from: every command, flag, option and choice.
Arguments: the program, the source folder."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
COMPLETE = """source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
compopt() { echo "compopt $*"; }
_springbench
printf '%s\\n' "${COMPREPLY[@]}"
"""
bad = []


def say(*command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode or done.stderr:
        bad.append(f"{' '.join(map(str, command))[-200:]}: status {done.returncode}: {done.stderr[:400]}")
    return done.stdout


def unescaped(text):
    return re.sub(r"\\\((aq|ha|ti|ga)", lambda sign: dict(aq="'", ha="^", ti="~", ga="`")[sign[1]],
                  re.sub(r"\\f[BIR]|\\&", "", text)).replace("\\-", "-").replace("\\e", "\\")


def judge_pages(folder, commands, lists):
    wanted = {"man1/springbench.1", "man1/springbench-cases.1", "man1/springbench-live-cases.1",
              "man7/springbench-options.7", "man7/springbench-methods.7",
              *(f"man1/springbench-{name}.1" for name in commands)}
    pages = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.glob("man*/*")}
    bad.extend(f"{name}: only in one of program and pages" for name in wanted ^ pages.keys())
    for name in pages:
        say("man", "--warnings", "--local-file", name, cwd=folder, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    words = {name: set(unescaped(text).split()) for name, text in pages.items() if name.startswith("man7")}
    for command in commands:
        told = say(program, command, "--help", env={**os.environ, "ARGP_HELP_FMT": "rmargin=10000"})
        flags = set(re.findall(r"^ +(?:-., )?(--[\w-]+)", told, re.M))
        name = f"man1/springbench-{command}.1"
        page = set(re.findall(r"(?<!\S)--[\w-]+", unescaped("\n".join(
            line for line in pages.get(name, "").splitlines() if line.startswith("\\fB\\-")))))
        bad.extend(f"{name}: {flag} is only in one of --help and page" for flag in flags ^ page)
        lines = set(unescaped(pages.get(name, "")).splitlines())
        bad.extend(f"{name}: lacks '{line}'" for paragraph in told.strip().split("\n\n")[2:]
                   for line in paragraph.splitlines()
                   if not line.startswith("Mandatory or optional") and line.replace("`", "") not in lines)
    rooms = [root / room for room in ("base", "cases", "harness")]
    sources = "".join(path.read_text() for room in rooms for path in room.rglob("*.[ch]"))
    for name in set(re.findall(r'"(SPRINGBENCH_[A-Z]+)"', sources)) - {"SPRINGBENCH_NODE"}:  # from a run to its cases
        bad.extend([f"springbench.1: lacks the variable {name}"] * (name not in pages["man1/springbench.1"]))
    options = words["man7/springbench-options.7"]
    bad.extend(f"springbench-options.7: lacks {item['name']}" for item in lists["options"]
               if not any(word.startswith(f"{item['name']}=") for word in options))
    bad.extend(f"springbench-methods.7: lacks {topic} {item['name']}" for topic, found in lists.items()
               for item in found if topic != "options" and item["name"] not in words["man7/springbench-methods.7"])


def judge_completion(script, commands, lists, folder):
    (folder / "own.yaml").touch()
    (folder / "results").mkdir()

    def complete(line):
        found = say("bash", "-c", COMPLETE, "bash", script, line, cwd=folder).splitlines()
        return {word for word in found if word and not word.startswith("compopt")}

    names = {topic: {item["name"] for item in found} for topic, found in lists.items()}
    flags = set(re.findall(r"(--[\w-]+=?)", re.sub(r"=(\S)", "=", "\n".join(
        line[:30] for line in say(program, "run", "--help").splitlines() if line.startswith("  ")))))
    expected = {
        "springbench ": {*commands, "--plugin=", "--simulator=", "--help", "--version"},
        "springbench --plugin ": set(),
        "springbench --simulator ": set(),
        "springbench --simulator a.json case scene=clo": {"cloth", "cloth_on_sphere"},
        "springbench --plugin a.so case --plugin=b.so scene=clo": {"cloth", "cloth_on_sphere"},
        "springbench ve": {"verify"},
        "springbench run --": flags | {"--plugin=", "--simulator="},
        "springbench run --progress=": {"auto", "bar", "lines", "failures", "none"},
        "springbench run --progress l": {"lines"},
        "springbench run -v rope_blowup_d": {"rope_blowup_drag"},
        "springbench run ow": {"own.yaml"},
        "springbench run -o ow": set(),
        "springbench run -p h=1 -p integrator=v": {"velocity_verlet"},
        "springbench run --set=integrator=v": {"velocity_verlet"},
        "springbench case ": {f"{name}=" for name in names["options"]},
        "springbench case scene=": names["scenes"],
        "springbench case scene=clo": {"cloth", "cloth_on_sphere"},
        "springbench case grid=4 sor_symmetric=": {"true", "false"},
        "springbench case integrator=": names["integrators"],
        "springbench case pressure_target=": {"constant_density", "divergence_free"},
        "springbench case wind=": {*names["fields"], "none"},
        "springbench list ": set(names),
        "springbench list linear ": names["linear"],
        "springbench table results --format=": {"text", "md", "csv", "tex"},
        "springbench show ": set(),
    }
    for line, words in expected.items():
        found = complete(line)
        if found != words:
            bad.append(f"'{line}' is completed by {sorted(found)[:12]}, not by {sorted(words)[:12]}")
    found = complete("springbench run ")
    missing = ({*names["sweeps"], "core", "tour", "all", "ropes", "own.yaml", "results"}) - found
    bad.extend(f"'springbench run ' is not completed by {word}" for word in sorted(missing))


lists = json.loads(say(program, "list", "--json"))
commands = re.findall(r"^  (\w+) ", say(program, "--help").split("\n\n")[1], re.M)
with tempfile.TemporaryDirectory() as name:
    made, empty = pathlib.Path(name) / "made", pathlib.Path(name) / "empty"
    empty.mkdir()
    say(sys.executable, root / "springbench/manual.py", program, root, made)
    judge_pages(made, commands, lists)
    say("shellcheck", "-s", "bash", made / "completions/springbench")
    judge_completion(made / "completions/springbench", commands, lists, empty)
print("\n".join(bad) if bad else f"{len(commands) + 4} pages, {len(lists['options'])} options")
sys.exit(bool(bad))
