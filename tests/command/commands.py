# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line as a user meets it: exit statuses, messages, resuming after kill -9, repeating a row."""
import csv
import json
import os
import pathlib
import re
import shutil
import socket
import sys

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import HEAD, Program, main

SOURCE = pathlib.Path(sys.argv[2])
SWEEP = HEAD + """  - grid: {integrator: [explicit_euler, symplectic_euler], substeps: [4, 9, 64]}
tables: [{id: times, title: Times, rows: substeps, columns: integrator, cell: blowup_time}]
expect:
  - {claim: symplectic Euler stands 64 substeps, test: "status[substeps=64] == ok", where: integrator == symplectic_euler}
"""
PUBLISHED_CASE = ["scene=cloth", "grid=10", "stiffness=1000", "integrator=implicit_euler", "minimizer=newton",
                  "hessian=projected", "max_iterations=1", "gradient_tolerance=0", "start=previous", "h=0.01",
                  "duration=0.2", "save=final"]


class Small(Program):
    @classmethod
    def prepare(cls):
        cls.sweep, cls.out = cls.folder / "small.yaml", cls.folder / "out"
        cls.sweep.write_text(SWEEP)

    def rows(self, out):
        with open(out / "results.csv") as file:
            return list(csv.DictReader(file))


class Commands(Small):
    """Arguments, files and listings that are read; the build with sanitizers."""

    def test_help_lists_every_command(self):
        done = self.call("--help")
        for name in re.findall(r"SB_ENTRY\((\w+)", (SOURCE / "harness/commands/commands.def").read_text()):
            self.assertIn("  " + name, done.stdout)
            self.assertIn(f"Usage: springbench {name} ", self.call(name, "--help").stdout)
        documented = re.findall(r"(?m)^\| (\d+) \|", (SOURCE / "docs/command_line.md").read_text())
        shown = re.findall(r"(\d+): [a-z]", done.stdout.partition("exit status ")[2])
        self.assertEqual(shown, documented)
        self.call(status=2)
        self.assertIn("did you mean 'verify'", self.call("verfy", status=2).stderr)

    def test_list_tells_claims_options_and_parts(self):
        listed = json.loads(self.call("list", "--json").stdout)
        entries = {(topic, entry["name"]): entry for topic, entries in listed.items() for entry in entries}
        claims = entries["integrators", "velocity_verlet"]["claims"]
        self.assertIn("converges with order 2 in position, 2 in velocity; with order 1 under drag, dampers or air", claims)
        self.assertIn("stable for h omega < 2", claims)
        self.assertIn("detects a matrix that is not positive definite", entries["linear", "cholesky"]["claims"])
        options = {row["name"]: row["default"] for row in entries["scenes", "rope"]["options"]}
        self.assertEqual(options["stiffness"], "100")
        parts = {row["name"]: row for row in entries["colliders", "sphere"]["parts"]}
        self.assertEqual((parts["radius"]["unit"], parts["radius"]["default"]), ("m", "must be given"))
        self.assertIn("blowup_time", [row["name"] for row in entries["drivers", "blowup"]["columns"]])
        self.assertEqual(entries["options", "friction"]["section"], "Contact")

    def test_sweep_runs_once_and_then_has_nothing_to_do(self):
        self.call("run", self.sweep, "-o", self.out)
        first = (self.out / "journal.jsonl").read_text().count('"publish"')
        self.assertEqual(first, 6)
        self.assertEqual([row["status"] for row in self.rows(self.out)], ["diverged"] * 5 + ["ok"])
        self.call("run", self.sweep, "-o", self.out)
        self.assertEqual((self.out / "journal.jsonl").read_text().count('"publish"'), first)
        self.assertIn("reproduced", self.call("verify", self.out).stdout)
        self.assertIn("diverged", self.call("status", self.out).stdout)
        self.assertIn("substeps", self.call("table", self.out).stdout)
        self.assertTrue((self.out / "tables/times.tex").read_text().count("toprule"))

    def test_every_row_is_repeated_by_its_command(self):
        self.call("run", self.sweep, "-o", self.out, "-f", "substeps == 9")
        for row in self.rows(self.out):
            words = row["command"].split()
            self.assertEqual(words[:2], ["springbench", "case"])
            again = json.loads(self.call(*words[1:], "--json").stdout)
            self.assertEqual(again["digest"], row["digest"])
            self.assertEqual(again["key"], row["key"])

    def test_what_is_no_file_is_not_waited_for(self):
        """Nothing is written into these pipes. Each replaces a file that some command reads, and must stay."""
        self.call("run", self.sweep, "-o", self.out, "-p", "substeps+=12")
        key = self.events(self.out, "publish")[0]["key"]
        commands = {"status": ("status", self.out), "table": ("table", self.out), "verify": ("verify", self.out),
                    "run": ("run", self.out), "anew": ("run", self.sweep, "-o", self.out),
                    "merge": ("merge", self.folder / "joined", self.out), "case": ("export", f"{self.out}/{key}"),
                    "file": ("export", f"{self.out}/cases/{key}.h5"), "going on":
                    ("case", "--continue", f"{self.out}/cases/{key}.h5"), "film": ("animate", f"{self.out}/{key}"),
                    "whole": ("run", self.out, "--verify", "--dry-run"), "show": ("show", f"{self.out}/{key}")}
        readers = {"plan.json": ("status", "table", "verify", "run", "anew", "merge", "case", "show"),
                   "sweep.yaml": ("status", "table", "verify", "run", "anew", "merge", "case", "show"),
                   "journal.jsonl": ("status", "table", "verify", "run", "anew", "merge", "case", "file", "show"),
                   "request.json": ("status", "table", "verify", "run", "anew", "merge", "case", "show"),
                   "lock": ("run", "anew", "merge"), f"cases/{key}.h5": ("case", "file", "going on", "film")}
        for name, asked in readers.items():
            (self.out / name).rename(self.out / "kept")
            for what in ("pipe", "socket"):
                if what == "pipe":
                    os.mkfifo(self.out / name)
                else:
                    with socket.socket(socket.AF_UNIX) as made:
                        made.bind(str(self.out / name))
                for one in asked:
                    with self.subTest(file=name, what=what, command=one):
                        done = self.call(*commands[one], status=None, before=("timeout", "60"))
                        self.assertIn(done.returncode, (2, 5), done)
                        self.assertIn("not a regular file", done.stderr)
                        self.assertIn(name, done.stderr)
                        self.assertFalse((self.out / name).is_file())
                (self.out / name).unlink()
            (self.out / "kept").rename(self.out / name)
        os.mkfifo(self.folder / "s.yaml")
        self.assertIn("s.yaml: error: cannot read: not a regular file", self.call("check", "s.yaml", status=2).stderr)

    def test_a_hidden_directory_has_no_place_on_the_pages(self):
        hidden = self.folder / "results" / ".hidden"
        self.call("run", self.sweep, "-o", hidden)
        self.assertTrue((hidden / "report.html").exists())
        self.assertFalse((hidden.parent / "index.md").exists())

    def test_claims_are_judged_on_the_request(self):
        """A finding is of the sweep as it stands: claims of another request do not name it."""
        self.sweep.write_text(SWEEP.replace("64 substeps,", "64 substeps, finding: rope-symplectic-threshold,"))
        chosen = ["-f", "integrator == symplectic_euler and substeps == 64"]
        self.call("run", self.sweep, "-o", self.out, "-p", "stiffness=10000", *chosen)
        said = self.call("verify", self.out, status=3).stdout
        self.assertIn("NOT REPRODUCED  symplectic Euler stands 64 substeps [exact]: status by substeps: diverged (64); "
                      "judged on 1 of 3 cases (1 diverged)\n", said)
        self.call("run", self.sweep, "-o", self.out, "--replace", *chosen)
        said = self.call("verify", self.out, status=0).stdout
        self.assertRegex(said, r"reproduced +symplectic Euler stands 64 substeps \[rope-symplectic-threshold, exact\]: status.* ok")

    def test_a_case_file_is_shown(self):
        """Its row with units, options, provenance and datasets, without a results directory."""
        case = ["case", "scene=cloth", "grid=3", "h=0.01", "duration=0.02", "save=final", "drag=0.25"]
        row = json.loads(self.call(*case, "-o", "one.h5", "--json").stdout)
        shown = self.call("show", "one.h5").stdout
        row_part, options, provenance, stored = re.split(r"\n\n(?:options|provenance|stored \(.*)\n", shown)
        self.assertRegex(row_part, rf"key +{row['key']}\n")
        self.assertRegex(row_part, rf"energy_final +{row['columns']['energy_final']} J\n")
        self.assertRegex(options, r"drag +0.25 kg/s\n")
        self.assertRegex(options, r"gravity +\[0,0,-9.8\] m/s\^2\n")
        with h5py.File(self.folder / "one.h5") as file:
            self.assertRegex(provenance, rf"compiler +{file['provenance'].attrs['compiler'].decode()}\n")
            self.assertRegex(stored, r"particles/all/position/value +1 x 16 x 3\n")
            written = {name for name, part in file.items() if name in ("particles", "connectivity", "springs", "observables")}
        self.assertEqual(set(re.findall(r"^  (\w+)/", stored, re.M)), written)
        self.assertIn("drag=0.25 save=final", stored.splitlines()[-1])
        (self.folder / "text.h5").write_text("no file of HDF5")
        self.assertIn("text.h5: error: it is not a case file of springbench", self.call("show", "text.h5", status=2).stderr)
        self.assertIn("neither a case file nor DIR/KEY", self.call("show", "none.h5", status=2).stderr)

    def test_names_of_the_field_are_understood(self):
        for given, meant in (("minimizer=pd", "'local_global'"), ("integrator=implicit", "'implicit_euler'"),
                             ("linear=cg", "'petsc' with petsc='-ksp_type cg'")):
            self.assertIn(f"did you mean {meant}?", self.call("case", "scene=cloth", given, status=2).stderr)
        words = {"dt": "'h'", "k": "'stiffness'", "nx": "'grid'", "mass": "'total_mass' or 'vertex_mass'",
                 "iterations": "'max_iterations' or 'linear_max_iterations'", "g": "'gravity' with gravity=[0,0,-9.81]",
                 "solver": "'integrator' or 'minimizer' or 'linear'", "damping": "'damping_rate' or 'drag' or 'spring_damping'"}
        rows = json.loads(self.call("list", "options", "--json").stdout)["options"]
        suggested = {row["name"]: row["suggested for"] for row in rows}
        for word, meant in words.items():
            said = f"unknown option '{word}'; did you mean {meant}?"
            self.assertIn(said, self.call("case", "scene=cloth", f"{word}=1", status=2).stderr)
            self.sweep.write_text(SWEEP.replace("frames: 20", f"frames: 20, {word}: 1"))
            self.assertIn(f"{self.sweep}:7:47: error: {said}", self.call("check", self.sweep, status=2).stderr)
            for option in re.findall(r"'(\w+)'", meant):
                self.assertIn(word, suggested[option])
        for old, new, said in (("driver: blowup", "dt: 0.1\ndriver: blowup", "unknown key 'dt' in a sweep file; did you mean 'h'?"),
                               ("rows: substeps", "rows: dt", "unknown axis 'dt'; did you mean 'h'?"),
                               ("where: integrator", "where: solver == newton and integrator", "unknown column 'solver'; did you mean 'integrator'?")):
            self.sweep.write_text(SWEEP.replace(old, new))
            self.assertIn(said, self.call("check", self.sweep, status=2).stderr)
        self.assertIn("no topic or name 'dt'; did you mean 'h'?", self.call("list", "dt", status=2).stderr)

    def test_units_are_read(self):
        """A value with its unit, or a multiple of it, has the key and the digest of the bare number, in a case and in a
        sweep; another unit is refused with the right one."""
        plain = ["h=0.001", "duration=0.02", "stiffness=1500", "total_mass=0.1", "gravity=[0,0,-9.8]"]
        units = ["h=1ms", "duration=20 ms", "stiffness=1.5kN/m", "total_mass=100g", "gravity=[0,0,-980] cm/s^2"]
        rows = [json.loads(self.call("case", "scene=cloth", "grid=3", *given, "--json").stdout) for given in (plain, units)]
        self.assertEqual(*[(row["key"], row["digest"]) for row in rows])
        self.assertIn("option 'h' takes a number in s; got '1kg'", self.call("case", "scene=cloth", "h=1kg", status=2).stderr)
        self.sweep.write_text(SWEEP.partition("tables:")[0].replace("frames: 20", "frames: 20, frame_seconds: 500ms")
                              .replace("substeps: [4, 9, 64]", "substeps: [4, 9, 64], drag: [1 g/s, 0.001kg/s * 2]"))
        self.assertIn(f"{self.sweep}:9:96: error: option 'drag' takes a number in kg/s; got '0.001kg/s * 2'",
                      self.call("check", self.sweep, status=2).stderr)
        self.sweep.write_text(self.sweep.read_text().replace("0.001kg/s * 2", "2e-3 kg/s") + "quick: {drag: 0.002}\n")
        planned = self.call("plan", self.sweep, "--quick", "-p", "stiffness=100 N/m").stdout
        self.assertEqual(set(re.findall(r"drag=(\S+)", planned)), {"0.002"})
        keys = [re.findall(r"^  (\w{16})", self.call("plan", self.sweep, *more).stdout, re.M)
                for more in ((), ("-p", "drag=0.001,0.002"), ("-p", "frame_seconds=0.5"))]
        self.assertEqual(len(keys[0]), 12)
        self.assertEqual(keys[0], keys[1])
        self.assertEqual(keys[0], keys[2])

    def test_a_colon_ends_names_in_side_cars(self):
        """If a side-car names a file "a:b.h5", VTK ends its process and meshio fails. A folder's name may have one, as
        a side-car names the file alone."""
        case = ["case", "scene=cloth", "grid=2", "h=0.001", "duration=0.002", "save=final", "-o"]
        said = self.call(*case, "a:b.h5", status=2).stderr
        self.assertIn("-o a:b.h5: readers of the side-car end the file's name at the ':'", said)
        (self.folder / "c:d").mkdir()
        self.call(*case, "c:d/a.h5")
        self.call(*case, "a:b.h5", "--no-side-car")
        self.assertEqual(sorted(path.name for path in self.folder.rglob("*.*5*")), ["a.h5", "a:b.h5"])
        self.assertEqual([path.name for path in self.folder.rglob("*.xdmf")], ["a.xdmf"])
        for given in ("a:b.h5", "c:d/a.h5"):
            self.assertIn("end a file's name at a ':'", self.call("export", given, "--to", "xdmf", status=2).stderr)

    def test_mistakes_are_located(self):
        self.sweep.write_text(SWEEP.replace("nodes: 8", "stifness: 8"))
        done = self.call("run", self.sweep, "-o", self.out, status=2)
        self.assertRegex(done.stderr, r"small\.yaml:7:25: error: unknown option 'stifness'; did you mean 'stiffness'\?")
        self.assertFalse(self.out.exists())
        done = self.call("case", "scene=rope", "nodes=1", status=2)
        self.assertIn("out of range (allowed: [2,1000000])", done.stderr)
        self.call("run", self.sweep.with_name("none.yaml"), status=2)
        self.call("table", self.folder, status=2)
        self.call("check", self.sweep, status=2)

    def test_misspelt_options_of_petsc_are_found_by_check(self):
        """Before a case runs, with the line of the text and the name that was meant; options of the levels
        of a multigrid are read."""
        texts = {"petsc": (6, ["-ksp_type cg -pc_typ icc", "cg_gamg -mg_levels_ksp_type richardson"]),
                 "petsc_nonlinear": (7, ["-snes_type ngmres -snes_ngmrs_m 5"]), "petsc_ts": (8, ["-ts_type bdf -ts_bdf_ordr 2"])}
        blocks = [f"  - grid: {{{name}: {json.dumps(values)}}}\n    defaults: {{{'linear: petsc' if name == 'petsc' else 'minimizer: petsc_nonlinear' if name == 'petsc_nonlinear' else 'integrator: petsc_ts'}}}\n"
                  for name, (_, values) in texts.items()]
        self.sweep.write_text("springbench: 1\nname: small\ntimed: false\ndefaults: {scene: cloth, grid: 4, h: 0.01, duration: 0.01, integrator: implicit_euler}\n"
                              "sweep:\n" + "".join(blocks))
        said = self.call("check", self.sweep, status=2).stderr
        for line, name, meant in ((6, "-pc_typ", "-pc_type"), (8, "-snes_ngmrs_m", "-snes_ngmres_m")):
            self.assertRegex(said, rf"small.yaml:{line}:\d+: error: petsc: {name} is not on the list .*; did you mean '{meant}'\? \[E111\]")
        self.assertEqual(said.count("E111"), 2, said)
        self.sweep.write_text(self.sweep.read_text().replace("pc_typ ", "pc_type ").replace("ngmrs", "ngmres"))
        said = self.call("check", self.sweep, status=2).stderr  # behind a beginning of the list
        self.assertRegex(said, r"small.yaml:10:\d+: error: PETSc does not read -ts_bdf_ordr in petsc_ts='.*'; did you mean '-ts_bdf_order'\?.* \[E111\]")
        self.assertEqual(said.count("E111"), 1, said)
        self.sweep.write_text(self.sweep.read_text().replace("ordr", "order"))
        self.assertIn("4 cases", self.call("check", self.sweep).stdout)

    def test_check_does_not_wait_for_petsc(self):
        """A set-up without end is ended, which is a warning: the case itself may have hours."""
        self.sweep.write_text("springbench: 1\nname: small\ntimed: false\ndefaults: {scene: cloth, grid: 4, h: 0.01, duration: 0.01,\n"
                              "  integrator: implicit_euler, linear: petsc, petsc: -pc_type asm -pc_asm_blocks 1000000}\n"
                              "sweep: [{grid: {stiffness: [100, 200]}}]\n")
        done = self.call("check", self.sweep)
        self.assertRegex(done.stderr, r"small.yaml:5:\d+: warning: PETSc needs more than 5 s of processor time .* \[W122\]")
        self.assertIn("2 cases", done.stdout)


class Runs(Small):
    """Runs, their pages, and what there is to run; the release program."""

    LISTS = {"scenes": "model/scene/scenes.def", "meshes": "model/mesh/mesh_formats.def", "fields": "model/forces/fields.def",
             "paths": "model/forces/paths.def", "colliders": "model/contact/colliders.def",
             "integrators": "solvers/integrate/integrators.def", "minimizers": "solvers/minimize/minimizers.def",
             "linear": "solvers/linear/backends.def", "bounded": "solvers/bounded/bounded.def", "drivers": "drivers/drivers.def",
             "metrics": "solvers/minimize/metrics/metrics.def", "steps": "solvers/minimize/steps/steps.def",
             "preconditioners": "solvers/minimize/metrics/preconditioners.def",
             "accelerators": "solvers/minimize/accelerators/accelerators.def"}

    TABLES = {"options": ("base/options.def", "SB_OPTION"), "smoothings": ("model/particles/smoothing.def", "SB_SMOOTHING"),
              "springs": ("model/scene/springs.def", "SB_SPRINGS"), "pins": ("model/scene/pins.def", "SB_PINS(?:_OF_NETS)?")}

    def names_in(self, file, macro="SB_ENTRY"):
        return re.findall(rf"^{macro}\(([^,)]+)", (SOURCE / file).read_text(), re.M)

    def test_list_shows_every_entry_of_every_list(self):
        listed = json.loads(self.call("list", "--json").stdout)
        named = {topic: [entry["name"] for entry in entries] for topic, entries in listed.items()}
        for topic, file in self.LISTS.items():
            self.assertEqual(named[topic], self.names_in(file))
        for topic, (file, macro) in self.TABLES.items():
            self.assertEqual(named[topic], [name.strip('"') for name in self.names_in(file, macro)])
        self.assertLess(set(named["preconditioners"]), set(named["metrics"]))
        self.assertCountEqual(named["sweeps"], [path.stem for path in SOURCE.glob("experiments/*/*.yaml")])
        short = self.call("list").stdout
        for topic, entries in listed.items():
            page = self.call("list", topic).stdout
            for entry in entries:
                self.assertTrue(entry["summary"], entry)
                self.assertRegex(page, rf"\n(  )?{re.escape(entry['name'])}[ \n]")
                self.assertIn("\n  " + entry["name"] + " ", short)

    def test_list_of_one_topic_or_entry(self):
        page = self.call("list", "scenes", "--markdown").stdout
        self.assertTrue(page.startswith("# Scenes"))
        self.assertIn("\n## cloth_on_sphere\n", page)
        one = json.loads(self.call("list", "scenes", "cloth", "--json").stdout)
        self.assertEqual([entry["name"] for entry in one["scenes"]], ["cloth"])
        self.assertEqual(self.call("list", "cloth").stdout, self.call("list", "scenes", "cloth").stdout)
        self.assertEqual(list(json.loads(self.call("list", "newton", "--json").stdout)), ["minimizers"])
        self.assertIn("integrators, minimizers, linear", self.call("list", "solvers", status=2).stderr)
        self.assertIn("springbench list scenes", " ".join(self.call("list", "scene").stdout.split()))  # the option of that name
        self.assertIn("did you mean 'scenes'", self.call("list", "scens", status=2).stderr)
        self.assertIn("did you mean 'cloth'", self.call("list", "scenes", "clot", status=2).stderr)

    def test_a_case_of_a_sweep_has_the_kernels_of_the_blas_that_were_chosen(self):
        """Other kernels round otherwise: a row would not be repeated by its command."""
        blas = []
        for core in ("Nehalem", "Haswell"):
            self.call("run", self.sweep, "-o", self.out / core, "-f", "substeps == 64",
                      env={**os.environ, "OPENBLAS_CORETYPE": core})
            for row in self.rows(self.out / core):
                with h5py.File(self.out / core / "cases" / f"{row['key']}.h5") as file:
                    blas.append((core, file["provenance"].attrs["blas"].decode()))
        if "DYNAMIC_ARCH" in blas[0][1]:
            self.assertTrue(all(core in said for core, said in blas), blas)

    def test_files_of_the_user_stay(self):
        """Pages are put where files of these names may stand already; a user's rope is no published finding."""
        for name in ("index.md", "REPRODUCED.md"):
            (self.folder / name).write_text("mine\n")
        done = self.call("run", self.sweep, "-o", self.out)
        self.assertEqual([(self.folder / name).read_text() for name in ("index.md", "REPRODUCED.md")], ["mine\n"] * 2)
        self.assertNotIn("note:", done.stderr)  # it is no folder of results: nothing was to be written
        beside = self.folder / "results" / "small"
        self.call("run", self.sweep, "-o", beside)
        self.assertIn("[small](small/report.md)", (beside.parent / "index.md").read_text())
        self.assertFalse((beside.parent / "REPRODUCED.md").exists())
        (beside / "report.html").write_text("mine")
        (beside.parent / "index.md").write_text("mine")
        (beside / "made.json").unlink()  # which says that all is up to date
        said = self.call("run", self.sweep, "-o", beside).stderr
        self.assertEqual([said.count(f"note: {path} was not made by springbench and is not changed")
                          for path in (beside / "report.html", beside.parent / "index.md")], [1, 1], said)
        self.assertEqual((beside / "report.html").read_text(), "mine")
        self.assertIn("is not changed", self.call("report", beside, status=5).stderr)
        (self.folder / "report.html").write_text("mine")
        self.assertIn("is not changed", self.call("report", self.folder, status=5).stderr)
        self.assertIn("is not changed", self.call("verify", self.folder).stderr)
        (self.folder / "report.html").unlink()
        self.call("report", self.folder)
        self.assertNotIn("Published findings", (self.folder / "report.html").read_text())

    def test_a_folder_of_somebody_else_is_not_written_into(self):
        """Only the sweep and the journal of a run make a results directory; a run that is killed before it has stored
        them leaves no results."""
        names = ("results.h5", "results.csv", "made.json", "plan.json", "journal.jsonl", "lock", "tables/times.tex",
                 "figures/f.svg", "animations/a.gif", "report.html", "index.md", "thesis.tex")
        for i, name in enumerate(names):
            file = self.folder / f"stranger{i}" / name
            file.parent.mkdir(parents=True)
            file.write_text("my own data\n")
            said = self.call("run", self.sweep, "-o", self.folder / f"stranger{i}", status=2).stderr
            self.assertRegex(said, rf"stranger{i}: error: the directory has '{name.split('/')[0]}', but not .*E114")
            self.assertEqual(file.read_text(), "my own data\n")
            self.assertEqual([p for p in file.parents[name.count("/")].rglob("*") if p.is_file()], [file])
        # A sweep file of the user's beside data of the user's.
        (self.folder / "data").mkdir()
        (self.folder / "data/sweep.yaml").write_text(SWEEP)
        (self.folder / "data/results.h5").write_text("my own data")
        said = self.call("run", self.folder / "data/sweep.yaml", "-o", self.folder / "data", status=2).stderr
        self.assertIn("has 'results.h5'", said)
        self.assertEqual((self.folder / "data/results.h5").read_text(), "my own data")
        # Directories of runs that were killed at several times, and one that has lost its sweep file.
        self.call("run", self.sweep, "-o", self.out)
        (self.out / "sweep.yaml").unlink()
        self.assertIn("6 done", self.call("run", self.sweep, "-o", self.out, "--progress", "lines").stderr)
        for left in (("lock", "cases/"), ("lock", "tmp/", "cases/", "logs/", "journal.jsonl"),
                     ("journal.jsonl", "plan.json"), ("journal.jsonl", "plan.json", "sweep.yaml")):
            shutil.rmtree(self.out)
            self.out.mkdir()
            for name in left:
                (self.out / name).mkdir() if name[-1] == "/" else (self.out / name).touch()
            if "sweep.yaml" in left:
                (self.out / "sweep.yaml").write_text(SWEEP)
            self.call("run", self.sweep, "-o", self.out)

    def test_sweeps_and_their_times(self):
        """A line for each below its topic; all about one by its name. Times are of sweeps that exist, whole or quick."""
        names = {path.stem for path in SOURCE.glob("experiments/*/*.yaml")}
        listed = self.call("list", "sweeps").stdout
        self.assertEqual({line.split()[0] for line in re.findall(r"^  \w.*$", listed, re.M)}, names)
        self.assertIn("\n1 Ropes\n  rope_blowup ", listed)
        self.assertIn("origin: rope exercise", self.call("list", "sweeps", "rope_blowup").stdout)
        with open(SOURCE / "experiments/typical_times.csv") as file:
            times = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertLessEqual({row["sweep"] for row in times}, names)
        self.assertGreater(len([row for row in times if row["quick_seconds"]]), 50)

    def test_several_sweeps_are_one_command(self):
        """Their pages are written once and name both; a mistake in the last is told before the first has run."""
        second = self.folder / "second.yaml"
        second.write_text(SWEEP.replace("name: small", "name: second"))
        home = self.folder / "results"
        said = self.call("run", self.sweep, second, "-o", home).stderr.splitlines()
        self.assertRegex(said[0], "^2 sweeps, [0-9]+ cases to run$")  # neither has a typical time
        self.assertRegex(said[1], r"^\[1/2\] small  [0-9]+ cases …")
        self.assertRegex(said[3], r"^\[2/2\] second  [0-9]+ cases …")
        self.assertEqual([line.split(":")[0] for line in said[2:5:2]], ["small", "second"])
        self.assertRegex(said[5], "^2 sweeps took [0-9]+ s; [0-9]+ s of processor time in all$")
        self.assertEqual(said[6], f"All of it on one page: file://{home.resolve()}/report.html")
        logged = (home / "run.log").read_text().splitlines()
        self.assertEqual([line for line in logged[1:] if not re.match(r"\w+ took ", line)], said[:6])
        self.assertEqual([line.split()[0] for line in logged if re.match(r"\w+ took ", line)], ["small", "second"])
        index = (home / "index.md").read_text()
        self.assertTrue("small/report.md" in index and "second/report.md" in index, index)
        kept = {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()}
        said = self.call("run", self.sweep, second, "-o", home).stderr
        self.assertNotIn("[1/2]", said)  # nothing is to be run
        changed = [str(path) for path, time in kept.items() if path.stat().st_mtime_ns != time]
        self.assertEqual({path.rpartition("/")[2] for path in changed} - {"lock", "journal.jsonl"}, set())
        (home / "small/tables").rename(home / "small/gone")
        self.call("run", self.sweep, "-o", home / "small")
        self.assertTrue((home / "small/tables").exists())
        second.write_text(SWEEP.replace("driver:", "drifer:"))
        said = self.call("run", self.sweep, second, "-o", self.folder / "new", status=2).stderr
        self.assertIn("second.yaml:", said)
        self.assertFalse((self.folder / "new").exists())

    def test_a_sweep_without_a_quick_part(self):
        """Among several sweeps it is left out; by itself it is refused."""
        second = self.folder / "second.yaml"
        second.write_text(SWEEP.replace("name: small", "name: second").replace("sweep:", "quick: none\nsweep:", 1))
        home = self.folder / "results"
        said = self.call("run", self.sweep, second, "-o", home, "--quick").stderr
        self.assertNotIn("second", said)
        self.assertTrue((home / "small" / "report.html").exists() and not (home / "second").exists())
        self.assertIn("'quick' leaves no case", self.call("run", second, "--quick", status=2).stderr)

    def test_pages_are_renewed_as_sweeps_end(self):
        """The first sweep is on the pages before the second has run, in which a case looks for it."""
        second = self.folder / "second.yaml"
        second.write_text(SWEEP.replace("name: small", "name: second"))
        home = self.folder / "of any name"
        (home / "second").mkdir(parents=True)
        (home / "second" / "sweep.yaml").write_text("name: [\n")  # the second cannot be run
        self.call("run", self.sweep, second, "-o", home, status=2)
        self.assertIn("small/report.md", (home / "index.md").read_text())

    def test_times_of_two_builds_are_told_of_every_sweep(self):
        sweeps = [self.folder / f"of_{name}.yaml" for name in ("one", "two")]
        for path in sweeps:
            path.write_text(f"springbench: 1\nname: {path.stem}\ndriver: timing\ndefaults: {{scene: rope, frames: 2}}\n"
                            "sweep: [{grid: {nodes: [4, 5, 6]}}]\n")
        out = self.folder / "by two builds"
        self.assertNotIn("another build", self.call("run", *sweeps, "-o", out).stderr)
        for path in sweeps:
            journal = out / path.stem / "journal.jsonl"
            events = [json.loads(line) for line in journal.read_text().splitlines()]
            for event in events:
                event.pop("check")  # without its seal a line is taken as it stands
            next(event for event in events if event["event"] == "publish")["build"] = "another"
            journal.write_text("".join(json.dumps(event) + "\n" for event in events))
        said = self.call("run", *sweeps, "-o", out).stderr
        self.assertEqual(said.count("  1 of 3 cases was run by another build than the rest (1 by another; the rest by "), 2, said)

    def test_a_run_ends_with_what_came_of_its_claims(self):
        said = self.call("run", self.sweep, "-o", self.out).stderr
        self.assertEqual(said, f"small: 6 cases: 1 ok, 5 diverged; 1 claim: 1 reproduced; {self.out}\n")
        self.sweep.write_text(SWEEP.split("tables:")[0])
        said = self.call("run", self.sweep, "-o", self.folder / "bare").stderr
        self.assertEqual(said, f"small: 6 cases: 1 ok, 5 diverged; {self.folder}/bare\n")

    def test_steps_are_a_duration(self):
        """A run's length in steps has the key, the command and the digest of that duration; both are refused, and a
        sweep over steps has them as an axis, also when it goes on."""
        case = ["case", "scene=cloth", "grid=3", "h=0.0001", "--json"]
        by_steps, by_time = [json.loads(self.call(*case, given).stdout) for given in ("steps=3", "duration=0.0003")]
        for name in ("key", "digest"):
            self.assertEqual(by_steps[name], by_time[name])
        self.assertIn("h=0.0001 duration=0.0003\n", self.call(*case[:-1], "steps=3").stdout)
        self.assertIn("'steps' and 'duration' state the length of the run twice", self.call(*case, "steps=3", "duration=1", status=2).stderr)
        self.call(*case, "steps=3", "-o", "a.h5")
        further = json.loads(self.call("case", "--continue", "a.h5", "steps=5", "--json").stdout)
        self.assertEqual(further["columns"]["end_time"], 0.0005)
        self.assertIn("give a larger 'duration' or 'steps'", self.call("case", "--continue", "a.h5", "steps=2", status=2).stderr)
        self.sweep.write_text(SWEEP.partition("sweep:")[0].replace("nodes: 8, frames: 20", "nodes: 8, h: 0.1").replace("blowup", "trajectory")
                              + "sweep: [{grid: {steps: [4, 2]}}]\n"
                              "tables: [{id: t, title: T, rows: steps, columns: [{label: end, value: end_time}, {label: n, value: steps}]}]\n")
        self.call("run", self.sweep, "-o", self.out, "-f", "steps == 2")
        self.call("run", self.sweep, "-o", self.out)
        for _ in range(2):
            self.assertRegex(self.call("table", self.out).stdout, r" 2 +0\.2\S* +2\S*\n +4 +0\.4\S* +4")
            self.call("run", self.out, "--rerun", "all")

    def test_a_case_gives_hints(self):
        """Hints name only usual causes: an explicit step that diverged, iterations whose number nobody chose, options
        that nothing reads."""
        done = self.call("case", "scene=cloth", "h=0.01").stdout
        self.assertRegex(done, r"\nreason .*\nhint +h may be too long for symplectic_euler \(driver=blowup measures the "
                               r"limit, limit_h\): use a smaller h, or integrator=implicit_euler\n")
        done = self.call("case", "scene=cloth", "substeps=1", "frames=100", "frame_seconds=0.01").stdout
        self.assertRegex(done, r"\nhint .*: use more substeps, or integrator=implicit_euler\n")
        small = ["case", "scene=cloth", "grid=3", "integrator=implicit_euler", "h=0.01", "duration=0.02"]
        self.assertNotIn("hint", self.call(*small).stdout)  # newton stops by itself
        self.assertRegex(self.call(*small, "gradient_tolerance=0").stdout,
                         r"\nhint +newton made all its 100 iterations in every step")
        small.append("minimizer=local_global")
        self.assertRegex(self.call(*small).stdout, r"\nhint +local_global made all its 100 iterations in every step")
        for chosen in ("max_iterations=3", "step_tolerance=1e-6", "--json"):
            self.assertNotIn("hint", self.call(*small, chosen).stdout)
        unread = self.call("case", "scene=oscillator", "duration=0.1", "h=0.01", "minimizer=newton").stdout
        self.assertRegex(unread, r"\nhint +minimizer=newton is not read: it needs integrator=implicit_euler or bdf2 or sdirk2 or "
                                 r"implicit_midpoint, or driver=factor_solve or statics\n")

    def test_a_sweep_without_tables_says_so(self):
        self.sweep.write_text(SWEEP.split("tables:")[0])
        self.assertIn("6 cases, 0 tables, 0 figures, 0 animations, 0 claims", self.call("check", self.sweep).stdout)
        self.call("run", self.sweep, "-o", self.out, "-f", "substeps == 64")
        self.assertIn("this sweep has no tables", self.call("table", self.out).stderr)
        self.assertIn("this sweep has no tables", self.call("table", self.out, "times", status=2).stderr)
        page = (self.out / "report.html").read_text()
        self.assertIn("<code class=\"language-sh\">springbench run out --rerun all\n</code>", page)
        self.assertIn("These are only some of them, or others", page)
        self.call("run", "out", "--rerun", "all")  # the page's own command, in the folder that it names

    def last_vertex(self, *arguments):
        row = json.loads(self.call("case", *PUBLISHED_CASE, *arguments, "--json").stdout)
        self.assertEqual(row["status"], "ok")
        return [row["columns"]["last_" + axis] for axis in "xyz"]

    def test_the_published_cloth_by_every_solver_and_rank_count(self):
        reference = self.last_vertex("linear=cholesky")
        self.assertEqual([round(value, 8) for value in reference], [1.00582114, 0.97114914, -0.2058])
        others = [["linear=petsc", "petsc=-ksp_type cg -pc_type icc -ksp_rtol 1e-13"],
                  ["linear=cholesky", "--ranks", "2"],
                  ["linear=petsc", "petsc=-ksp_type cg -pc_type bjacobi -sub_pc_type icc -ksp_rtol 1e-13", "--ranks", "2"]]
        for other in others:
            for ours, theirs in zip(reference, self.last_vertex(*other)):
                self.assertLessEqual(abs(ours - theirs), 1e-10, other)

    def test_what_petsc_prints_is_in_the_log(self):
        """Views, monitors and PETSc's own log: of a case on stderr, beside the row on stdout; of a sweep in the log."""
        curtain = {"scene": "curtain", "grid": "4", "duration": "1/30", "linear": "petsc", "hessian": "projected"}
        words = {"-ksp_view": "KSP Object: (sb_linear_)", "-ksp_monitor": "KSP Residual norm",
                 "-ksp_monitor_true_residual": "true resid norm", "-ksp_converged_reason": "converged due to",
                 "-log_view": "SBLinSolve", "-ksp_view_singularvalues": "singular values"}
        for option, word in words.items():
            done = self.call("case", *(f"{name}={value}" for name, value in curtain.items()), "--json", f"petsc={option}")
            self.assertEqual(json.loads(done.stdout)["status"], "ok")
            self.assertIn(word, done.stderr, option)
        plain = self.call("case", *(f"{name}={value}" for name, value in curtain.items()))
        self.assertEqual(plain.stderr, "")
        (self.folder / "said.yaml").write_text(
            "springbench: 1\nname: said\ndefaults: " + json.dumps(curtain) + "\n"
            "sweep: [{grid: {petsc: ['-log_view', 'cg_gamg -ksp_view', '-mat_type baij -ksp_view',"
            " '-mat_type sbaij -pc_type icc -ksp_view']}}]\n")
        self.call("run", "said.yaml", "-o", "said")
        rows = {row["petsc"]: row for row in self.rows(self.folder / "said")}
        self.assertEqual({row["status"] for row in rows.values()}, {"ok"})
        for text, word in (("-log_view", "SBLinSolve"), ("cg_gamg -ksp_view", "type: gamg"),
                           ("-mat_type baij -ksp_view", "type: seqbaij"),
                           ("-mat_type sbaij -pc_type icc -ksp_view", "type: seqsbaij")):
            self.assertIn(word, (self.folder / "said/logs" / (rows[text]["key"] + ".txt")).read_text(), text)
        ends = [float(row["energy_final"]) for row in rows.values()]
        self.assertLessEqual(max(ends) - min(ends), 1e-12)

    def test_one_step_on_two_ranks(self):
        one_step = ["scene=cloth", "grid=6", "integrator=implicit_euler", "h=0.01", "duration=0.01", "--json",
                    "linear_tolerance=1e-14", "max_iterations=3"]
        for method in ["minimizer=newton", "minimizer=local_global"]:
            for linear in ["linear=cholesky", "linear=petsc"]:
                one, two = (json.loads(self.call("case", *one_step, method, linear, *ranks).stdout)["columns"]
                            for ranks in ([], ["--ranks", "2"]))
                for axis in "xyz":
                    self.assertLessEqual(abs(one["last_" + axis] - two["last_" + axis]), 1e-12, (method, linear))


os.environ.pop("PETSC_OPTIONS", None)
main(2)
