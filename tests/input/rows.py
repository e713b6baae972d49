# SPDX-License-Identifier: GPL-3.0-or-later
"""Every row of the tables of bad input, against the real program: the messages with their places, exit status 2, an
answer that comes, and nothing written.

    rows.py PROGRAM FILE.rows [--each] [--show]

Inputs that need nothing but their file are checked together by one `springbench check`; the first of every row, those
that need more, and with --each all of them go through `springbench run FILE -o out` in a directory of their own.
--show prints what the program answers instead of comparing."""
import hashlib
import os
import pathlib
import re
import shlex
import socket
import stat
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import BOUND, PROGRAM

ROWS = pathlib.Path(sys.argv[2])
EACH, SHOW = "--each" in sys.argv, "--show" in sys.argv
HEAD = b"springbench: 1\nname: n\n"
FIXTURES = ROWS.resolve().parent.parent / "model/meshes"
TIMEOUT = 60  # of one input, seconds; only a hang is longer: the promise of a second is not for a busy machine
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PETSC_"))}


def read(name):
    return (FIXTURES / name).read_bytes()


class Input:
    def __init__(self, row, name):
        self.row, self.name, self.body, self.also, self.environment = row, name, [], [], {}
        self.arguments = self.bytes = self.make = self.mesh = None
        self.whole, self.expected, self.exit = False, [], None

    def content(self):
        if self.bytes is not None:
            return eval(self.bytes, {"HEAD": HEAD, "pack": struct.pack, "read": read})  # ours, not a user's
        return (b"" if self.whole or self.mesh else HEAD) + "\n".join(self.body).encode() + b"\n"

    def sweep_of_mesh(self, folder):
        name, *options = self.mesh.split(" ")
        lines = ["springbench: 1", "name: n"] + [f"driver: {o[7:]}" for o in options if o.startswith("driver=")]
        lines += ["defaults:", "  scene: mesh", *(f"  {o.replace('=', ': ')}" for o in options if o[:6] != "driver")]
        return "\n".join([*lines, f"  mesh: {folder}{name}", ""])

    def accepted(self):
        return bool(self.expected) and self.expected[0] == "accepted"

    def status(self):
        return self.exit if self.exit is not None else 0 if self.accepted() else 2

    def messages(self):
        return self.expected[1:] if self.accepted() else self.expected

    def plain(self):
        return not (self.arguments or self.environment or self.make or self.also or self.exit)


def directive(one, word, rest):
    if word == "whole":
        one.whole = True
    elif word == "env":
        one.environment[rest.partition("=")[0]] = rest.partition("=")[2]
    elif word == "also":
        one.also.append(rest)
    elif word == "exit":
        one.exit = int(rest)
    else:
        assert word in ("bytes", "make", "args", "mesh"), word
        setattr(one, {"args": "arguments"}.get(word, word), rest)


def in_one_line(row, line):
    text, message = line.rsplit(" >> ", 1)
    one, file = Input(row, text), "s.yaml"
    about = re.match(r"(\S+) ([=:]) (.*)", text)
    lines = (about[3] if about else text).split(" ⏎ ")
    if about and "." in about[1]:  # a mesh
        one.mesh = file = about[1]
    elif about:  # the data of vertices or springs
        file, one.also = "d.csv", ["d.csv = " + "".join(line + "\\n" for line in lines)]
        lines = [f"{{{about[1]}: d.csv}}"]
    if about and about[2] == ":":
        one.bytes = about[3]
    else:
        one.body = [re.sub("^{", "defaults: {scene: rope, ", line) for line in lines]
    place, _, said = message.partition(": ")
    one.expected = [f"{file}:{place}: error: {said}" if place[0].isdigit() else message]
    return one


def read_rows():
    inputs, row = [], None
    for line in ROWS.read_text().splitlines():
        if line.startswith("=="):
            row = line[2:].strip()
        elif line.startswith("= "):
            inputs.append(in_one_line(row, line[2:]))
        elif line.startswith("-- "):
            inputs.append(Input(row, line[3:]))
        elif line.startswith(">>"):
            inputs[-1].expected.append(line[2:].strip())
        elif line.startswith("%"):
            word, _, rest = line[1:].partition(" ")
            directive(inputs[-1], word, rest)
        elif inputs and line and not line.startswith("# "):
            inputs[-1].body.append(line)
    return inputs


def put_input(one, folder, named=""):
    """The sweep file, and the mesh that it names where there is one: `named`/ is where the program finds it."""
    if one.mesh:
        (folder / one.mesh.split(" ")[0]).write_bytes(one.content())
        (folder / "s.yaml").write_text(one.sweep_of_mesh(named))
    else:
        put_sweep(one, folder / "s.yaml")


def put_sweep(one, path):
    if one.make == "directory":
        path.mkdir()
    elif one.make == "fifo":
        os.mkfifo(path)
    elif one.make == "socket":
        socket.socket(socket.AF_UNIX).bind(str(path))
    elif one.make == "loop":
        path.symlink_to(path.name)
    elif one.make == "device":
        path.symlink_to("/dev/zero")
    elif one.make != "nothing":
        path.write_bytes(one.content())
        if one.make == "closed":
            path.chmod(0)


def put_other(text, folder):
    """FILE = content (\\n and the like are read); FILE -> target; FILE | (a pipe); FILE : python for its bytes."""
    name, kind, rest = (text + " ").split(" ", 2)
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    if kind == "->":
        path.symlink_to(rest.strip())
    elif kind == "|":
        os.mkfifo(path)
    elif kind == ":":
        path.write_bytes(eval(rest, {"pack": struct.pack, "read": read}))
    else:
        path.write_text(rest.strip(" ").encode().decode("unicode_escape"))


def snapshot(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(about.st_mode) and about.st_mode & 0o400 \
            else ""
        found[path.relative_to(folder).as_posix()] = (about.st_mode, about.st_ino, about.st_mtime_ns, content)
    return found


def call(arguments, folder, environment, closed=False, inputs=1):
    done = subprocess.run([*(BOUND if closed else []), PROGRAM, *arguments], cwd=folder, capture_output=True,
                          timeout=inputs * TIMEOUT, stdin=subprocess.DEVNULL,
                          env={**CLEAN, "HOME": str(folder), **environment})
    return done.returncode, done.stderr.decode(errors="backslashreplace").splitlines(), done.stdout


def agrees(line, expected):
    """`…` stands for anything."""
    begin, any_text, end = expected.partition("…")
    return line.startswith(begin) and line.endswith(end) if any_text else line == expected


def complaints(one, status, lines):
    expected = one.messages()
    if status != one.status():
        yield f"exit status {status}, not {one.status()}"
    for line, wanted in zip(lines + [""] * len(expected), expected):
        if not agrees(line, wanted):
            yield f"expected {wanted}\n     got      {line}"
    for line in lines[len(expected):]:
        yield f"unexpected {line}"
    for line in lines:
        if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line):
            yield f"a control character in {line!r}"


def try_alone(one, folder):
    folder.mkdir()
    put_input(one, folder)
    for other in one.also:
        put_other(other, folder)
    before = snapshot(folder)
    usual = ["check", "s.yaml"] if one.accepted() else ["run", "s.yaml", "-o", "out"]
    arguments = shlex.split(one.arguments) if one.arguments else usual
    status, lines, _ = call(arguments, folder, one.environment, one.make == "closed")
    found = list(complaints(one, status, lines))
    if snapshot(folder) != before:
        found.append(f"wrote {sorted(set(snapshot(folder)) - set(before)) or 'into what was there'}")
    return status, lines, found


def try_together(inputs, folder):
    """One `check` of all files; every message begins with its file's name."""
    for number, one in enumerate(inputs):
        (folder / f"{number}.dir").mkdir()
        put_input(one, folder / f"{number}.dir", f"{number}.dir/")
    before = snapshot(folder)
    status, lines, _ = call(["check", *(f"{number}.dir/s.yaml" for number in range(len(inputs)))], folder, {},
                            inputs=len(inputs))
    said, last = [[] for _ in inputs], 0
    for line in lines:  # without a file's name: more of the last one
        number, _, rest = line.partition(".dir/")
        last = int(number) if number.isdigit() else last
        said[last].append((rest or line).replace(f"{last}.dir/", ""))
    found = [list(complaints(one, 2 if any(": error: " in line for line in lines) else 0, lines))
             for one, lines in zip(inputs, said)]
    if status != 2 or snapshot(folder) != before:
        found[0].append(f"all together: exit status {status}, or something written")
    return found


def main():
    inputs, bad = read_rows(), 0
    first = {one.row: one for one in reversed(inputs)}
    alone = [one for one in inputs if EACH or SHOW or not one.plain() or first[one.row] is one]
    together = [one for one in inputs if one.plain()]
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        results = []
        for number, one in enumerate(alone):
            status, lines, found = try_alone(one, root / str(number))
            results.append((one, found))
            if SHOW:
                print(f"== {one.row}\n-- {one.name}\n{status}\n" + "\n".join(f">> {line}" for line in lines))
                print("\n".join(f"!! {text}" for text in found if "wrote" in text or "control" in text))
        if not SHOW:
            (root / "all").mkdir()
            results += zip(together, try_together(together, root / "all"))
    for one, found in () if SHOW else results:
        for text in dict.fromkeys(found):
            print(f"{ROWS.name}: {one.row}: {one.name}: {text}")
            bad += 1
    if any(not one.expected for one in inputs) and not SHOW:
        bad += 1
        print("an input without an expectation:", [one.name for one in inputs if not one.expected])
    print(f"{len(inputs)} inputs of {len(first)} rows, {len(alone)} of them on their own; {bad} complaints")
    sys.exit(bool(bad))


main()
