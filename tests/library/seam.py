# SPDX-License-Identifier: GPL-3.0-or-later
"""Plug-ins that see the net: the bits of examples/own_*.c on random nets, planted lies, keys of their data files, objects
built with the header of 1.0. usage: seam.py PROGRAM LIBRARY [TEST ...]; SB_NETS: how many random nets (12)
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
LIBRARY = sys.argv.pop(2)
from program import Program, main  # noqa: E402

SOURCE = {name: (ROOT / "examples" / f"own_{name}.c").read_text() for name in ("vbd", "xpbd", "projective", "avbd")}
NET = ["scene=cloth", "grid=6", "integrator=implicit_euler", "h=0.01", "steps=12", "max_iterations=6"]
# The plug-in reads a factor from the file that its options name.
PART = SOURCE["vbd"].replace("  (void)unknowns;\n  if (*options) strncpy(error, \"my_vbd has no options\", size - 1);\n"
                             "  return *options ? NULL : calloc(1, sizeof(vbd));", """  (void)unknowns, (void)size;
  FILE *file = *options == '@' ? fopen(options + 1, "r") : NULL;
  if (!file || fscanf(file, "%lf", &part) != 1) return strcpy(error, "no number"), NULL;
  fclose(file);
  return calloc(1, sizeof(vbd));""").replace("typedef struct {", "#include <stdio.h>\nstatic double part;\ntypedef struct {").replace(
    "x[0] -= (", "x[0] -= part * (")
SWEEP = """springbench: 1
name: own
question: Which part?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 4, integrator: implicit_euler, h: 0.01, duration: 0.05}
methods:
  own: {minimizer: my_vbd, plugin_options: '@data/part.txt', max_iterations: 5}
  newton: {minimizer: newton}
sweep: [{grid: {method: [own, newton]}}]
"""
AT_END = "  ((vbd *)minimizer)->flops +="
# name: (source, what is replaced, by what, what conform says)
LIES = {
    "a spring's force with the wrong sign": ("vbd", "gradient[p] += k * part", "gradient[p] -= k * part", "the potential rose"),
    "not a number": ("vbd", AT_END, f"  z[3 * net->visit_vertex[0]] = NAN;\n{AT_END}", "the potential is not finite"),
    "a pin moved": ("vbd", AT_END, f"  for (int i = 0; i < net->vertices; ++i)\n    if (net->pinned[i]) z[3 * i] += 1e-9;\n{AT_END}",
                    r"the plug-in moved vertex \d+, which is pinned"),
    "a write beyond the array": ("vbd", AT_END, f"  z[3 * net->vertices] = 1;\n{AT_END}", "it crashed, as by a write beyond its arrays"),
    "a vertex that is not there": ("vbd", "p->contact(p->context, i,", "p->contact(p->context, net->vertices,",
                                   "the plug-in calls contact for vertex 25; the net has 25"),
    "colliders that it leaves out": ("vbd", "p->contact(p->context, i, z + 3 * i, 1, gradient, block) != 0", "0",
                                     "with colliders in g if it claims to: after 4000 iterations the gradient is"),
    "a memory not given": ("xpbd", "  s->count = s->begun = 0;\n", "  if (s->count > 0 && p->step > 0) return SB_PLUGIN_SOLVED;\n  s->count = s->begun = 0;\n",
                           "a step by another object has different bits"),
    "a memory that step 0 keeps": ("xpbd", "  s->count = s->begun = 0;\n", "  if (s->count > 0) return SB_PLUGIN_SOLVED;\n",
                                   "begin does not forget"),
    "another limit not given": ("xpbd", " | SB_PLUGIN_OTHER_LIMIT", "", "the gradient is .* of the first one"),
    "another limit that is the minimum": ("vbd", "SB_PLUGIN_SEES_NET |", "SB_PLUGIN_SEES_NET | SB_PLUGIN_OTHER_LIMIT |",
                                          "it claims another limit and finds the minimum"),
    "no solve": ("vbd", "SB_PLUGIN_SEES_NET |", "SB_PLUGIN_SEES_NET | SB_PLUGIN_SOLVES |", "it claims to solve linear systems and does not"),
    "a matrix of other rows": ("projective", ".rows = p->unknowns / 3", ".rows = p->unknowns / 3 - 1", r"the plug-in's matrix has 68 rows instead of 69|rows instead of"),
    "a solve without a claim": ("projective", " | SB_PLUGIN_SOLVES_COLUMNS", "", "its traits lack SOLVES"),
}


def built(folder, text, name="own", include=ROOT / "base"):
    source, object_ = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(text)
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", f"-I{include}", source, "-o", object_, "-lm"],
                   check=True)
    return object_


def random_nets():
    """Options of a short run, the shipped method and that of the plug-in."""
    choose = random.Random(5)
    for _ in range(int(os.environ.get("SB_NETS", 12))):
        scene = choose.choice(["cloth", "rope", "square", "sphere", "bar", "curtain", "strand_masses", "step_target"])
        size = {"cloth": f"grid={choose.randint(3, 14)}", "rope": f"nodes={choose.randint(3, 40)}"}.get(scene)
        more = choose.choice([[], ["drag=0.3"], ["spring_damping=0.02"], ["air_resistance=0.5"], ["start=coast"], ["start=previous"],
                              ["pin_path=linear:velocity=[0.1,0,0.2]"], ["wind=uniform:acceleration=[1,0,0.3]"],
                              ["contact=penalty", "contact_implicit=true", "collider=sphere:centre=[0.1,0.1,-0.2],radius=0.3"]])
        if more == ["air_resistance=0.5"] and scene in ("rope", "strand_masses"):
            more = ["drag=0.3", "spring_damping=0.02"]  # they have no faces
        methods = choose.choice([("vertex_block_descent", "my_vbd"), ("xpbd", "my_xpbd")])
        if methods[0] == "xpbd" and more[:1] in (["contact=penalty"], ["start=coast"], ["start=previous"]):
            more = []  # its start is y, and the example has no colliders in g
        yield [f"scene={scene}", *filter(None, [size]), f"stiffness={choose.choice(['10', '1e3', '1e5'])}", "steps=10",
               f"h={choose.choice(['0.001', '0.01'])}", f"max_iterations={choose.randint(1, 30)}", "integrator=implicit_euler",
               f"visits={choose.choice(['numbered', 'colours'])}", *more], *methods


class Bits(Program):
    def test_on_random_nets(self):
        plugins = [word for name in ("vbd", "xpbd") for word in ("--plugin", built(self.folder, SOURCE[name], name))]
        for options, shipped, own in random_nets():
            rows = [json.loads(self.call("case", "--json", *options, f"minimizer={name}", *plugins).stdout)
                    for name in (shipped, own)]
            with self.subTest(options=options, method=shipped):
                self.assertEqual(rows[0]["digest"], rows[1]["digest"])
                self.assertEqual(rows[0]["status"], rows[1]["status"])

    def test_projective_dynamics_by_the_solver_of_the_case(self):
        own = built(self.folder, SOURCE["projective"])
        for linear in "cholesky", "jacobi":
            rows = [json.loads(self.call("case", "--json", *NET, f"minimizer={name}", f"linear={linear}", "--plugin", own).stdout)
                    for name in ("local_global", "my_projective")]
            for column in ("last_x", "last_y", "last_z"):
                self.assertAlmostEqual(*(row["columns"][column] for row in rows), delta=1e-12)
            self.assertEqual(*(row["columns"]["linear_iterations_mean"] for row in rows))


class Conformance(Program):
    def test_of_examples(self):
        for name, text in SOURCE.items():
            said = self.call("conform", f"minimizer=my_{name}", "--plugin", built(self.folder, text)).stdout
            self.assertEqual(["ok"] * 7, [line.split()[0] for line in said.splitlines()], said)

    def test_finds_lies(self):
        for number, (lie, (name, before, after, said)) in enumerate(LIES.items()):
            with self.subTest(lie):
                self.assertIn(before, SOURCE[name])
                own = built(self.folder, SOURCE[name].replace(before, after), f"lie{number}")
                answer = self.call("conform", f"minimizer=my_{name}", "--plugin", own, status=1).stdout
                self.assertRegex("".join(line + "\n" for line in answer.splitlines() if line.startswith("FAILED")), said)

    def test_colliders_in_g_need_the_claim(self):
        touching = [*NET, "contact=penalty", "contact_implicit=true", "collider=plane:point=[0,0,-0.1]"]
        own = built(self.folder, SOURCE["xpbd"])
        self.assertIn("E106", self.call("case", *touching, "minimizer=my_xpbd", "--plugin", own, status=2).stderr)


    def test_that_the_page_shows(self):
        """Each block of C on the page is code of an example."""
        blocks = re.findall(r"```c\n(.*?)```", (ROOT / "docs" / "plugins.md").read_text(), re.S)
        parts = [part for block in blocks for part in re.split(r"\n(?=\n?(?:static|typedef|int) )", block)]
        self.assertLess(5, len(parts))
        examples = "".join(path.read_text() for path in (ROOT / "examples").glob("*.c"))
        for part in parts:
            self.assertIn(part.strip(), examples)

    def test_that_new_writes(self):
        self.call("new", "--plugin", "mine.c")
        own = built(self.folder, (self.folder / "mine.c").read_text(), "mine")
        self.assertNotIn("FAILED", self.call("conform", "minimizer=mine", "--plugin", own).stdout)
        self.assertIn("the file exists", self.call("new", "--plugin", "mine.c", status=2).stderr)
        for name in "Mine.c", "mine.cpp", "mine":
            self.assertIn("a plug-in is NAME.c or NAME.py", self.call("new", f"--plugin={name}", status=2).stderr)


class Cases(Program):
    def test_continue_unless_they_remember(self):
        own = built(self.folder, SOURCE["vbd"] + "/* forgets */\n")
        line = ["case", "--json", *NET, "minimizer=my_vbd", "--plugin", own]
        whole = json.loads(self.call(*line, "-o", "whole.h5").stdout)
        self.call(*line, "-o", "parts.h5", "--stop-after", 5, status=75)
        parts = json.loads(self.call(*line, "-o", "parts.h5").stdout)
        self.assertEqual((1, whole["digest"]), (parts["continued"], parts["digest"]))
        remembers = SOURCE["vbd"].replace("SB_PLUGIN_SEES_NET |", "SB_PLUGIN_SEES_NET | SB_PLUGIN_REMEMBERS |")
        said = self.call(*line[:-1], built(self.folder, remembers, "remembers"), "-o", "again.h5", "--stop-after", 5).stderr
        self.assertIn("the case stores no state: its minimizer uses data of earlier steps", said)

    def test_a_sweep_that_needs_a_plugin(self):
        own, path = built(self.folder, SOURCE["avbd"]), self.folder / "own.yaml"
        text = SWEEP.split("methods:")[0] + ("needs: {minimizer: {my_avbd: a/own.c}}\n"
                                             "sweep: [{grid: {minimizer: [my_avbd, vertex_block_descent], max_iterations: 3}}]\n")
        path.write_text(text)
        for _ in range(2):
            said = self.call("run", "own.yaml", "-o", "r").stderr
            self.assertIn("2 cases: 1 ok, 1 skipped", said)
            self.assertEqual(1, said.count("minimizer 'my_avbd' is in a plug-in that is not loaded: cc -O3 -shared -fPIC a/own.c "
                                           "$(pkg-config --cflags springbench) -lm -o ./own.so; springbench --plugin ./own.so run"))
        for plugin in ["--plugin", own], []:  # a result counts without the plug-in
            said = self.call("run", "own.yaml", "-o", "r", *plugin).stderr
            self.assertIn("2 cases: 2 ok", said)
            self.assertNotIn("plug-in", said)
        for before, after, said in (("my_avbd,", "my_avbt,", r"unknown minimizer 'my_avbt'; did you mean 'my_avbd'\? .* \[E106\]"),
                                    ("my_avbd:", "my_avbt:", r"unknown minimizer 'my_avbd'; did you mean 'my_avbt'\? .* \[E106\]"),
                                    ("{minimizer: {", "{scene: {", r"'needs' takes .* \[E102\]"),
                                    ("{minimizer: {", "{solver: {", r"unknown option 'solver'.* \[E101\]")):
            path.write_text(text.replace(before, after))
            self.assertRegex(self.call("plan", "own.yaml", status=2).stderr, said)

    def test_keys_have_the_files_that_options_name(self):
        (self.folder / "data").mkdir()
        (self.folder / "own.yaml").write_text(SWEEP)
        own, part = ["--plugin", built(self.folder, PART)], self.folder / "data" / "part.txt"
        self.assertIn("cannot read 'data/part.txt'", self.call("plan", "own.yaml", *own, status=2).stderr)
        part.write_text("0.5\n")
        self.call("run", "own.yaml", "-o", "r", *own)
        (self.folder / "data" / "other.txt").write_text("1\n")
        self.assertIn("0 to run, 2 done", self.call("plan", "own.yaml", "-o", "r", *own).stdout)
        part.write_text("0.4\n")
        self.assertIn("1 to run, 1 done", self.call("plan", "own.yaml", "-o", "r", *own).stdout)
        self.assertIn("computed with other contents of plugin_options=@data/part.txt", self.call("status", "r").stdout)
        part.write_text("0.5\n")
        self.assertIn("0 to run, 2 done", self.call("plan", self.folder / "own.yaml", "-o", self.folder / "r", *own, cwd="/").stdout)
        (self.folder / "copies").mkdir()
        self.call("new", "--from", "own.yaml", "copies/copy", *own)
        self.assertEqual("0.5\n", (self.folder / "copies" / "data" / "part.txt").read_text())

    def test_an_object_built_with_the_header_of_1_0(self):
        header = (ROOT / "tests" / "library" / "springbench_plugin_1_0.h").read_text()
        (self.folder / "springbench_plugin.h").write_text(header)
        today = (ROOT / "examples" / "own_solver.c").read_text()
        text = re.sub(r"(static double \w+_flops\(const void \*\w+\) \{.*?\}\n)|,\s*\.flops = \w+", "", today)
        self.assertNotIn("_flops", text)
        own = built(self.folder, text, include=self.folder)
        said = self.call("conform", "linear=my_cg", "minimizer=my_bb", "--plugin", own).stdout
        self.assertNotIn("FAILED", said)

    def test_in_the_library(self):
        script = (f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r})\nimport springbench\n"
                  "net = springbench.Simulation(scene='cloth', grid=6, integrator='implicit_euler', minimizer=sys.argv[1], h=0.01,\n"
                  "                             max_iterations=6)\nnet.step(12)\nprint(net.positions[-1].tolist())\n")
        own = built(self.folder, SOURCE["vbd"])
        def run(method, plugins):
            return subprocess.run([sys.executable, "-c", script, method], capture_output=True, text=True,
                                  env=os.environ | {"SPRINGBENCH_LIBRARY": LIBRARY, "SPRINGBENCH_PLUGINS": str(plugins)})
        mine, shipped = run("my_vbd", own), run("vertex_block_descent", "")
        self.assertEqual((0, shipped.stdout), (mine.returncode, mine.stdout), mine.stderr)
        self.assertIn("cannot load the plug-in: No such file", run("newton", self.folder / "none.so").stderr)


if __name__ == "__main__":
    main()
