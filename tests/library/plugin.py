# SPDX-License-Identifier: GPL-3.0-or-later
"""Plug-ins as users write them: examples/own_solver.c, and some that lie. usage: plugin.py PROGRAM [TEST ...]"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import h5py

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from program import PROGRAM, Program, main  # noqa: E402

EXAMPLE = (ROOT / "examples" / "own_solver.c").read_text()
SWEEP = """springbench: 1
name: own
question: Is it as exact?
source: this test
driver: trajectory
timed: false
defaults: {scene: cloth, grid: 6, integrator: implicit_euler, h: 0.01, duration: 0.05}
methods:
  cholesky: {linear: cholesky}
  own: {linear: my_cg}
  own_minimizer: {minimizer: my_bb, max_iterations: 300, gradient_tolerance: 1e-7}
sweep: [{grid: {method: [cholesky, own, own_minimizer]}}]
tables:
  - {id: places, title: places, rows: method, columns: [{label: z, unit: m, value: last_z}]}
figures:
  - {id: last, kind: bars, x: method, y: -last_z}
expect:
  - {claim: all have one place, test: "max(last_z) - min(last_z) < 1e-6"}
"""
# A plug-in with one wrong thing in place of %s.
WRONG = """#include <springbench_plugin.h>
#include <stddef.h>
static void *create(const char *o, char *e, size_t n) { (void)o, (void)e, (void)n; return NULL; }
static void destroy(void *s) { (void)s; }
static sb_plugin_outcome set(void *s, const sb_plugin_matrix *A, int p) { (void)s, (void)A, (void)p; return SB_PLUGIN_SOLVED; }
static sb_plugin_outcome solve(void *s, const double *b, double *x, sb_plugin_solve *g)
{ (void)s, (void)b, (void)x, (void)g; return SB_PLUGIN_SOLVED; }
int springbench_plugin(const sb_plugin_registry *r)
{
  static sb_plugin_linear m = {.size = sizeof m, .name = "wrong", .summary = "a wrong one", .create = create, .destroy = destroy,
                               .set_matrix = set, .solve = solve};
  (void)r, (void)create, (void)destroy, (void)set, (void)solve;
  %s
}
"""
# Law cubic.
LAW = """#include <springbench_plugin.h>
#include <stdlib.h>
static void *create(const char *options, char *error, size_t size)
{
  double *c = malloc(sizeof *c);
  (void)error, (void)size;
  if (c) *c = atof(options);
  return c;
}
static sb_plugin_outcome evaluate(void *law, const sb_plugin_springs *p)
{
  const double c = *(const double *)law;
  for (int s = 0; s < p->count; ++s) {
    const double k = p->stiffness[s], l = p->rest_length[s], e = (p->length[s] - l) / l, square = e * e;
    p->first[s] = k * l * e * (1 + c * square);
    p->second[s] = k * (1 + 3 * c * square);
    p->energy[s] = k * l * l * square * (0.5 + 0.25 * c * square);
  }
  return SB_PLUGIN_SOLVED;
}
int springbench_plugin(const sb_plugin_registry *r)
{
  static const sb_plugin_law law = {.size = sizeof law, .name = "my_cubic", .summary = "law cubic", .most = 1, .create = create,
                                    .destroy = free, .evaluate = evaluate};
  return r->add_law(r->context, &law);
}
"""


class Plugins(Program):
    def build(self, text=EXAMPLE, name="own"):
        source, object_ = self.folder / f"{name}.c", self.folder / f"{name}.so"
        source.write_text(text)
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", f"-I{ROOT / 'base'}", source, "-o", object_,
                        "-lm"], check=True)
        return object_

    def rows(self, directory):
        return {event["key"]: event for event in self.events(self.folder / directory, "publish")}

    def test_lines_for_other_engines_load_it(self):
        plugin = self.build()
        (self.folder / "own.yaml").write_text(SWEEP.partition("tables:")[0])
        lines = self.call("plan", "own.yaml", "--format", "commands", "--plugin", plugin).stdout.splitlines()
        self.assertEqual([True] * 3, list("SPRINGBENCH_PLUGINS=" in line for line in lines))
        (self.folder / "made").mkdir()
        for line in lines:
            self.shell(f"cd made && {line}")
        self.call("collect", "own.yaml", "made", "-o", "collected", "--plugin", plugin)
        self.assertIn("3 done", self.call("plan", "collected", "--plugin", plugin).stdout)
        said = self.call("collect", "own.yaml", "made", "-o", "without", status=2).stderr
        self.assertIn("my_cg", said)

    def test_is_in_lists_and_in_sweeps_by_worker_and_by_program(self):
        own = self.build()
        self.assertIn("my_cg", self.call("list", "linear", "--plugin", own).stdout)
        self.assertNotIn("my_cg", self.call("list", "linear").stdout)
        (self.folder / "own.yaml").write_text(SWEEP)
        self.call("run", "own.yaml", "-o", "forked", "--plugin", own)
        self.call(f"--plugin={own}", "run", "own.yaml", "-o", "executed", "--exec")
        forked, executed = self.rows("forked"), self.rows("executed")
        self.assertEqual(3, len(forked))
        self.assertEqual({key: event["row"]["digest"] for key, event in forked.items()},
                         {key: event["row"]["digest"] for key, event in executed.items()})
        self.assertEqual({"worker"}, {event["start"] for event in forked.values()})
        self.assertIn("1 reproduced", self.call("verify", "forked", "--plugin", own).stdout)
        svg = (self.folder / "forked" / "figures" / "last.svg").read_text()
        self.assertIn("own", svg)
        said = set()
        for file in (self.folder / "forked" / "cases").glob("*.h5"):
            with h5py.File(file) as case:
                said.add(case["provenance"].attrs["plugins"])
        digest = hashlib.sha256(own.read_bytes()).hexdigest()
        self.assertEqual({"", f"linear=my_cg {digest}", f"minimizer=my_bb {digest}"},
                         {text.decode() if isinstance(text, bytes) else text for text in said})

    def test_changes_no_key_of_other_cases(self):
        line = ["case", "scene=cloth", "grid=3", "integrator=implicit_euler", "h=0.01", "steps=1", "--json"]
        self.assertEqual(json.loads(self.call(*line).stdout)["key"],
                         json.loads(self.call(*line, "--plugin", self.build()).stdout)["key"])

    def test_another_build_makes_its_cases_stale(self):
        own = self.build()
        (self.folder / "own.yaml").write_text(SWEEP)
        self.call("run", "own.yaml", "-o", "r", "--plugin", own)
        self.assertIn("0 to run", self.call("plan", "own.yaml", "-o", "r", "--plugin", own).stdout)
        self.build(EXAMPLE + "int another_build = 1;\n")
        self.assertIn("2 to run", self.call("plan", "own.yaml", "-o", "r", "--plugin", own).stdout)

    def test_results_are_read_without_it(self):
        self.build()
        (self.folder / "own.yaml").write_text(SWEEP)
        self.call("run", "own.yaml", "-o", "r", "--plugin", "own.so", "-f", "method != 'cholesky'")
        self.assertIn("2 cases (the whole sweep has 3)", self.call("status", "r").stdout)
        self.call("run", "own.yaml", "-o", "r", "--plugin", "own.so")
        loaded = self.call("table", "r", "places", "--plugin", "own.so").stdout
        (self.folder / "own.so").unlink()
        status = self.call("status", "r").stdout
        self.assertIn("r, 3 cases", status)
        self.assertIn("3  ok", status)
        self.assertEqual(loaded, self.call("table", "r", "places").stdout)
        self.assertIn("own minimizer", loaded)
        self.assertIn("1 reproduced", self.call("verify", "r").stdout)
        self.call("report", "r")
        self.assertIn("own minimizer", (self.folder / "r" / "report.md").read_text())
        self.assertNotIn("part of", (self.folder / "r" / "report.md").read_text())
        self.call("merge", "joined", "r")
        self.assertIn("bitwise equal", self.call("compare", "r", "joined").stdout)
        for key in self.rows("r"):
            self.assertIn(key, self.call("show", f"r/{key}").stdout)
        self.assertIn("unknown minimizer 'my_bb'", self.call("run", "r", status=2).stderr)

    def test_a_run_without_it_keeps_its_cases(self):
        own = self.build()
        (self.folder / "own.yaml").write_text(SWEEP.partition("methods:")[0] + "sweep: [{grid: {drag: [0, 1]}}]\n")
        self.call("run", "own.yaml", "-o", "r", "-p", "linear=my_cg", "--plugin", own)
        before = self.rows("r").keys()
        self.assertIn("E114", self.call("run", "own.yaml", "-o", "r", status=2).stderr)
        self.call("run", "own.yaml", "-o", "r", "--replace")
        self.assertIn("2 results are not of its request", self.call("status", "r").stdout)
        self.call("run", "own.yaml", "-o", "r", "--replace", "-p", "linear=my_cg", "--plugin", own)
        self.assertEqual((2, 4), (len(before), len(self.rows("r"))))
        self.assertIn("r, 2 cases", self.call("status", "r").stdout)
        self.assertIn("unknown linear 'my_cg'", self.call("run", "r", status=2).stderr)

    def test_names_that_no_plug_in_can_have_are_not_taken_from_a_plan(self):
        own = self.build()
        (self.folder / "own.yaml").write_text(SWEEP)
        self.call("run", "own.yaml", "-o", "r", "--plugin", own)
        plan = self.folder / "r" / "plan.json"
        whole = plan.read_text()
        for stored, damaged in ('"sha256": "', '"sha256": "/'), ('"my_cg": {', '"../my_cg": {'), ('"claims": 66', '"claims": "66"'):
            with self.subTest(damaged):
                self.assertIn(stored, whole)
                plan.write_text(whole.replace(stored, damaged))
                self.assertIn("unknown linear 'my_cg'", self.call("status", "r", status=2).stderr)

    def test_is_never_loaded_from_a_results_directory(self):
        own = self.build()
        (self.folder / "own.yaml").write_text(SWEEP)
        self.call("run", "own.yaml", "-o", "r", "--plugin", own)
        before = sorted(path.name for path in (self.folder / "r" / "cases").iterdir())
        refused = self.call("run", "own.yaml", "-o", "r", status=2)
        self.assertIn("unknown linear 'my_cg'", refused.stderr)
        self.assertEqual(before, sorted(path.name for path in (self.folder / "r" / "cases").iterdir()))

    def test_conformance_finds_writes_beyond_a_solution(self):
        beyond = EXAMPLE.replace("  return target > 0 &&", "  x[n] = 1;\n  return target > 0 &&")
        self.assertNotEqual(EXAMPLE, beyond)
        bad = self.call("conform", "linear=my_cg", "--plugin", self.build(beyond), status=1).stdout
        self.assertIn("it crashed, as by a write beyond its arrays", bad)

    def test_a_failure_of_a_minimizer_is_its_own(self):
        line = ["case", "scene=cloth", "grid=4", "integrator=implicit_euler", "minimizer=my_bb", "h=0.01", "steps=1", "--json", "--plugin"]
        begins = "  double        ss = 0, sy = 0;\n"
        for code, said in (("p->contact ? SB_PLUGIN_SOLVED : SB_PLUGIN_FAILED", "the minimizer failed: the plug-in reported it"),
                           ("(sb_plugin_outcome)17", "the plug-in returned 17, which is not an outcome")):
            self.assertIn(begins, EXAMPLE)
            own = self.build(EXAMPLE.replace(begins, f"{begins}  if (n > 0) return {code};\n"))
            done = subprocess.run([PROGRAM, *line, own], capture_output=True, text=True)
            self.assertIn(said, done.stdout + done.stderr)

    def test_conformance_finds_what_lies(self):
        good = self.call("conform", "linear=my_cg", "minimizer=my_bb", "--plugin", self.build(), status=0).stdout
        self.assertNotIn("FAILED", good)
        self.assertEqual(19, len(good.splitlines()))
        lies = EXAMPLE.replace("x[i] += rho / curvature * s->d[i];", "x[i] += 0.99 * rho / curvature * s->d[i];")
        claims = lies.replace(".create = bb_create,", ".traits = SB_PLUGIN_QUADRATIC, .create = bb_create,")
        bad = self.call("conform", "linear=my_cg", "minimizer=my_bb", "--plugin", self.build(claims), status=1).stdout
        self.assertIn("FAILED  linear=my_cg solves a system of three rows per vertex: the solve ended stalled", bad)
        self.assertIn("FAILED  minimizer=my_bb converges quadratically if it claims to: its order", bad)
        self.assertIn("ok      minimizer=my_bb finds the minimum, or settles elsewhere if it claims to", bad)

        stalls = EXAMPLE.replace("target > 0 && sqrt(dot(n, s->r, s->r)) > target ?", "sqrt(dot(n, s->r, s->r)) > target ?")
        bad = self.call("conform", "linear=my_cg", "--plugin", self.build(stalls), status=1).stdout
        self.assertIn("without a tolerance: asked for 3 iterations at relative_tolerance 0 it made 3 and ended stalled", bad)
        counts = EXAMPLE.replace("  return target > 0 &&", "  goal->iterations = -3;\n  return target > 0 &&")
        bad = self.call("conform", "linear=my_cg", "--plugin", self.build(counts), status=1).stdout
        self.assertIn("the plug-in counts -3 iterations", bad)

    def conform(self, plugin, name, *more):
        done = subprocess.run([PROGRAM, "--plugin", plugin, "conform", f"integrator={name}", *more], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [line.partition(": ")[2] for line in done.stdout.splitlines() if line.startswith("FAILED")]

    def test_integrators_have_what_they_claim(self):
        for name, more in (("own_leapfrog", []), ("own_sdirk2", ["minimizer=newton"])):
            plugin = self.build((ROOT / "examples" / f"{name}.c").read_text(), name)
            self.assertEqual([], self.conform(plugin, name, *more))

    def test_every_integrator_has_what_it_claims(self):
        for entry in json.loads(self.call("list", "integrators", "--json").stdout)["integrators"]:
            if "moves particles of a fluid, not nets" not in entry["claims"]:
                with self.subTest(integrator=entry["name"]):
                    self.assertNotIn("FAILED", self.call("conform", f"integrator={entry['name']}").stdout)

    def test_an_integrator_of_stages_moves_as_the_shipped_one(self):
        plugin = self.build((ROOT / "examples" / "own_sdirk2.c").read_text(), "own_sdirk2")
        line = ["case", "scene=cloth", "grid=4", "h=0.01", "duration=0.2", "minimizer=local_global", "max_iterations=30", "--json"]
        last = [json.loads(self.call(*line, f"integrator={name}", "--plugin", plugin).stdout)["columns"]["last_z"]
                for name in ("sdirk2", "own_sdirk2")]
        self.assertAlmostEqual(*last, delta=1e-12)

    def test_conformance_finds_integrators_that_lie(self):
        leapfrog = (ROOT / "examples" / "own_leapfrog.c").read_text()
        last = "  for (size_t k = 0; k < count; ++k) v[k] += 0.5 * h * a[k];\n  return"
        lies = {
            "the claim is 3": (".order = 2", ".order = 3"),
            "with drag its order": (".order_braked = 1", ".order_braked = 2"),
            "the determinant of a step": ("x[k] += h * v[k]", "x[k] += h * (v[k] - 0.01 * h * a[k])"),
            "above the claimed limit": (".stability_limit = 2", ".stability_limit = 1"),
            "the claim is 0.9": ("return 1;", "return 0.9;"),
            "are not in memories": ("double      *a = q->memory[0];", "static double own[99], *a = own;"),
            "moved the pinned vertex": (last, "  x[0] += 1e-9, x[9] += 1e-9;\n" + last),
            "the plug-in's integrator reported": (last, "  return SB_PLUGIN_FAILED;\n" + last),
            "not finite": (last, "  x[3] = NAN;\n" + last),
            "it changes nothing": ("  for (size_t k", "  return SB_PLUGIN_SOLVED;\n  for (size_t k"),
            "it crashed, as by a write beyond its arrays": (last, "  x[count] = 1;\n" + last),
            "by a write beyond": (last, "  v[count] = 1;\n" + last),
            "the plug-in returned 17, which is not an outcome": (last, "  if (h > 0) return (sb_plugin_outcome)17;\n" + last),
        }
        for said, (true, lie) in lies.items():
            with self.subTest(said):
                self.assertIn(true, leapfrog)
                failed = self.conform(self.build(leapfrog.replace(true, lie), "lie"), "own_leapfrog")
                self.assertTrue(any(said in line for line in failed), failed)

    def test_a_law_has_the_motion_of_the_shipped_one(self):
        self.build(LAW, "law")
        sheet = ["case", "scene=curtain", "grid=4", "integrator=implicit_euler", "h=0.02", "steps=5", "--json", "--plugin", "law.so"]
        for more in ([], ["minimizer=local_global", "max_iterations=9"], ["minimizer=vertex_block_descent", "max_iterations=9"]):
            own, shipped = (json.loads(self.call(*sheet, *more, *law).stdout)
                            for law in (["law=my_cubic", "plugin_options=-0.5"], ["law=cubic", "law_cubic=-0.5"]))
            self.assertEqual(["ok", own["digest"]], [own["status"], shipped["digest"]], more)
        self.build(LAW.replace(".most = 1", ".most = -1"), "law")
        self.assertIn("has a bound of E''/k below 0", self.call("list", "laws", "--plugin", "law.so", status=2).stderr)
        (self.folder / "own.yaml").write_text("springbench: 1\nname: laws\nquestion: Are they equal?\nsource: this test\ndriver: trajectory\n"
                                              "timed: false\ndefaults: {scene: curtain, grid: 4, integrator: implicit_euler, h: 0.02, duration: 0.1, "
                                              "minimizer: local_global, max_iterations: 9, plugin_options: '-0.5', law_cubic: -0.5}\n"
                                              "sweep: [{grid: {law: [cubic, my_cubic]}}]\n"
                                              "expect: [{claim: they are, test: 'max(last_z) == min(last_z)'}]\n")
        self.build(LAW, "law")
        self.call("run", "own.yaml", "-o", "laws", "--plugin", "law.so")
        (self.folder / "law.so").unlink()
        self.assertIn("1 reproduced", self.call("verify", "laws").stdout)

    def test_conformance_finds_a_wrong_time(self):
        leapfrog, sdirk2 = ((ROOT / "examples" / f"own_{name}.c").read_text() for name in ("leapfrog", "sdirk2"))
        wrong = "in a field that depends on time its order is .*: it passes a wrong time"
        for text, name, true, lie, *more in ((leapfrog, "own_leapfrog", "t + h, x, v", "t, x, v"),
                                             (sdirk2, "own_sdirk2", "t + rest, y", "0, y", "minimizer=newton")):
            with self.subTest(name):
                self.assertIn(true, text)
                failed = self.conform(self.build(text.replace(true, lie), "lie"), name, *more)
                self.assertEqual(1, len(failed), failed)
                self.assertRegex(failed[0], wrong)

    def test_an_integrator_is_in_keys_and_plans_and_continues(self):
        plugin = self.build((ROOT / "examples" / "own_leapfrog.c").read_text(), "own_leapfrog")
        (self.folder / "own.yaml").write_text(SWEEP.partition("methods:")[0].replace("integrator: implicit_euler, ", "") +
                                              "sweep: [{grid: {integrator: [own_leapfrog, velocity_verlet]}}]\n")
        self.call("run", "own.yaml", "-o", "own", "--plugin", plugin)
        plan = json.loads((self.folder / "own" / "plan.json").read_text())
        digest = hashlib.sha256(plugin.read_bytes()).hexdigest()
        self.assertEqual(digest, plan["plugins"]["integrators"]["own_leapfrog"]["sha256"])
        self.assertIn("2  ok", self.call("status", "own").stdout)
        self.build((ROOT / "examples" / "own_leapfrog.c").read_text() + "int other;\n", "own_leapfrog")
        self.assertIn("1 to run", self.call("plan", "own.yaml", "-o", "own", "--plugin", plugin).stdout)

    def test_a_residual_may_cost_the_solution_an_iteration(self):
        """A pass that computes its residual on the way; not one that makes further passes, or ignores its guess."""
        text = (pathlib.Path(__file__).parent / "own_passes.c").read_text()
        good = self.call("conform", "linear=my_passes", "--plugin", self.build(text), status=0).stdout
        self.assertIn("ok      linear=my_passes uses x as a guess only if it is one", good)
        once = "    if (tolerance > 0 && sum <= tolerance * tolerance * size) return SB_PLUGIN_SOLVED;\n"
        self.assertIn(once, text)
        bad = self.call("conform", "linear=my_passes", "--plugin", self.build(text.replace(once, once.replace("if (", "if (pass > 0 && "))), status=1).stdout
        self.assertIn("FAILED  linear=my_passes uses x as a guess only if it is one: a solve from the solution ended solved after 2", bad)

    def test_work_that_it_does_not_count_is_unknown(self):
        sweep = (SWEEP.partition("driver:")[0] + "driver: convergence\ntimed: false\n"
                 "defaults: {problem: easy_curtain_11_6, minimizer: nonlinear_cg, linear_tolerance: 1e-8, max_iterations: 8}\n"
                 "methods:\n  petsc: {linear: petsc, petsc: cg_jacobi}\n  own: {linear: my_cg}\n"
                 "sweep: [{grid: {method: [petsc, own]}}]\n"
                 "tables:\n  - {id: t, rows: method, columns: [{label: w, value: 'or_else(work_final, 1)', best: smallest}]}\n"
                 "figures:\n  - {id: p, kind: profile, x: work_to_1e1, series: method}\n"
                 "  - {id: c, kind: curves, data: curves, x: work, y: relative_error, series: method}\n"
                 "expect:\n  - {claim: own is the least, kind: shape, test: 'work_final[method=own] <= work_final'}\n"
                 "  - {claim: any is positive, kind: shape, test: 'work_final > 0', where: method == petsc}\n")
        (self.folder / "w.yaml").write_text(sweep)
        own = self.build()
        silent = self.build(EXAMPLE.replace(",\n                                       .flops = cg_flops", "")
                            .replace("static double cg_flops", "double cg_flops(const void *);\ndouble cg_flops"), "silent")
        # one built for the first release, whose struct ends before `flops`
        earlier = self.build(EXAMPLE.replace(".size = sizeof my_cg", ".size = offsetof(sb_plugin_linear, flops)"), "earlier")
        self.assertIn("its operations are counted", self.call("list", "linear", "my_cg", "--plugin", own).stdout)
        for name, plugin, counted in [("own", own, True), ("silent", silent, False), ("earlier", earlier, False)]:
            with self.subTest(name):
                self.call("run", "w.yaml", "-o", name, "--plugin", plugin)
                table = self.call("table", name, "--plugin", plugin).stdout
                rows = {line.split()[0]: line.split()[1:] for line in table.splitlines() if line[:5] in ("petsc", "own  ")}
                verdicts = self.call("verify", name, "--plugin", plugin, status=None).stdout
                if counted:  # the same algorithm as PETSc's
                    work = [float(rows[method][-1].rstrip("*")) for method in ("petsc", "own")]
                    self.assertLess(abs(work[1] / work[0] - 1), 0.1, table)
                    continue
                self.assertEqual(["not", "counted"], rows["own"], table)
                self.assertNotIn("*", table)
                self.assertIn("Not counted: operations of my_cg", table)
                self.assertIn("the operations of my_cg are not counted", verdicts)
                self.assertIn("1 reproduced, 1 not tested", verdicts)
                for figure in ("p", "c"):
                    svg = (self.folder / name / "figures" / f"{figure}.svg").read_text()
                    self.assertIn("its work is not counted: own", svg)

    def test_options_of_its_own_are_checked_by_it(self):
        own = self.build()
        refused = self.call("case", "scene=cloth", "grid=4", "integrator=implicit_euler", "linear=my_cg",
                            "plugin_options=fast", "h=0.01", "steps=1", "--plugin", own, status=2)
        self.assertIn("my_cg has no options", refused.stderr)

    def test_wrong_ones_are_refused_by_name(self):
        for body, text in [("return 3;", "does not support version"), ("return 0;", "adds no method"),
                           ('m.name = "cholesky"; return r->add_linear(r->context, &m);', "is already used"),
                           ('m.name = "My CG"; return r->add_linear(r->context, &m);', "lower-case letters"),
                           ("m.solve = NULL; return r->add_linear(r->context, &m);", "lacks a function"),
                           ("m.size = 8; return r->add_linear(r->context, &m);", "another springbench_plugin.h"),
                           ("m.summary = NULL; return r->add_linear(r->context, &m);", "no summary"),
                           ("return r->add_linear(r->context, NULL);", "another springbench_plugin.h")]:
            with self.subTest(text):
                refused = self.call("list", "linear", "--plugin", self.build(WRONG % body, "wrong"), status=2)
                self.assertIn(text, refused.stderr)
                self.assertIn("wrong.so: error:", refused.stderr)
        self.assertIn("cannot load", self.call("list", "--plugin", "missing.so", status=2).stderr)
        self.assertIn("takes a file", self.call("list", "--plugin", status=2).stderr)
        (self.folder / "text.so").write_text("no object")
        self.assertIn("cannot load", self.call("list", "--plugin", "text.so", status=2).stderr)
        for name in "own.c", "own.cpp":
            (self.folder / name).write_text(EXAMPLE)
            said = self.call("list", "--plugin", name, status=2).stderr
            self.assertIn(f"cc -shared -fPIC {self.folder.resolve()}/{name} $(pkg-config", said)
            self.assertIn("/own.so", said)

    def test_one_that_lies_or_crashes_costs_its_case_alone(self):
        (self.folder / "own.yaml").write_text(SWEEP)
        lies = EXAMPLE.replace("x[i] += rho / curvature * s->d[i];", "x[i] += 0.9 * rho / curvature * s->d[i];")
        self.call("run", "own.yaml", "-o", "lies", "--plugin", self.build(lies))
        status = {event["row"]["status"] for event in self.rows("lies").values()}
        self.assertEqual({"ok", "not_converged"}, status)
        crash = EXAMPLE.replace("  cg           *s = solver;\n", "  cg           *s = solver;\n  *(volatile int *)0 = 1;\n")
        self.call("run", "own.yaml", "-o", "crash", "--plugin", self.build(crash), status=1)
        self.assertEqual(2, len(self.rows("crash")))
        failed = self.events(self.folder / "crash", "fail")
        self.assertIn([event["row"]["status"] for event in failed], (["crashed"], ["error"]))  # error: sanitizers end it

    def test_ends_and_prints_of_its_own_cost_its_case_alone(self):
        """An exit status that means something to a run, and a signal that asks to stop, are an error if they are its own."""
        ends = ["75", "5", "4", "0"]
        acts = "".join(f'  if (strcmp(way, "{kind}{code}") == 0) {kind}({code});\n' for kind in ("exit", "_exit") for code in ends)
        acts += '  if (strcmp(way, "raise") == 0) raise(SIGUSR1);\n  if (strcmp(way, "print") == 0) printf("no line end");\n'
        text = ("#include <signal.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
                "static char way[32];\n" + EXAMPLE)
        text = text.replace("  cg           *s = solver;\n", "  cg           *s = solver;\n" + acts)
        text = text.replace('  if (*options) strncpy(error, "my_cg has no options", size - 1);\n  return *options ? NULL : calloc(1, sizeof(cg));',
                            '  (void)error, (void)size;\n  strncpy(way, options, sizeof way - 1);\n  return calloc(1, sizeof(cg));')
        ways = [kind + code for kind in ("exit", "_exit") for code in ends]
        (self.folder / "ends.yaml").write_text(SWEEP.partition("methods:")[0] + "sweep:\n  - grid: {linear: my_cg, plugin_options: "
                                               f"[{', '.join(ways)}, raise, print, fine]}}\n")
        own = self.build(text)
        for name, *more in [("forked",), ("executed", "--exec")]:
            with self.subTest(name):
                self.call("run", "ends.yaml", "-o", name, "--plugin", own, *more, status=1)
                way_of = {case["key"]: case["options"]["plugin_options"]
                          for case in json.loads(self.call("plan", name, "--format", "json", "--plugin", own).stdout)}
                rows = {way_of[event["key"]]: event["row"] for kind in ("publish", "fail")
                        for event in self.events(self.folder / name, kind)}
                self.assertEqual({*ways, "raise", "print", "fine"}, set(rows))
                self.assertEqual({"error"}, {rows[way]["status"] for way in ways})
                self.assertIn("called exit(75)", rows["exit75"]["reason"])
                self.assertIn("exit status 75", rows["_exit75"]["reason"])
                self.assertEqual(("crashed", "ok", "ok"), tuple(rows[way]["status"] for way in ("raise", "print", "fine")))
                self.assertEqual(rows["print"]["digest"], rows["fine"]["digest"])

    def test_an_exit_is_never_a_success(self):
        """In a solve: the status is that of a failure until the row is written, or the checks have ended."""
        for code, call in (0, "exit"), (3, "exit"), (75, "exit"), (0, "_exit"), (0, "_Exit"):
            own = self.build("#include <unistd.h>\n" + EXAMPLE.replace("  cg           *s = solver;\n", f"  cg           *s = solver;\n  {call}({code});\n"))
            case = self.call("case", "scene=cloth", "grid=4", "integrator=implicit_euler", "linear=my_cg", "h=0.01", "steps=1",
                             "--json", "--plugin", own, status=1)
            self.assertEqual("", case.stdout)
            self.assertIn(f"called exit({code}) before the case had ended", case.stderr)
            checked = self.call("conform", "linear=my_cg", "--plugin", own, status=1)
            self.assertIn(f"called exit({code}) before the checks had ended", checked.stderr)
        in_minimizer = EXAMPLE.replace("static sb_plugin_outcome bb_iterate(", "static sb_plugin_outcome unused(").replace(
            ".iterate = bb_iterate", ".iterate = leaves")
        self.assertNotEqual(EXAMPLE, in_minimizer)
        in_minimizer = in_minimizer.replace("static const sb_plugin_minimizer", "static sb_plugin_outcome leaves(void *s, const "
                                            "sb_plugin_problem *p, double *z)\n{\n  (void)s, (void)p, (void)z, (void)unused;\n"
                                            "  exit(0);\n}\nstatic const sb_plugin_minimizer", 1)
        case = self.call("case", "scene=cloth", "grid=4", "integrator=implicit_euler", "minimizer=my_bb", "h=0.01", "steps=1",
                         "--plugin", self.build(in_minimizer), status=1)
        self.assertIn("called exit(0) before the case had ended", case.stderr)

    def test_what_it_does_while_it_is_loaded_ends_no_command(self):
        act = "#include <signal.h>\n#include <unistd.h>\n" + EXAMPLE + "__attribute__((constructor)) static void begin(void) { %s; }\n"
        late = EXAMPLE.replace("int springbench_plugin(const sb_plugin_registry *registry)\n{",
                               "int springbench_plugin(const sb_plugin_registry *registry)\n{\n  exit(0);")
        self.assertNotEqual(EXAMPLE, late)
        for text, said in [(act % "exit(0)", "ended the process (exit status 0)"), (act % "_exit(3)", "ended the process (exit status 3)"),
                           (act % "raise(SIGKILL)", "crashed (SIGKILL)"), (act % "for (;;) pause()", "did not answer within 2 s"),
                           (late, "ended the process (exit status 0)")]:
            env = os.environ | ({"SPRINGBENCH_LOAD_SECONDS": "2"} if "pause" in text else {})
            for command in ("list", "linear"), ("case", "scene=rope", "h=1e-4", "steps=1"):
                refused = self.call(*command, "--plugin", self.build(text, "ends"), env=env, status=2)
                self.assertEqual("", refused.stdout)
                self.assertIn(f"ends.so: error: cannot load the plug-in: it {said}", refused.stderr)

    def test_one_that_is_replaced_ends_the_run(self):
        """The first case puts another build in its place; the same command then begins with that one."""
        (self.folder / "own.yaml").write_text(SWEEP.replace("[cholesky, own, own_minimizer]", "[own], duration: [0.03, 0.04, 0.05]"))
        other, own = self.build(EXAMPLE + "extern const int another;\nconst int another = 1;\n", "other"), self.folder / "own.so"
        self.build("#include <stdio.h>\n" + EXAMPLE.replace("  cg           *s = solver;\n",
                                                            f'  cg           *s = solver;\n  rename("{other}", "{own}");\n'))
        line = ["run", "own.yaml", "-o", "r", "--exec", "-j", 1, "--plugin", own]
        self.assertIn("was changed after the run began", self.call(*line, status=4).stderr)
        self.assertEqual((1, 0), (len(self.rows("r")), len(self.events(self.folder / "r", "fail"))))
        self.call(*line)
        self.assertEqual(4, len(self.rows("r")))

    def test_files_are_named_once_by_their_whole_path(self):
        """Also two of which one's name begins the other's, and relative ones for cases in other folders."""
        own = self.build()
        (self.folder / "own.so.1").write_bytes(self.build(EXAMPLE.replace('"my_', '"your_'), "your").read_bytes())
        listed = self.call("list", "linear", "--plugin", "own.so.1", "--plugin", "own.so", "--plugin", own).stdout
        self.assertTrue("my_cg" in listed and "your_cg" in listed)
        (self.folder / "own.yaml").write_text(SWEEP)
        variable = {**os.environ, "SPRINGBENCH_PLUGINS": "own.so:./own.so"}
        lines = self.call("plan", "own.yaml", "--format", "commands", "--plugin", "../" + self.folder.name + "/own.so",
                          env=variable).stdout
        self.assertEqual({f"SPRINGBENCH_PLUGINS={own.resolve()}"}, set(re.findall(r"SPRINGBENCH_PLUGINS=\S+", lines)))


if __name__ == "__main__":
    main()
