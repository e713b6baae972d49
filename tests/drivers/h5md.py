# SPDX-License-Identifier: GPL-3.0-or-later
"""Command measure on H5MD files of other programs: a motion that is written as each of them writes it is read like the
plain one, or refused by name. Layouts are those of MDAnalysis 2.4 (its own writer, where it is installed), LAMMPS
(dump h5md), ESPResSo (H5md), pyh5md 1.2 and VMD's libh5md. usage: h5md.py PROGRAM [TEST ...]"""
import gc
import json
import pathlib
import sys
import warnings

import h5py
import numpy

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from program import Program, main  # noqa: E402

NET = ["scene=cloth", "grid=3"]
OBLIQUE = numpy.array([[0.3, 0, 0], [0.05, 0.4, 0], [0.02, -0.03, 0.05]])


def wrapped(x, edges):
    """Positions in the box at the origin, and their images."""
    image = numpy.floor(x @ numpy.linalg.inv(edges)).astype(int)
    return x - image @ edges, image


class Files(Program):
    plain = None

    def setUp(self):
        super().setUp()
        self.call("case", *NET, "integrator=symplectic_euler", "h=0.002", "steps=100", "save=every:5", "-o", "ours.h5")
        with h5py.File(self.folder / "ours.h5") as file:
            self.x, self.v = (file[f"particles/all/{name}/value"][:] for name in ("position", "velocity"))
        self.t, self.steps = 0.01 * numpy.arange(21), numpy.arange(21, dtype="i4") * 7
        self.n = self.x.shape[1]
        self.shuffles = numpy.array([numpy.random.default_rng(k).permutation(self.n) for k in range(21)])

    def element(self, file, path, value, step=None, time=None, unit=None, time_unit=None, offset=None):
        """Steps and times may be arrays, distances, or hard links to other datasets."""
        group = file.require_group(f"particles/{path}")
        group["value"] = value
        group["step"] = self.steps if step is None else step
        group["time"] = self.t if time is None else time
        if unit is not None:
            group["value"].attrs["unit"] = unit
        if time_unit is not None:
            group["time"].attrs["unit"] = time_unit
        if offset is not None:
            group["time"].attrs["offset"] = offset
        return group

    def box(self, file, group, boundary, edges=None, **more):
        box = file.require_group(f"particles/{group}/box")
        box.attrs["dimension"] = 3
        box.attrs["boundary"] = boundary
        if edges is not None and more:
            self.element(file, f"{group}/box/edges", edges, **more)
        elif edges is not None:
            box["edges"] = edges

    def pair(self, file, group="atoms", x=None, v=None, units=(None, None, None), time=None, **more):
        position = self.element(file, f"{group}/position", self.x if x is None else x, time=time, unit=units[0], time_unit=units[1], **more)
        self.element(file, f"{group}/velocity", self.v if v is None else v, position["step"], position["time"], units[2])
        return position

    # ---- as programs write ----

    def pyh5md(self, file, **more):
        self.pair(file, "particles", **more)
        self.box(file, "particles", [b"none"] * 3)

    def pyh5md_linear(self, file):
        position = self.element(file, "particles/position", self.x, 7, 10.0, "m", "ms", offset=250.0)
        position["step"].attrs["offset"] = 3
        self.element(file, "particles/velocity", self.v, position["step"], position["time"], "m s-1")

    def pyh5md_number(self, file):
        self.pair(file, "particles", units=("mm", "us", "mm us-1"), x=1e3 * self.x, v=1e-3 * self.v, time=1e6 * self.t)
        file["particles/particles/id"] = 5 + 3 * numpy.arange(self.n)
        file["particles/particles/species"] = numpy.zeros(self.n, "i4")

    def lammps(self, file, edges=(0.3, 0.4, 0.05), every=1):
        """No units. Velocities have steps of their own; box and images share those of the positions."""
        x, image = wrapped(self.x, numpy.diag(edges))
        position = self.element(file, "all/position", x)
        links = {"step": position["step"], "time": position["time"]}
        self.box(file, "all", numpy.array(["periodic"] * 3, "S9"), numpy.tile(edges, (21, 1)), **links)
        self.element(file, "all/image", image.astype("i4"), **links)
        self.element(file, "all/velocity", self.v[::every], self.steps[::every], self.t[::every])
        self.element(file, "all/species", numpy.ones((21, self.n), "i4"))

    def espresso(self, file, units=(None, None, None), scale=(1, 1)):
        """Rows in the order of the ranks that had them, steps and times those of `id`, one text for the boundary."""
        edges = numpy.array([0.3, 0.4, 0.05])
        x, image = wrapped(self.x, numpy.diag(edges))
        rows = numpy.arange(21)[:, None], self.shuffles
        number = self.element(file, "atoms/id", self.shuffles.astype("i4"), time=self.t / scale[1], time_unit=units[1])
        links = {"step": number["step"], "time": number["time"]}
        self.element(file, "atoms/position", x[rows] / scale[0], unit=units[0], **links)
        self.element(file, "atoms/velocity", self.v[rows] * scale[1] / scale[0], unit=units[2], **links)
        self.element(file, "atoms/image", image[rows].astype("i4"), **links)
        self.element(file, "atoms/mass", numpy.ones((21, self.n)), **links)
        self.box(file, "atoms", "periodic", numpy.tile(edges, (21, 1)) / scale[0], **links)
        if units[0]:
            file["particles/atoms/box/edges/value"].attrs["unit"] = units[0]

    def espresso_nano(self, file):
        self.espresso(file, ("nm", "ps", "nm ps-1"), (1e-9, 1e-12))

    def vmd(self, file):
        """libh5md: single precision, a box once, and groups of its own."""
        self.pair(file, x=self.x.astype("f4"), v=self.v.astype("f4"), units=("m", "s", "m s-1"))
        self.box(file, "atoms", [b"none"] * 3, numpy.eye(3))
        file["particles/atoms/species"] = numpy.zeros(self.n, "i4")
        file["parameters/vmd_structure/indexOfSpecies"] = [0]

    def oblique(self, file):
        x, image = wrapped(self.x, OBLIQUE)
        self.pair(file, x=x)
        self.element(file, "atoms/image", image.astype("f8"))
        self.box(file, "atoms", [b"periodic"] * 3, OBLIQUE)

    def sampled(self, file):
        """Images and ids at more steps than positions, which are at every other one."""
        self.lammps(file)
        group = file["particles/all"]
        often = {"step": 7 * numpy.arange(41) / 2, "time": numpy.arange(41) / 200}
        image = numpy.repeat(group["image/value"][:], 2, 0)[:41]
        del group["image"]
        self.element(file, "all/image", image, **often)
        self.element(file, "all/id", numpy.tile(numpy.arange(self.n), (41, 1)), **often)

    def packed(self, file):
        self.pair(file, units=("m", "s", "m/s"))
        del file["particles/atoms/position/value"]
        file["particles/atoms/position"].create_dataset("value", data=self.x.astype(">f8"), compression="gzip", chunks=(1, self.n, 3))

    # ---- read ----

    def measure(self, write, *words, status=0):
        with h5py.File(self.folder / "m.h5", "w") as file:
            write(file)
        return self.call("measure", "m.h5", *NET, *words, "--json", status=status)

    def check(self, columns, rounding=1e-9):
        if not self.plain:
            type(self).plain = json.loads(self.measure(self.pair).stdout)["columns"]
        self.assertEqual((20, "simulator"), (columns["frames_done"], columns["velocities"]))
        for name in "error", "motion", "kinetic_max":
            self.assertLess(abs(self.plain[name] - columns[name]), rounding * abs(self.plain[name]), name)

    def test_files_of_other_programs(self):
        for write in (self.pyh5md, self.pyh5md_linear, self.pyh5md_number, self.lammps, self.espresso, self.espresso_nano, self.oblique,
                      self.sampled, self.packed):
            with self.subTest(write.__name__):
                self.check(json.loads(self.measure(write).stdout)["columns"])
        self.check(json.loads(self.measure(self.vmd).stdout)["columns"], 1e-3)

    def test_mdanalysis_writes_them(self):
        try:
            import MDAnalysis
            from MDAnalysis.coordinates.memory import MemoryReader
        except ImportError:
            self.skipTest("MDAnalysis is not installed")
        warnings.simplefilter("ignore")
        for length, units in (1, {}), (1e-10, {"lengthunit": "nm", "timeunit": "ps", "velocityunit": "nm/ps"}):
            for edges in None, [100, 100, 100, 90, 90, 90]:
                with self.subTest(units=units, edges=edges):
                    time = 1e-12 if units else 1
                    universe = MDAnalysis.Universe.empty(self.n, trajectory=True, velocities=True)
                    universe.load_new(self.x / length, velocities=self.v / length * time, dt=0.01 / time, format=MemoryReader)
                    path = str(self.folder / "mda.h5md")
                    with MDAnalysis.Writer(path, n_atoms=self.n, velocities=True, forces=False, convert_units=bool(units), **units) as writer:
                        for step in universe.trajectory:
                            if edges:
                                step.dimensions = [e / length for e in edges[:3]] + edges[3:]
                            writer.write(universe.atoms)
                    del writer, universe
                    gc.collect()  # which closes the file
                    row = json.loads(self.call("measure", path, *NET, "--json").stdout)
                    self.check(row["columns"], 1e-3)

    def test_times_of_every_unit_and_type(self):
        for unit, seconds in ("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("μs", 1e-6), ("us", 1e-6), ("ns", 1e-9), ("ps", 1e-12), ("fs", 1e-15), ("min", 60), \
                ("h", 3600), ("60 s", 60), (" s+1 ", 1):
            for kind in "f8", "f4":
                with self.subTest(unit=unit, kind=kind):
                    row = json.loads(self.measure(lambda f: self.pair(f, units=("m", unit, "m s-1"), time=(self.t / seconds).astype(kind)), "-o", "out.h5").stdout)
                    self.check(row["columns"])
                    with h5py.File(self.folder / "out.h5") as file:
                        self.assertEqual(0.01, file["parameters"].attrs["frame_seconds"])

    def test_lengths_and_velocities_of_every_unit(self):
        for length, metres in ("km", 1e3), ("cm", 1e-2), ("nm", 1e-9), ("Angstrom", 1e-10), ("Å", 1e-10), ("m^1", 1), ("1000 m", 1e3):
            with self.subTest(length):
                self.check(json.loads(self.measure(lambda f: self.pair(f, x=self.x / metres, units=(length, "s", "m s-1"))).stdout)["columns"])
        for velocity, factor in ("m/s", 1), ("m s^-1", 1), ("s-1 m", 1), ("m s**-1", 1), ("Angstrom fs-1", 1e5), ("km / h", 1 / 3.6):
            with self.subTest(velocity):
                self.check(json.loads(self.measure(lambda f: self.pair(f, v=self.v / factor, units=("m", "s", velocity))).stdout)["columns"])

    # ---- refused ----

    def refuse(self, write, reason):
        with self.subTest(reason):
            said = self.measure(write, status=2)
            self.assertIn("[E100]", said.stderr)
            self.assertIn(reason, said.stderr)
            self.assertIn("m.h5: ", said.stderr)

    def change(self, write, path, value, name=None):
        """A file with another object, or attribute."""
        def changed(file):
            write(file)
            if name is None:
                del file[path]
                file[path] = value
            else:
                file[path].attrs[name] = value
        return changed

    def test_units_that_are_there_and_cannot_be_read(self):
        velocity = "particles/atoms/velocity/value"
        for unit in ["mm/s", "mm/s"], 3.0, 7, numpy.bytes_(b"\xb5m/s"), h5py.Empty("f8"):
            self.refuse(self.change(self.pair, velocity, unit, "unit"), f"'{velocity}' has a unit that is not one text in UTF-8")
        for unit in "furlong s-1", "AKMA", "m s-", "m s-1.5", "0 m", "m//s", "m s--1", "1e-3 m s-1", "mmin":
            self.refuse(self.change(self.pair, velocity, unit, "unit"), f"is in {unit}, which is unknown; write it in SI")
        self.refuse(self.change(self.pair, velocity, "m s-2", "unit"), "is in m s-2; expected a unit of velocity")
        self.refuse(self.change(self.pair, "particles/atoms/position/time", "nm", "unit"), "is in nm; expected a unit of time")
        self.refuse(self.change(self.pair, "particles/atoms/position/value", "nm", "unit"), "has no unit, and that of")
        self.refuse(self.of_another_system, "another system than SI")

    def of_another_system(self, file):
        self.pair(file)
        file.require_group("h5md/modules/units").attrs["system"] = "cgs"

    def test_rows_and_images_that_do_not_fit(self):
        number = "particles/atoms/id"
        image = "particles/all/image/"
        twice = self.shuffles.copy()
        twice[3][twice[3] == 2] = 1
        self.refuse(self.change(self.pyh5md_number, "particles/particles/id", numpy.arange(self.n) + 0.5), "of whole numbers")
        self.refuse(self.change(self.pyh5md_number, "particles/particles/id", numpy.arange(self.n + 1)), "of whole numbers")
        self.refuse(self.change(self.espresso, f"{number}/value", self.shuffles[:7]), "'particles/atoms/id/step' is not an array of 7 numbers")
        self.refuse(self.change(self.lammps, image + "step", self.steps + 1), "'particles/all/image' has no values for the step and time of frame 0")
        self.refuse(self.change(self.lammps, image + "time", self.t + 0.005), "'particles/all/image' has no values for the step and time of frame 0")
        self.refuse(self.change(self.lammps, "particles/all/box/edges/value", numpy.ones((21, 2))), "'particles/all/box/edges/value' is not an array [3]")
        self.refuse(self.no_box, "needs 'particles/all/box/edges', which is not there")
        for change, reason in ((self.change(self.espresso, f"{number}/value", twice), "frame 3 has the id 1 twice"),
                               (self.change(self.espresso, f"{number}/value", self.shuffles + (numpy.arange(21) == 4)[:, None]), "frame 4 has other ids than frame 0, such as"),
                               (self.jumping, "and there is no 'image'; write the positions unwrapped")):
            with self.subTest(reason):
                self.assertIn(reason, json.loads(self.measure(change, status=1).stdout)["reason"])

    def no_box(self, file):
        self.lammps(file)
        del file["particles/all/box/edges"]

    def jumping(self, file):
        x = self.x.copy()
        x[:, :, 2] -= 0.08 * numpy.floor(x[:, :, 2] / 0.08 + 0.5)
        self.pair(file, x=x)
        self.box(file, "atoms", [b"none", b"none", b"periodic"], [1e-3, 1e-3, 0.08])

    def test_steps_and_times_that_do_not_fit(self):
        self.refuse(lambda f: self.lammps(f, every=2), "'particles/all/velocity' has no values for the step and time of frame 1 of the positions")
        self.refuse(self.change(self.pair, "particles/atoms/velocity/time", self.t + 0.005), "has no values for the step and time of frame 0")
        self.refuse(self.change(self.pair, "particles/atoms/position/step", self.steps[:-1]), "'particles/atoms/position/step' is not an array of 21")
        self.refuse(self.change(self.pyh5md_linear, "particles/particles/position/time", "late", "offset"), "has an offset that is not a number")
        self.refuse(lambda f: self.pair(f, time=(self.t + 1e6).astype("f4")), "write it with more digits")
        row = json.loads(self.measure(lambda f: self.pair(f, time=numpy.delete(numpy.arange(22) / 100, 5).astype("f4")), status=1).stdout)
        self.assertIn("it has the time", row["reason"])


if __name__ == "__main__":
    main()
