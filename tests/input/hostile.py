# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile names and titles: what a sweep file may say goes through check, run, table, plot, report, export and animate
under strace. It starts no process but the program, gnuplot and what asks for a font, writes nothing outside the results directory and the
pages beside it, and comes out as text. Argument: the program."""
import csv
import html.parser
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.realpath(sys.argv[1])
STRINGS = [
    "`touch pwned`", "$(touch pwned)", "< touch pwned", "| touch pwned", "|touch pwned", "; touch pwned;",
    "& touch pwned", "a' . system('touch pwned') . '", 'a" . system("touch pwned") . "', "'; !touch pwned #",
    "\"'`", "a\nb", "a\n!touch pwned", "-rf", "--output=pwned", "../../pwned", "/tmp/pwned", "..", "%s%n%999999d",
    "%(touch)", "\\write18{touch pwned}", "\\input{/etc/passwd}", "\\end{tabular}\\immediate\\write18{touch pwned}",
    "$x^2_3$ & # { } ~ ^", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg/onload=alert(1)>",
    "</td></table><h1>x", "=cmd|'/c calc'!A1", "@SUM(1+1)", "+1-1", "héé 数学 ẞ 🎉", "a\tb", "&lt;b&gt; &amp;",
    "[a](javascript:alert(1)) | b", "x" * 3000]
REFUSED = ["\x1b[31mred", "\x1b]0;title\x07", "\u202egpj.exe", "\x00cut", "\x9b31m", "\x7f", "a\u2028b"]  # by E110
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
FONT = "fc-match --format '%{family}' 'Nimbus Sans' 2>/dev/null"  # plots/style.gp asks so, whatever the names are
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PETSC_"))}
CLEAN["ASAN_OPTIONS"] = CLEAN.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # LeakSanitizer does not run under strace
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0.%02d\nf 1 2 3\n"
KIND = "kind: curves, x: substeps, y: steps_done, series: [integrator, drag]"


def quoted(text):
    return json.dumps(text, ensure_ascii=False)  # a JSON string is a YAML string


def told(text):
    """For places where {…} is an expression, which these are not."""
    return quoted(re.sub("[{}]", "/", text))


def sweep(meshes):
    """Every string in every place for text: each in a table, a figure, a claim, an exclusion of its own."""
    lines = ["springbench: 1", "name: hostile", f"question: {quoted(' '.join(STRINGS[:20]))}",
             f"source: {quoted(' '.join(STRINGS[20:]))}", "timed: false", "driver: blowup",
             "defaults: {frames: 2, frame_seconds: 0.02, substeps: 1, gravity: [0, 0, 0], save: 'every:1'}", "sweep:",
             f"  - {{defaults: {{scene: mesh, pins: none}}, grid: {{mesh: [{', '.join(map(quoted, meshes))}], "
             "stiffness: [1, 2, 3]}}",
             "  - {defaults: {scene: rope, nodes: 8}, grid: {integrator: [explicit_euler, symplectic_euler], "
             "substeps: [4, 64], drag: [0, 0.01]}}", "exclude:"]
    lines += [f"  - {{when: stiffness == 3, because: {quoted(text)}}}" for text in STRINGS]
    lines += ["tables:"]
    for number, text in enumerate(STRINGS):
        t, n = quoted(text), told(text)
        lines.append(f"  - {{id: t{number}, title: {n}, note: {n}, rows: mesh, columns: [{{label: {t}, unit: {t}, value: "
                     "stiffness}], where: stiffness == 1}")
    lines += ["figures:"] + [f"  - {{id: f{n}, title: {told(text)}, {KIND}, where: scene == rope}}" for n, text in enumerate(STRINGS)]
    lines += ["animations:", f"  - {{id: a, title: {told(' '.join(STRINGS[:8]))}, frames: 2, where: stiffness == 2 and "
              f"mesh == {quoted(meshes[0])}}}" if '"' not in meshes[0] else "  []", "expect:"]
    lines += [f"  - {{claim: {told(text)}, test: 'count(stiffness) > 0', where: 'stiffness == 1', contradicted: {told(text)}}}"
              for text in STRINGS]
    return "\n".join(lines) + "\n"


def trace(folder, *arguments, status=(0,)):
    """Runs a command; gives its output. The caller judges the programs that it executes and the files that it
    writes."""
    log = folder / "trace"
    done = subprocess.run(["strace", "-f", "-s", "4096", "-o", str(log), "-e",
                           "trace=execve,execveat,chdir,open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,"
                           "mkdir,mkdirat,symlink,symlinkat,link,linkat,truncate,chmod,fchmodat,mknod,mknodat",
                           PROGRAM, *arguments], cwd=folder / "work", capture_output=True, timeout=900, env=CLEAN)
    assert done.returncode in status, (arguments, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    judge(log.read_text(encoding="utf-8", errors="replace"), folder / "work")
    for stream in (done.stdout, done.stderr):
        text = stream.decode("utf-8")
        bad = [c for c in text if (ord(c) < 32 and c not in "\n\f")  # gnuplot begins a drawing of text by a form feed
               or 127 <= ord(c) < 160 or c in "\u202e\u2028\u2066"]
        assert arguments[0] == "animate" or not bad, (arguments, bad[:5])
    assert not list(folder.rglob("pwned*")), arguments
    return done.stdout.decode("utf-8")


def judge(text, work):
    place = {}  # of every process
    for line in text.splitlines():
        call = re.match(r"(\d+)\s+(\w+)\((.*)\)\s+=\s+(-?\d+)", line)
        if not call or int(call[4]) < 0:
            continue
        process, name, rest = call[1], call[2], call[3]
        paths = [path.encode("latin-1", "replace").decode("unicode_escape", "replace")
                 for path in re.findall(r'"((?:[^"\\]|\\.)*)"', rest)]
        here = place.get(process, str(work))
        if name.startswith("execve"):
            own = paths[1:] == ["sh", "-c", FONT] or paths[1:] == shlex.split(FONT.partition(" 2>")[0])
            ours = re.fullmatch(r"/proc/self/(exe|fd/\d+)|.*/springbench(-cases)?|.*/gnuplot(-nox)?", paths[0])
            assert own or ours, line
        elif name == "chdir":
            place[process] = os.path.normpath(os.path.join(here, paths[0]))
        elif "O_TMPFILE" not in rest and (name not in ("open", "openat") or WRITES.search(rest)):
            for path in paths[:2 if name in ("rename", "renameat", "renameat2", "link", "linkat", "symlink") else 1]:
                assert allowed(os.path.normpath(os.path.join(here, path)), work), line


def allowed(path, work):
    if path.startswith(("/dev/null", "/dev/shm/", "/dev/tty", "/proc/self/", "/tmp/ompi.", "/tmp/openmpi-")):
        return True
    inside = path == f"{work}/out" or path.startswith((f"{work}/out/", f"{work}/export"))
    pages = os.path.dirname(path) == str(work) and os.path.basename(path).startswith(("index.md", "REPRODUCED.md", "report.html", "."))
    return inside or pages


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.bad, self.text, self.scripts = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.bad += [(tag, name) for name, value in attrs if name.startswith("on") or
                     str(value).strip().lower().startswith("javascript:")]
        self.scripts += tag == "script"
        self.bad += [(tag, attrs)] if tag in ("iframe", "object", "embed") or self.scripts > 1 else []

    def handle_data(self, data):
        self.text.append(data)


def check_texts(out):
    page = Page()
    page.feed((out / "report.html").read_text(encoding="utf-8"))
    assert not page.bad, page.bad
    text = " ".join(" ".join(page.text).split())
    for one in STRINGS:
        assert " ".join(one.split()) in text or one in ("..",), ("report.html", one)
    for number, one in enumerate(STRINGS):
        tex = (out / f"tables/t{number}.tex").read_text(encoding="utf-8")
        words = set(re.findall(r"\\([A-Za-z]+)", tex))
        assert not words & {"write", "input", "immediate", "include", "openout", "catcode", "def", "csname"}, (one, words)
        with open(out / f"tables/t{number}.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.reader(line for line in file if not line.startswith("#")))
        assert len({len(line) for line in lines}) == 1, (one, lines)


def check_refused(folder):
    for number, text in enumerate(REFUSED):
        name = f"r{number}.yaml"
        (folder / "work" / name).write_text(f"springbench: 1\nname: n\nquestion: {quoted(text)}\ndefaults: {{scene: rope}}\n",
                                            encoding="utf-8")
        done = subprocess.run([PROGRAM, "check", name], cwd=folder / "work", capture_output=True, env=CLEAN, check=False)
        message = done.stderr.decode("utf-8")
        assert done.returncode == 2 and "[E110]" in message, (text, message)
        assert not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 or c in "\u202e\u2028" for c in message), message


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    work = folder / "work"
    work.mkdir()
    meshes = []
    for number, text in enumerate(STRINGS):
        if not re.search(r"[/\n\t\0]", text) and len(text) < 200:
            (work / f"{text} {number}.obj").write_text(MESH % number, encoding="ascii")
            meshes.append(f"{text} {number}.obj")
    (work / "s.yaml").write_text(sweep(meshes), encoding="utf-8")
    check_refused(folder)
    trace(folder, "check", "s.yaml")
    trace(folder, "plan", "s.yaml", "-o", "out")
    trace(folder, "run", "s.yaml", "-o", "out", "-j", "2")
    for form in ("text", "md", "csv", "tex"):
        trace(folder, "table", "out", "--format", form)
    trace(folder, "plot", "out", "f0", "--term", "svg")
    trace(folder, "plot", "out", "f1", "--term", "dumb")
    trace(folder, "report", "out")
    trace(folder, "verify", "out", status=(0, 3))
    trace(folder, "status", "out")
    key = sorted((work / "out/cases").glob("*.h5"))[0].stem
    trace(folder, "show", f"out/{key}")
    for form in ("csv", "json", "xdmf"):
        trace(folder, "export", f"out/{key}", "--to", form)
    trace(folder, "animate", f"out/{key}")
    check_texts(work / "out")
    cases = len(list((work / "out/cases").glob("*.h5")))
    shutil.rmtree(folder)
    print(f"{len(STRINGS)} strings as text, {len(REFUSED)} refused, {len(meshes)} file names in {cases} cases: "
          "no process started, nothing written elsewhere")


main()
