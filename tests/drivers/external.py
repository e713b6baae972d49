# SPDX-License-Identifier: GPL-3.0-or-later
"""Driver external: a simulator that misbehaves in every way, and the two adapters of examples/simulators.
usage: external.py PROGRAM [TEST ...]"""
import json
import os
import pathlib
import subprocess
import sys
import time

import h5py
import numpy

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from program import PROGRAM, Program, main  # noqa: E402

EXAMPLES = ROOT / "examples" / "simulators"
LIBRARY = pathlib.Path(PROGRAM).resolve().parents[1] / "library" / "libspringbench.so.1"
# A simulator whose net does not move. Its options name what it does wrong.
FAKE = """import array, json, os, signal, sys, time
given = json.load(open("options.json"))
way, frames = given["simulator_options"], given["frames"] + 1
start = array.array("d", open("position.f64", "rb").read())
places = [array.array("d", start) for _ in range(frames)]
times = [k * given["steps_per_frame"] * given["h"] for k in range(frames)]
said = {"times": times}
def daemon(seconds):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            open(f"{OUT}/daemon", "w").write(str(os.getpid()))
            time.sleep(seconds)
        os._exit(0)
    while not os.path.exists(f"{OUT}/daemon"): time.sleep(0.01)
if way == "status": print("no licence"); sys.exit(3)
if way == "crash": os.kill(os.getpid(), signal.SIGSEGV)
if way == "nothing": sys.exit(0)
if way == "nan": places[3][4] = float("nan")
if way == "far": places[2][4] = 1e9
if way == "millimetres": places[0] = array.array("d", [1000 * a for a in start])
if way == "decimetres": places[0] = array.array("d", [10 * a for a in start])
if way == "vertices": places = [p[3:] for p in places]
if way == "fewer": places.pop()
if way == "more": places.append(start)
if way == "few_times": times.pop()
if way == "milliseconds": said["times"] = [1000 * t for t in times]
if way == "words": said["times"] = ["0"] * frames
if way == "negative": said["seconds_per_step"] = -1
if way == "own": said["seconds_per_step"] = 0.25
if way == "memory":
    if os.fork() == 0: held = bytearray(os.urandom(1 << 20)) * 600; time.sleep(60); os._exit(0)
    time.sleep(60)
if way in ("daemon", "hang"): daemon(300)
if way == "hang": time.sleep(300)
if way == "disk":
    for k in range(4): open(f"waste{k}", "wb").write(bytes(40 << 20)); time.sleep(0.2)
if way == "unlinked":
    held = [open(f"waste{k}", "wb") for k in range(4)]
    for k, file in enumerate(held): os.unlink(f"waste{k}"); file.write(bytes(40 << 20)); file.flush()
    time.sleep(60)
if way == "folders":
    for k in range(4000): os.mkdir(f"folder{k}")
    time.sleep(300)
if way == "file": signal.signal(signal.SIGXFSZ, signal.SIG_DFL); open("waste", "wb").write(bytes(100 << 20))
if way == "noise": print("\\x1b[2J" + "x" * 1000000)
if way == "input" and sys.stdin.read() != "": sys.exit(1)
if way == "closed": os.mkdir("deep"); open("deep/file", "w"); os.chmod("deep", 0)
if way == "inf": places[2][4] = float("inf")
if way == "nan_first": places[0][4] = float("nan")
if way == "nan_last": places[-1][0] = float("nan")
if way == "swapped": places = [p[3:6] + p[:3] + p[6:] for p in places]
if way == "mirrored": places[0] = array.array("d", [-a for a in start])
if way == "moved": places[0] = array.array("d", [a + 1 for a in start])
if way == "single": places = [array.array("f", p) for p in places]
if way == "big_endian": [p.byteswap() for p in places]
if way == "times_null": said["times"] = None
if way == "times_absent": said = {}
if way == "times_late": said["times"] = [t + 1 for t in times]
if way == "times_back": said["times"] = times[::-1]
if way == "times_nested": said["times"] = [times] * frames
if way == "zero_own": said["seconds_per_step"] = 0
if way == "text_own": said["seconds_per_step"] = "fast"
if way == "huge_own": said["seconds_per_step"] = 10**400
if way == "list": said = [said]
if way == "flood":
    while True: sys.stdout.write("x" * 1000000)
if way == "silent": os.close(1); os.close(2)
if way == "last_line": sys.stderr.buffer.write(b"\\xff\\xfe\\x1b]0;title\\a"); sys.exit(1)
if way == "argument": sys.exit(256 + 7)
if way == "abort": os.abort()
if way == "kill": os.kill(os.getpid(), signal.SIGKILL)
if way == "children":
    for k in range(30):
        if os.fork() == 0: time.sleep(300); os._exit(0)
if way == "stopped_child":
    if os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP); os._exit(0)
if way == "files":
    for k in range(5000): open(f"file{k}", "w").close()
if way == "nested":
    for k in range(1500): os.mkdir("deeper"); os.chdir("deeper")
    sys.exit(0)
if way == "locked": os.chmod(".", 0)
if way == "removed": import shutil; shutil.rmtree(os.getcwd()); sys.exit(0)
if way == "replaced": here = os.getcwd(); os.rename(here, here + ".old"); os.symlink(OUT, here); sys.exit(0)
if way == "sparse": signal.signal(signal.SIGXFSZ, signal.SIG_DFL); open("waste", "wb").truncate(1 << 40)
if way == "inputs":
    for name in ("net.json", "options.json", "position.f64"): os.truncate(name, 0)
data = b"".join(p.tobytes() for p in places)
if way == "text": data = repr(places).encode()
if way == "empty": data = b""
if way == "extra": data += b"x"
if way == "half": data = data[:len(data) // 2]
if way == "link": open(f"{OUT}/elsewhere", "wb").write(data); os.symlink(f"{OUT}/elsewhere", "frames.f64")
elif way == "pipe": os.mkfifo("frames.f64")
elif way == "folder": os.mkdir("frames.f64")
elif way == "socket": import socket; socket.socket(socket.AF_UNIX).bind("frames.f64")
elif way == "loop": os.symlink("frames.f64", "frames.f64")
elif way != "no_frames": open("frames.f64", "wb").write(data)
if way == "long_velocities": open("velocities.f64", "wb").write(data + data)
if way == "nan_velocities": open("velocities.f64", "wb").write(array.array("d", [float("nan")] * (len(start) * frames)).tobytes())
if way == "velocities_link": os.symlink("frames.f64", "velocities.f64")
if way == "json_pipe": os.mkfifo("frames.json")
elif way == "json_link": json.dump(said, open(f"{OUT}/said", "w")); os.symlink(f"{OUT}/said", "frames.json")
elif way == "json_folder": os.mkdir("frames.json")
elif way == "json_deep": open("frames.json", "w").write("[" * 1000000)
elif way == "json_twice": open("frames.json", "w").write('{"times": 1, "times": %s}' % times)
elif way == "json_nan": open("frames.json", "w").write('{"times": %s}' % str(times).replace("0.02", "NaN"))
elif way == "json_bytes": open("frames.json", "wb").write(b'{"times": "\\xff"}')
elif way == "json_zero": open("frames.json", "wb").write(json.dumps(said).encode() + b"\\0")
if way.startswith("json_"): sys.exit(0)
if way == "short_velocities": open("velocities.f64", "wb").write(data[:-8])
if way == "json": open("frames.json", "w").write("{")
elif way != "no_times": json.dump(said, open("frames.json", "w"))
"""
# The theta method for the oscillator, with options theta, stiffer (a factor on its stiffness) and steps (of a step).
THETA = """import array, json
given = json.load(open("options.json"))
own = {"theta": 0.5, "stiffer": 1, "steps": 1, **dict((k, float(v)) for k, v in (w.split("=") for w in given["simulator_options"].split()))}
read = lambda name: array.array("d", open(name + ".f64", "rb").read())
places, speeds, k, m = read("position"), read("velocity"), read("stiffness")[0] * own["stiffer"], read("mass")[1]
x, v, t, c = places[3] - 1, speeds[3], own["theta"], given["options"].get("drag", 0)
h, steps = given["h"] / own["steps"], given["steps_per_frame"] * int(own["steps"])
frames, velocities = open("frames.f64", "wb"), open("velocities.f64", "wb")
for frame in range(given["frames"] + 1):
    places[3], speeds[3] = 1 + x, v
    frames.write(places.tobytes())
    velocities.write(speeds.tobytes())
    for _ in range(steps):
        known = x + h * (1 - t) * v
        v = (m * v - h * (1 - t) * (k * x + c * v) - h * t * k * known) / (m + h * t * c + h * h * t * t * k)
        x = known + h * t * v
json.dump({"times": [n * given["steps_per_frame"] * given["h"] for n in range(given["frames"] + 1)]}, open("frames.json", "w"))
"""
FAULTS = {  # way: (status, part of the reason)
    "status": ("error", "fake: exit status 3; its last line: no licence"), "crash": ("crashed", "killed by SIGSEGV"),
    "nothing": ("error", "left no frames.json"), "no_times": ("error", "left no frames.json"),
    "no_frames": ("error", "left no frames.f64: No such file"), "json": ("error", "frames.json is not JSON"),
    "half": ("error", "frames.f64 has"), "fewer": ("error", "6 frames of 4 vertices have 576"),
    "more": ("error", "frames.f64 has 672 bytes"), "vertices": ("error", "frames.f64 has 432 bytes"),
    "few_times": ("error", "has 5 times; expected 6"), "milliseconds": ("error", "has the time 20 at frame 1; expected 0.02"),
    "words": ("error", "the time of frame 0 is not a number"), "negative": ("error", "seconds_per_step that is not positive"),
    "millimetres": ("error", "frame 0 is not the start"), "decimetres": ("error", "frame 0 is not the start"),
    "link": ("error", "left no frames.f64"),
    "pipe": ("error", "left no frames.f64"), "folder": ("error", "frames.f64 has"),
    "short_velocities": ("error", "velocities.f64 has 568 bytes"), "disk": ("error", "wrote more than 64.0 MiB"),
    "file": ("error", "wrote more than 64.0 MiB"), "unlinked": ("error", "wrote more than 64.0 MiB"),
    "nan": ("diverged", "frame 3 (t = 0.06 s): a position is not finite"),
    "far": ("diverged", "frame 2 (t = 0.04 s): out of bounds"),
    "inf": ("diverged", "frame 2 (t = 0.04 s): a position is not finite"), "nan_last": ("diverged", "frame 5 (t = 0.1 s)"),
    "nan_velocities": ("error", "frame 0 is not the start"),
    **{way: ("error", "frame 0 is not the start") for way in ("nan_first", "swapped", "mirrored", "moved", "big_endian")},
    **{way: ("error", "frames.f64 has") for way in ("single", "text", "empty", "extra")},
    **{way: ("error", "has 0 times; expected 6") for way in ("times_null", "times_absent", "list")},
    "times_late": ("error", "has the time 1 at frame 0; expected 0"), "times_back": ("error", "has the time 0.1 at frame 0"),
    "times_nested": ("error", "the time of frame 0 is not a number"),
    **{way: ("error", "seconds_per_step that is not positive") for way in ("zero_own", "text_own")},
    **{way: ("error", "frames.json is not JSON") for way in (
        "huge_own", "json_folder", "json_deep", "json_twice", "json_nan", "json_bytes", "json_zero")},
    "json_link": ("error", "left no frames.json"), "json_pipe": ("error", "left no frames.json: not a regular file"), "socket": ("error", "left no frames.f64"), "loop": ("error", "left no frames.f64"),
    "long_velocities": ("error", "velocities.f64 has 1152 bytes"), "velocities_link": ("error", "velocities.f64"),
    "flood": ("error", "wrote more than 64.0 MiB"), "sparse": ("error", "wrote more than 64.0 MiB"),
    "last_line": ("error", "exit status 1"), "argument": ("error", "exit status 7"),
    "abort": ("crashed", "killed by SIGABRT"), "kill": ("crashed", "killed by SIGKILL"),
    "nested": ("error", "left no frames.json"), "removed": ("error", "left no frames.json"),
    "replaced": ("error", "left no frames.json"),
    "silent": ("ok", ""), "children": ("ok", ""), "stopped_child": ("ok", ""), "files": ("ok", ""), "locked": ("ok", ""),
    "inputs": ("ok", ""),
    "": ("ok", ""), "own": ("ok", ""), "daemon": ("ok", ""), "noise": ("ok", ""), "input": ("ok", ""), "closed": ("ok", "")}
NET = ["scene=rope", "nodes=4", "substeps=2", "frames=5", "frame_seconds=0.02"]
SWEEP = """springbench: 1
name: fakes
question: What does it do wrong?
source: this test
driver: external
timed: false
defaults: {scene: rope, nodes: 4, substeps: 2, frames: 5, frame_seconds: 0.02, simulator: fake}
sweep: [{grid: {simulator_options: [%s]}}]
tables: [{id: t, rows: simulator_options, columns: [{label: done, value: frames_done}]}]
"""


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class Simulators(Program):
    def setUp(self):
        super().setUp()
        self.place = self.folder / "tmp"
        self.place.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.place), "SPRINGBENCH_LIBRARY": str(LIBRARY)}

    def call(self, *arguments, **more):
        return super().call(*arguments, **{"env": self.environment, **more})

    def describe(self, **changes):
        """The description of the fake simulator."""
        (self.folder / "fake.py").write_text(f"OUT = {str(self.folder)!r}\n" + FAKE)
        text = {"springbench_simulator": 1, "name": "fake", "summary": "a fake", "command": [sys.executable, "{here}/fake.py"],
                "version_command": ["echo", "1.0"], "files": ["fake.py"], "maps": ["gravity"]}
        text.update(changes)
        file = self.folder / "fake.json"
        file.write_text(json.dumps({name: value for name, value in text.items() if value is not None}))
        return f"--simulator={file}"

    def example(self, name):
        """A description of examples/simulators for this Python, in a folder like theirs."""
        folder = self.folder / "clone" / "examples" / "simulators"
        if not folder.exists():
            folder.parent.mkdir(parents=True)
            folder.symlink_to(EXAMPLES)
            (self.folder / "clone" / "python").symlink_to(ROOT / "python")
        text = (EXAMPLES / f"{name}.json").read_text().replace('"python3"', json.dumps(sys.executable))
        file = self.folder / f"{name}.json"
        file.write_text(text.replace("{here}", str(EXAMPLES)).replace(f'["{name}.py"', f'["{EXAMPLES}/{name}.py"')
                        .replace('"../../', f'"{ROOT}/'))
        return f"--simulator={file}"

    def case(self, *words, status=0):
        return json.loads(self.call("case", "driver=external", *words, "--json", status=status).stdout)

    def rows(self, directory):
        return {event["row"]["key"]: event["row"] for kind in ("publish", "fail")
                for event in self.events(self.folder / directory, kind)}

    def ways(self, directory, description):
        plan = json.loads(self.call("plan", directory, "--format", "json", description).stdout)
        return {case["options"].get("simulator_options", ""): case["key"] for case in plan}

    def test_every_fault_is_a_row_with_a_reason(self):
        description = self.describe()
        (self.folder / "s.yaml").write_text(SWEEP % ", ".join(way or "''" for way in FAULTS))
        self.call("run", "s.yaml", "-o", "r", description, status=1)
        ways, rows = self.ways("r", description), self.rows("r")
        for way, (status, reason) in FAULTS.items():
            with self.subTest(way):
                row = rows[ways[way]]
                self.assertEqual(status, row["status"], row)
                self.assertIn(reason, row["reason"])
        columns = {way: rows[key]["columns"] for way, key in ways.items()}
        self.assertEqual((0.06, 2), (columns["nan"]["blowup_time"], columns["nan"]["frames_done"]))
        self.assertEqual((0.25, None), (columns["own"]["own_step_s"], columns[""]["own_step_s"]))
        self.assertEqual(("differences", "1.0", 5), tuple(columns[""][name] for name in ("velocities", "version", "frames_done")))
        self.assertGreater(columns[""]["error_final"], 0.9)  # the net does not fall
        self.assertEqual(rows[ways[""]]["digest"], rows[ways["noise"]]["digest"])
        self.wait_until_ended((self.folder / "daemon").read_text())
        self.wait_until_empty()

    def test_a_limit_of_time_ends_all_that_it_started(self):
        for more in [], ["--exec"]:
            with self.subTest(more):
                description = self.describe()
                (self.folder / "s.yaml").write_text(SWEEP % "hang")
                self.call("run", "s.yaml", "-o", "r" + "".join(more), "-t", "2s", *more, description, status=1)
                row, = self.rows("r" + "".join(more)).values()
                self.assertEqual(("timeout", "over the limit of 2 s"), (row["status"], row["reason"]))
                self.wait_until_ended((self.folder / "daemon").read_text())
                self.wait_until_empty()
                (self.folder / "daemon").unlink()

    def test_a_limit_of_memory_counts_what_it_started(self):
        (self.folder / "s.yaml").write_text(SWEEP % "memory")
        self.call("run", "s.yaml", "-o", "r", "-m", "400M", self.describe(), status=1)
        row, = self.rows("r").values()
        self.assertEqual("oom", row["status"], row)
        self.wait_until_empty()  # without a further case: the runner removes it

    def wait_until_ended(self, pid):
        """A process that was killed may still be on its way out; a daemon that was not lives for five minutes."""
        for _ in range(600):
            if not is_running(pid):
                return
            time.sleep(0.05)
        self.fail(f"still running: {pid}")

    def wait_until_empty(self):
        """Folders are removed in the background."""
        for _ in range(6000):
            if not list(self.place.iterdir()):
                return
            time.sleep(0.05)
        self.fail(f"still there: {list(self.place.iterdir())}")

    def test_what_one_leaves_does_not_decide_the_row_of_another(self):
        """The removal of its folders would take longer than the limit on a slow disk."""
        description = self.describe()
        for more in [], ["--exec"]:
            (self.folder / "s.yaml").write_text(SWEEP % "folders, '', own")
            self.call("run", "s.yaml", "-o", "r" + "".join(more), "-j", "1", "-t", "8s", *more, description, status=1)
            rows = self.rows("r" + "".join(more))
            self.assertEqual({"folders": "timeout", "": "ok", "own": "ok"},
                             {way: rows[key]["status"] for way, key in self.ways("r" + "".join(more), description).items()})
        self.wait_until_empty()

    def test_a_case_removes_what_killed_ones_left_in_the_background(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        left = self.place / f"springbench-simulator.{os.uname().nodename}.{dead.pid}.abcdef"
        left.mkdir(mode=0o700)
        for k in range(20):
            (left / f"folder{k}").mkdir()
        self.case("simulator=fake", *NET, self.describe())
        self.wait_until_empty()

    def test_one_that_cannot_start(self):
        row = self.case("simulator=fake", *NET, self.describe(command=["no_such_program"]), status=1)
        self.assertIn("cannot start no_such_program: No such file", row["reason"])

    def test_descriptions_that_are_wrong(self):
        for changes, text in [({"name": "My Fake"}, "lower-case letters"), ({"name": "none"}, "is taken"), ({"what": 1}, "what"),
                              ({"command": None}, "command"), ({"command": "fake.py"}, "'command' is not a list of words"),
                              ({"maps": ["mass"]}, "unknown option 'mass'"), ({"files": ["no.py"]}, "cannot read"),
                              ({"version_command": ["false"]}, "version_command failed: exit status 1"),
                              ({"version_command": ["true"]}, "prints no plain text"), ({"summary": ""}, "'summary'"),
                              ({"version_command": ["no_such_program"]}, "cannot start no_such_program"),
                              ({"springbench_simulator": 2}, "reads format 1")]:
            with self.subTest(text):
                self.assertIn(text, self.call("list", "simulators", self.describe(**changes), status=2).stderr)
        self.assertIn("takes a file", self.call("list", "--simulator", status=2).stderr)
        self.assertIn("cannot load the simulator", self.call("list", "--simulator=no.json", status=2).stderr)

    def test_forces_that_it_does_not_know_are_refused(self):
        line = ["case", "driver=external", "simulator=fake", *NET, "drag=1"]
        self.assertIn("neither maps nor ignores drag", self.call(*line, self.describe(), status=2).stderr)
        self.call(*line, self.describe(ignores=["drag"]))
        self.assertIn("neither maps nor ignores gravity", self.call(*line[:-1], self.describe(maps=[]), status=2).stderr)
        self.assertIn("one process", self.call(*line[:-1], "ranks=2", self.describe(), status=2).stderr)

    def test_is_named_by_the_user_alone(self):
        (self.folder / "s.yaml").write_text(SWEEP % "own")
        description = self.describe()
        self.call("run", "s.yaml", "-o", "r")
        row, = self.rows("r").values()
        self.assertEqual("skipped", row["status"])
        self.assertIn("simulator 'fake' is not described; examples/simulators/install.sh installs", row["reason"])
        self.assertFalse((self.folder / "daemon").exists())
        self.call("run", "s.yaml", "-o", "r", description)
        table = self.call("table", "r", "t", description).stdout
        (self.folder / "fake.py").unlink()
        (self.folder / "fake.json").unlink()
        self.assertEqual(table, self.call("table", "r", "t").stdout)
        self.assertIn("1  ok", self.call("status", "r").stdout)
        self.assertNotIn("skipped", self.call("status", "r").stdout)
        for again in ("s.yaml", "-o", "r"), ("r",):  # its result stands for it
            self.call("run", *again)
            self.assertIn("1  ok", self.call("status", "r").stdout)
        self.call("merge", "joined", "r")
        self.assertEqual(table, self.call("table", "joined", "t").stdout)
        for words in ((), (), (self.describe(),)):  # not here, its result stands for the case; here again, it is the case
            self.assertIn("1 cases: 1 done, 0 skipped, 0 to run", self.call("run", "s.yaml", "-o", "r", "-v", *words).stderr)
            self.assertIn("r, 1 case\n", self.call("status", "r").stdout)
            self.assertEqual(table, self.call("table", "r", "t").stdout)
        self.call("report", "r")
        said, = filter(None, (h5py.File(file)["provenance"].attrs.get("plugins")
                              for file in (self.folder / "r" / "cases").glob("*.h5")))
        self.assertRegex(str(said), "simulator=fake [0-9a-f]{64}")
        self.assertIn("needs simulator=NAME", self.call("case", "driver=external", *NET, status=2).stderr)

    def test_its_key_has_its_files_and_its_version(self):
        line = ["simulator=fake", *NET]
        keys = []
        for version in ("1.0", "1.0", "1.1"):
            (self.folder / "version").write_text(version)
            keys.append(self.case(*line, self.describe(version_command=["cat", "{here}/version"]))["key"])
        with open(self.folder / "other.py", "w") as other:
            other.write("a = 1")
        keys.append(self.case(*line, self.describe(files=["fake.py", "other.py"]))["key"])
        (self.folder / "other.py").write_text("a = 2")
        keys.append(self.case(*line, self.describe(files=["fake.py", "other.py"]))["key"])
        self.assertEqual(keys[0], keys[1])
        self.assertEqual(4, len(set(keys)))
        ours = ["case", "scene=cloth", "grid=3", "integrator=implicit_euler", "h=0.01", "steps=1", "--json"]
        loaded = self.call(*ours, self.describe(maps=["gravity", "integrator", "minimizer", "max_iterations", "drag"])).stdout
        self.assertEqual(json.loads(self.call(*ours).stdout)["key"], json.loads(loaded)["key"])

    def test_its_version_command_runs_once(self):
        (self.folder / "s.yaml").write_text(SWEEP % "own, nan, far")
        tell = "import sys; open(sys.argv[1], 'a').write('x'); print(1)"
        description = self.describe(version_command=[sys.executable, "-c", tell, "{here}/asked"])
        for more in [], ["--exec"]:
            self.call("run", "s.yaml", "-o", "r" + "".join(more), *more, description)
            self.assertEqual("x", (self.folder / "asked").read_text())
            (self.folder / "asked").unlink()

    def test_a_method_may_be_called_springbench(self):
        text = (SWEEP % "own").replace("sweep:", "methods: {springbench: {simulator: fake}}\nsweep:")
        (self.folder / "s.yaml").write_text(text.replace("[{grid: {", "[{grid: {method: [springbench], "))
        for _ in range(2):
            self.call("run", "s.yaml", "-o", "r", self.describe())

    def test_which_integrator_it_is(self):
        net = ["scene=oscillator", "stiffness=100", "amplitude=1e-3", "h=1/60", "duration=1"]
        for integrator, found in (("explicit_euler", "explicit_euler"), ("symplectic_euler", "symplectic_euler"),
                                  ("velocity_verlet", "symplectic_euler"), ("rk4", "rk4")):
            columns = self.case("simulator=springbench_python", *net, f"integrator={integrator}",
                                self.example("springbench_python"))["columns"]
            self.assertEqual((found, 1), (columns["found_method"], columns["found_substeps"]), columns)
            self.assertLess(columns["found_distance"], columns["found_tolerance"])
            self.assertLess(columns["found_tolerance"], 1e-10)
        steps = self.case("simulator=numpy_euler", *net, "integrator=implicit_euler", self.example("numpy_euler"))["columns"]
        self.assertEqual(("implicit_euler", 1), (steps["found_method"], steps["found_substeps"]))
        kept = (1 + 100 / 3600) ** -0.5  # of a step
        self.assertAlmostEqual(kept**2, steps["step_determinant"], delta=1e-9)
        self.assertAlmostEqual(kept**60, steps["amplitude_kept"], delta=1e-7)
        self.assertAlmostEqual(2 * kept**2, steps["step_trace"], delta=1e-9)
        frames = self.case("simulator=numpy_euler", *net[:3], "substeps=5", "frame_seconds=1/60", "frames=120",
                           "integrator=implicit_euler", self.example("numpy_euler"))["columns"]
        self.assertEqual(("implicit_euler", 1), (frames["found_method"], frames["found_substeps"]))
        cloth = self.case("simulator=numpy_euler", "scene=cloth", "grid=4", "h=0.002", "duration=0.2",
                          "integrator=symplectic_euler", self.example("numpy_euler"))["columns"]
        self.assertEqual((None, None), (cloth["found_method"], cloth["found_substeps"]))  # it falls: no mode

    def theta(self, options, *words):
        (self.folder / "theta.py").write_text(THETA)
        description = self.describe(name="theta", command=[sys.executable, "{here}/theta.py"], files=["theta.py"], maps=["drag"],
                                    ignores=["gravity"])
        return self.case("simulator=theta", f"simulator_options={options}", "scene=oscillator", "stiffness=36", "steps=300", *words,
                         description)["columns"]

    def test_a_name_is_given_only_to_what_it_is(self):
        for drag in 0, 0.1:
            for theta, name, parameter in (0.5, "trapezoidal", None), (0.75, "theta", 0.75), (1, "implicit_euler", None), (0.7123, None, None):
                for h in "1/60", "0.002":
                    columns = self.theta(f"theta={theta}", f"h={h}", f"drag={drag}")
                    self.assertEqual((name, parameter), (columns["found_method"], columns["found_parameter"]), (theta, h, drag))
        for substeps in 1, 3, 64:
            columns = self.theta(f"theta=1 steps={substeps}", "h=1/30")
            self.assertEqual(("implicit_euler", substeps), (columns["found_method"], columns["found_substeps"]))
        columns = self.theta("stiffer=1.01 steps=64", "h=1/60")
        self.assertEqual((None, None), (columns["found_method"], columns["found_substeps"]))
        self.assertAlmostEqual(36.36, columns["found_stiffness"], delta=1e-4)
        self.assertAlmostEqual(0, columns["found_damping"], delta=1e-9)
        self.assertAlmostEqual(0, columns["velocity_delay"], delta=1e-9)

    def test_a_motion_without_a_mode_has_no_amplitude(self):
        verlet = ["simulator=springbench_python", "integrator=velocity_verlet", self.example("springbench_python")]
        oscillator = ["scene=oscillator", "stiffness=100", "amplitude=0.1", "substeps=128", "frame_seconds=1/60", "frames=20"]
        for words in ([*oscillator, "initial_velocity=[0,1,0]"], ["scene=cloth", "grid=6", "stiffness=100", "substeps=64", "frames=30"],
                      ["scene=rope", "nodes=5", "substeps=64", "frames=15"]):
            columns = self.case(*verlet, *words)["columns"]
            self.assertLess(columns["error"], 1e-3)
            for name in ("amplitude_kept", "step_trace", "step_determinant", "found_distance", "found_stiffness"):
                self.assertIsNone(columns[name], name)
        self.assertAlmostEqual(1, self.case(*verlet, *oscillator)["columns"]["amplitude_kept"], delta=1e-9)

    def test_energy_without_velocities_or_with_losses(self):
        net = ["scene=cloth", "grid=4", "stiffness=100"]
        errors = []
        for frames in 50, 100:  # of a second
            self.call("case", *net, "integrator=rk4", "h=0.0005", "duration=1", f"save=every:{2000 // frames}", "-o", "v.h5")
            with h5py.File(self.folder / "v.h5") as file:
                place = file["particles/all/position"]
                self.motion("x.h5", value=place["value"][:], time=place["time"][:])
            row = json.loads(self.call("measure", "x.h5", *net, "--json").stdout)["columns"]
            self.assertEqual("differences", row["velocities"])
            errors.append(row["energy_error_max"])
        self.assertLess(errors[1], errors[0] / 3)  # of order 2, in the last frame too
        moved = ["integrator=symplectic_euler", "h=0.002", "duration=0.1"]
        columns = [json.loads(self.call("case", *net, *moved, words, "--json").stdout)["columns"] for words in (
            "drag=0.1", "spring_damping=0.1", "damping_rate=1", "pin_path=oscillation:amplitude=[0,0,0.1],frequency=1")]
        columns.append(self.case("simulator=springbench_python", *net, *moved, "drag=0.1", self.example("springbench_python"))["columns"])
        for row in columns:
            self.assertIsNone(row["energy_error_max"])
            self.assertIsNotNone(row["energy_final"])

    def motion(self, name="m.h5", group="beads", value=None, time=0.01, unit="m", **more):
        """An H5MD file by h5py, as another program might write it; positions of the rope of NET by default."""
        with h5py.File(self.folder / name, "w") as file:
            for place in (group, *more):
                file[f"particles/{place}/position/value"] = self.positions if value is None else value
                file[f"particles/{place}/position/value"].attrs["unit"] = unit
                if time is not None:
                    file[f"particles/{place}/position/time"] = time
        return name

    def test_measures_the_motion_of_a_file(self):
        net = ["scene=rope", "nodes=4"]
        self.call("case", *net, "integrator=symplectic_euler", "h=0.01", "steps=20", "save=every:1", "-o", "ours.h5")
        with h5py.File(self.folder / "ours.h5") as file:
            self.positions, times = (file[f"particles/all/position/{name}"][:] for name in ("value", "time"))
        row = json.loads(self.call("measure", "ours.h5", *net, "-o", "out.h5", "--json").stdout)
        again = json.loads(self.call("measure", self.motion(time=times + 5), *net, "--json").stdout)
        self.assertEqual(("ok", 20, "simulator"), (row["status"], *(row["columns"][n] for n in ("frames_done", "velocities"))))
        self.assertEqual("differences", again["columns"]["velocities"])
        self.assertEqual(row["columns"]["error"], again["columns"]["error"])
        with h5py.File(self.folder / "out.h5") as file:
            self.assertTrue(numpy.array_equal(file["particles/all/position/value"][:], self.positions))
        self.call("animate", "out.h5", "-o", "film.gif")
        single = json.loads(self.call("measure", self.motion(value=self.positions.astype("f4")), *net, "--json").stdout)
        self.assertAlmostEqual(row["columns"]["error"], single["columns"]["error"], delta=1e-3)
        self.assertNotEqual(again["key"], single["key"])  # the file's content is part of it
        broken = self.positions.copy()
        broken[7, 2, 1] = numpy.nan
        row = json.loads(self.call("measure", self.motion(value=broken), *net, "--json").stdout)
        self.assertEqual(("diverged", 6), (row["status"], row["columns"]["frames_done"]))
        for words, reason in ((["scene=rope", "nodes=5"], "it has 4 vertices; the net has 5"), ([*net, "frames=3"], "it has 21 times; expected 4"),
                              (["scene=rope", "nodes=4", "rope_to=[0,-9,0]"], "frame 0 is not the start")):
            row = json.loads(self.call("measure", self.motion(), *words, "--json", status=1).stdout)
            self.assertIn(reason, row["reason"])
        self.assertIn("leave 'simulator' out", self.call("measure", "m.h5", *net, "simulator=fake", self.describe(), status=2).stderr)
        for command in ["show", "m.h5"], ["animate", "m.h5"], ["export", "m.h5", "--to", "csv"]:
            self.assertIn("springbench measure", self.call(*command, status=2).stderr)

    def test_measures_depths_and_crossings(self):
        net = ["scene=cloth", "grid=10", "collider=sphere:centre=[0.5,0.5,-0.5],radius=0.3", "contact=penalty"]
        ours = json.loads(self.call("case", *net, "integrator=symplectic_euler", "h=0.002", "duration=1", "save=every:1",
                                    "-o", "c.h5", "--json").stdout)["columns"]
        theirs = json.loads(self.call("measure", "c.h5", *net, "--json").stdout)["columns"]
        self.assertGreater(theirs["penetration_max"], 0.001)
        for name in ("penetration_max", "face_penetration_max", "intersecting_pairs_max", "gap_min", "gap_mean"):
            self.assertEqual(ours[name], theirs[name], name)

    def test_refuses_a_file_that_is_no_motion(self):
        self.positions = numpy.zeros((3, 4, 3))
        with h5py.File(self.folder / "secret.h5", "w") as file:
            file["x"] = self.positions
        outside = ["value", h5py.ExternalLink("secret.h5", "x")], ["value", None]
        for make, reason in ((lambda: self.motion(unit="furlong"), "is in furlong, which is unknown; write it in SI"), (lambda: self.motion(time=None), "it has no"),
                             (lambda: self.motion(time=-1.0), "length of a frame must be above 0"), (lambda: self.motion(time=[0.0, 1.0]), "not an array of 3 numbers"),
                             (lambda: self.motion(value=numpy.zeros((1, 4, 3))), "at least two frames"),
                             (lambda: self.motion(value=numpy.zeros((3, 4))), "is not an array"), (lambda: self.motion(value=numpy.zeros((3, 4, 2))), "is not an array"),
                             (lambda: self.motion(other=True), "several groups"), (lambda: "secret.h5", "no group of particles"),
                             (lambda: "no.h5", "No such file")):
            self.assertIn(reason, self.call("measure", make(), "scene=rope", "nodes=4", status=2).stderr)
        for name, item in outside:
            with h5py.File(self.folder / self.motion(), "a") as file:
                group = file["particles/beads/position"]
                del group[name]
                if item:
                    group[name] = item
                else:
                    kept = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                    kept.set_external(b"secret.h5", 0, 8 * self.positions.size)
                    h5py.h5d.create(group.id, name.encode(), h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((3, 4, 3)), kept)
            self.assertNotEqual("", self.call("measure", "m.h5", "scene=rope", "nodes=4", status=2).stderr)

    def test_lines_for_other_engines_name_it(self):
        (self.folder / "s.yaml").write_text(SWEEP % "own")
        line = self.call("plan", "s.yaml", "--format", "commands", self.describe()).stdout.strip()
        self.assertIn(f"SPRINGBENCH_SIMULATORS={self.folder.resolve()}/fake.json", line)

    def both(self, name, *words):
        """The row and the positions by an example and by driver trajectory."""
        rows = [self.case(f"simulator={name}", *words, "save=every:1", "-o", "a.h5", self.example(name)),
                json.loads(self.call("case", *words, "save=every:1", "-o", "b.h5", "--json").stdout)]
        places = []
        for file in ("a.h5", "b.h5"):
            with h5py.File(self.folder / file) as case:
                places.append(numpy.array([case[f"frames/{k}/position"][:] for k in range(len(case["frames"]))]))
        return rows, places

    def test_springbench_itself_has_the_same_bits(self):
        for words in (["scene=cloth", "grid=6", "integrator=implicit_euler", "h=0.01", "duration=0.1", "drag=0.01"],
                      ["scene=rope", "nodes=8", "substeps=10", "frames=20"], ["scene=rope", "nodes=8", "substeps=2", "frames=20"],
                      ["scene=cloth", "grid=4", "integrator=rk4", "h=0.001", "duration=0.1", "spring_damping=0.1"]):
            with self.subTest(words):
                (ours, theirs), (a, b) = self.both("springbench_python", *words)
                self.assertEqual(ours["status"], theirs["status"])
                self.assertTrue(numpy.array_equal(a, b))
                for name in set(ours["columns"]) & set(theirs["columns"]):
                    self.assertEqual(ours["columns"][name], theirs["columns"][name], name)

    def test_numpy_has_the_same_motion(self):
        words = ["scene=cloth", "grid=4", "h=0.001", "duration=0.1", "gradient_tolerance=1e-10"]
        for integrator, drag in ("explicit_euler", 0.01), ("symplectic_euler", 0.01), ("implicit_euler", 0):
            with self.subTest(integrator):
                given = words if integrator == "implicit_euler" else words[:-1]
                (ours, _), (a, b) = self.both("numpy_euler", *given, f"integrator={integrator}", f"drag={drag}")
                self.assertLess(numpy.abs(a - b).max(), 1e-11)
                self.assertEqual("simulator", ours["columns"]["velocities"])
                self.assertTrue(0 < ours["columns"]["truth_error"] < ours["columns"]["error_final"] < 0.1)


if __name__ == "__main__":
    main()
