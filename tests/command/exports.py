# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a case as files of other programs: exports.py PROGRAM [TEST ...]. NumPy reads an npz back, and a reader
of the few lines of an obj its frames; both have the bits that h5py reads from the case file. A refusal leaves the files
that are there."""
import pathlib
import resource
import sys
import zipfile

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import Program, main

CASES = {"cloth": ["scene=cloth", "grid=4"], "rope": ["scene=rope", "nodes=5"],
         "fluid": ["driver=flow", "scene=column", "spacing=0.1", "integrator=isph"]}
STORED = {"positions": "particles/all/position/value", "velocities": "particles/all/velocity/value",
          "times": "particles/all/position/time", "springs": "connectivity/springs",
          "triangles": "connectivity/triangles"}


class Exports(Program):
    shares_folder = True

    @classmethod
    def prepare(cls):
        for name, options in CASES.items():
            cls.call("case", *options, "h=0.001", "duration=0.02", "save=every:5", "-o", f"{name}.h5")

    def export(self, form, name, source="cloth", status=0, **more):
        return self.call("export", f"{source}.h5", "--to", form, "-o", name, status=status, **more)

    def names(self, pattern):
        return sorted(path.name for path in self.folder.glob(pattern))

    def test_npz(self):
        for name in CASES:
            self.assertEqual(self.export("npz", name, name).stdout, f"{name}.npz\n")
            self.assertIsNone(zipfile.ZipFile(self.folder / f"{name}.npz").testzip())
            with h5py.File(self.folder / f"{name}.h5") as file, numpy.load(self.folder / f"{name}.npz") as read:
                self.assertEqual(set(read), set(STORED))
                self.assertEqual(read["positions"].shape[0], 5)
                for array, path in STORED.items():
                    self.assertEqual((read[array].dtype, read[array].shape), (file[path].dtype, file[path].shape))
                    self.assertEqual(read[array].tobytes(), file[path][:].tobytes())

    def test_obj(self):
        for name, letter, cells in (("cloth", "f", "triangles"), ("rope", "l", "springs"), ("fluid", "f", "triangles")):
            self.assertEqual(self.export("obj", f"{name}.obj", name).stdout.split(), self.names(f"{name}_*.obj"))
            with h5py.File(self.folder / f"{name}.h5") as file:
                for k, place in enumerate(file[STORED["positions"]][:]):
                    lines = (self.folder / f"{name}_{k:04}.obj").read_text().splitlines()
                    rows = {c: [row.split()[1:] for row in lines if row[0] == c] for c in "vfl"}
                    self.assertEqual(lines[0], f"# t = {file[STORED['times']][k]:g} s")
                    self.assertTrue((numpy.array(rows["v"], float) == place).all())
                    self.assertEqual([[int(i) - 1 for i in row] for row in rows[letter]], file[STORED[cells]][:].tolist())
                    self.assertEqual(len(lines), 1 + len(rows["v"]) + len(rows[letter]))
        self.call("case", "scene=mesh", "mesh=cloth_0004.obj", "h=0.001", "duration=0.001")

    def test_refusals_leave_what_is_there(self):
        self.call("case", *CASES["rope"], "h=0.001", "duration=0.01", "save=none", "-o", "none.h5")
        (self.folder / "damaged.h5").write_bytes((self.folder / "cloth.h5").read_bytes()[:-1] + b"x")
        (self.folder / "kept.npz").write_text("kept")
        (self.folder / "kept_0000.obj").write_text("kept")
        (self.folder / "long_0005.obj").write_text("kept")
        (self.folder / "taken.npz").mkdir()
        first = len(self.folder.joinpath(self.export("obj", "first").stdout.split()[0]).read_bytes())
        before = self.names("*")
        little = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (first, resource.RLIM_INFINITY))}
        for says, form, name, source, status, more in (
                ("no state is stored in it", "npz", "kept", "none", 2, {}), ("checksum", "obj", "kept", "damaged", 2, {}),
                ("long_0005.obj is of a longer motion", "obj", "long", "cloth", 2, {}),
                ("no/where.npz: No such file", "npz", "no/where.npz", "cloth", 5, {}),
                ("taken.npz: Is a directory", "npz", "taken", "cloth", 5, {}),
                ("kept.npz: File too large", "npz", "kept", "cloth", 5, little),
                ("kept_0001.obj: File too large", "obj", "kept", "cloth", 5, little),
                ("a name of files; got ''", "obj", "", "cloth", 2, {}), ("use `> FILE`", "csv", "kept", "cloth", 2, {})):
            with self.subTest(says=says):
                self.assertIn(says, self.export(form, name, source, status, **more).stderr)
        self.assertIn("add -o NAME", self.call("export", "cloth.h5", "--to", "npz", status=2).stderr)
        self.assertIn("(DIR/KEY) for obj", self.call("export", ".", "--to", "obj", "-o", "kept", status=2).stderr)
        self.assertEqual(self.names("*"), before)
        self.assertEqual([(self.folder / name).read_text() for name in ("kept.npz", "kept_0000.obj")], ["kept", "kept"])


main()
