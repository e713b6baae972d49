# SPDX-License-Identifier: GPL-3.0-or-later
"""Going on from a file: a run in two parts ends in the same bits as in one, by every integrator, with every force; what
cannot go on is refused with the reason. Arguments: the program. Run by the Python that has Debian's h5py."""
import json
import os
import pathlib
import sys

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import Program, main

ALONE = dict(OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_btl="self", OMPI_MCA_pml="ob1", OMPI_MCA_osc="^ucx",
             OMPI_MCA_coll="^hcoll,tuned,ucc", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
             OMPI_MCA_orte_create_session_dirs="0")  # else every case is executed twice
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PETSC_"))}
NET = ["scene=cloth", "grid=3", "stiffness=50", "h=0.001"]
# Nothing that acts is left out, and the field shows whether time goes on too.
FORCES = ["wind=expression:x=sin(5*t),y=x*t,z=0", "pin_path=oscillation:amplitude=[0,0,0.1],frequency=1"]
DAMPING = ["drag=0.01", "damping_rate=0.1", "spring_damping=0.01"]
OWN_DAMPING = {"position_verlet": ["verlet_damping=0.01"]}  # instead of those
OWN = {"implicit_euler": ["max_iterations=2"]}


class Continued(Program):
    def call(self, *arguments, **more):
        parallel = any(str(word).startswith(("ranks=", "--ranks")) for word in arguments)
        return super().call(*arguments, env={**CLEAN, **({} if parallel else ALONE)}, **more)

    def case(self, *arguments, **more):
        return json.loads(self.call("case", "--json", *arguments, **more).stdout)

    def refused(self, *arguments):
        done = self.call("case", *arguments, "-o", "refused.h5", status=2)
        self.assertFalse((self.folder / "refused.h5").exists())
        return done.stderr

    def states(self, name):
        """Step, and the digest of the bits of x and v, of all frames."""
        with h5py.File(self.folder / name) as file:
            digest = file["observables/state_digest"]
            return [(int(step), bytes(value)) for step, value in zip(digest["step"][:], digest["value"][:])]

    def state(self, name):
        return self.states(name)[-1]

    def in_two_parts(self, options, steps=1000, first=500):
        h = 0.001
        self.case(*NET, *options, f"duration={h * steps}", "-o", "whole.h5")
        self.case(*NET, *options, f"duration={h * first}", "-o", "first.h5")
        row = self.case("--continue", "first.h5", f"duration={h * steps}", "-o", "second.h5")
        self.assertEqual(row["columns"]["steps_done"], steps - first)
        self.assertAlmostEqual(row["columns"]["end_time"], h * steps, delta=1e-12)
        self.assertEqual(self.state("second.h5")[0], steps)
        self.assertNotEqual(self.state("first.h5")[1], self.state("second.h5")[1])
        self.assertEqual(self.states("first.h5") + self.states("second.h5")[1:], self.states("whole.h5"), options)


class Restart(Continued):
    def integrators(self):
        return [entry["name"] for entry in json.loads(self.call("list", "integrators", "--json").stdout)["integrators"]
                 if "moves particles of a fluid, not nets" not in entry["claims"]]

    def test_by_every_integrator(self):
        for name in self.integrators():
            with self.subTest(integrator=name):
                own = [f"integrator={name}", *OWN.get(name, [])]
                self.in_two_parts(own)
                self.in_two_parts([*own, *FORCES, *OWN_DAMPING.get(name, DAMPING)], 200, 77)

    def test_by_every_minimizer(self):
        for entry in json.loads(self.call("list", "minimizers", "--json").stdout)["minimizers"]:
            with self.subTest(minimizer=entry["name"]):
                self.in_two_parts(["integrator=implicit_euler", f"minimizer={entry['name']}", "max_iterations=4",
                                   "start=previous"], steps=60, first=31)

    def test_with_contact(self):
        ball = ["contact=penalty", "contact_stiffness=100", "collider=sphere:centre=[0.3,0.3,-0.5],radius=0.45", "pins=none"]
        for name in ("symplectic_euler", "velocity_verlet", "stoermer_verlet"):
            with self.subTest(integrator=name):
                self.in_two_parts([f"integrator={name}", *ball])
        with h5py.File(self.folder / "whole.h5") as file:
            self.assertGreater(file["result"].attrs["penetration_max"], 0)
            self.assertEqual(file["observables/penetration_max/value"][-1], file["result"].attrs["penetration_max"])

    def test_after_a_step_that_contact_has_changed(self):
        """BDF2 then begins again: what it stores says so."""
        plane = ["integrator=bdf2", "pins=none", "initial_velocity=[0.5,0,0]", "contact=cancel_velocity", "collider=plane:point=[0,0,-0.001]"]
        self.in_two_parts(plane, 40, 20)
        with h5py.File(self.folder / "whole.h5") as file:
            self.assertLess(abs(file["result"].attrs["last_z"] + 0.001), 1e-6)

    def test_with_a_barrier(self):
        """An edge is carried over to the other one and back. Layers that have parted leave nothing behind in the matrix
        of later steps, whose order of elimination would tell."""
        fold = ["scene=cloth", "grid=6", "stiffness=100", "pins=first_edge", "damping_rate=1", "self_contact=barrier",
                f"thickness={1 / 6}", "integrator=implicit_euler", "linear=cholesky", "max_iterations=1000", "h=0.02",
                "collider=plane:point=[0,0,0]", "contact=combined", "contact_stiffness=1000", "friction=0.8",
                "pin_path=expression:y=1-cos(1.5707963267948966*t),z=abs(sin(1.5707963267948966*t))+0.04*t"]
        self.case(*fold, "duration=3", "-o", "whole.h5")
        for parts in (2.4, 2.82, 2.88):
            self.case(*fold, f"duration={parts}", "-o", "first.h5")
            self.case("--continue", "first.h5", "duration=3", "-o", "second.h5")
            self.assertEqual(self.state("second.h5"), self.state("whole.h5"), parts)

    def test_on_two_ranks_and_from_one_to_two(self):
        options = ["integrator=stoermer_verlet", "drag=0.01"]
        self.case(*NET, *options, "duration=0.2", "-o", "whole.h5")
        for name, ranks in (("first.h5", "1"), ("first2.h5", "2")):
            self.case(*NET, *options, "duration=0.1", f"ranks={ranks}", "-o", name)
            self.case("--continue", name, "duration=0.2", "ranks=2", "-o", "second.h5")
            self.assertEqual(self.state("second.h5"), self.state("whole.h5"))

    def test_in_three_parts_and_by_its_own_command(self):
        self.case(*NET, "duration=0.03", "-o", "whole.h5")
        self.case(*NET, "duration=0.01", "-o", "a.h5")
        self.case("--continue", "a.h5", "duration=0.02", "-o", "b.h5")
        row = self.case("duration=0.03", "--continue", "b.h5", "-o", "c.h5")
        self.assertEqual(self.state("c.h5"), self.state("whole.h5"))
        with h5py.File(self.folder / "c.h5") as file:
            command = file["parameters"].attrs["command"]
        command = command.decode() if isinstance(command, bytes) else command
        self.assertIn("restart=b.h5", command)
        again = self.case(*command.split()[2:])
        self.assertEqual((again["key"], again["digest"]), (row["key"], row["digest"]))

    def test_observables_are_those_of_the_whole(self):
        rope = ["scene=rope", "substeps=20", "save=every:2"]
        self.case(*rope, "frames=6", "-o", "whole.h5")
        self.case(*rope, "frames=3", "-o", "first.h5")
        self.case("--continue", "first.h5", "frames=6", "-o", "second.h5")
        with h5py.File(self.folder / "whole.h5") as whole, h5py.File(self.folder / "second.h5") as second:
            for path in ("observables/energy_total/", "observables/state_digest/"):
                for member in ("step", "time", "value"):
                    self.assertEqual(list(whole[path + member][3:]), list(second[path + member]), path + member)
            self.assertEqual(list(second["particles/all/position/step"]), [80, 120])

    def test_blowup_goes_on(self):
        rope = ["scene=rope", "driver=blowup", "integrator=explicit_euler", "substeps=64"]
        whole = self.case(*rope, "frames=400")
        self.assertEqual(whole["status"], "diverged")
        half = int(whole["columns"]["blowup_time"] / 2)
        self.case(*rope, f"frames={half}", "-o", "first.h5")
        row = self.case("--continue", "first.h5", "frames=400", "-o", "second.h5")
        for column in ("blowup_time", "steps_done"):
            self.assertEqual(row["columns"][column], whole["columns"][column])
        self.assertIn("ended diverged: it cannot be continued", self.refused("--continue", "second.h5", "frames=500"))

    def test_contact_without_a_way_is_an_end(self):
        """Corners that meet in the middle: in two parts it ends at the same step, in the same state; nothing goes on from
        there, though the state is one."""
        corners = ["scene=cloth", "grid=4", "pins=corners4", "pin_path=expression:x=-2*x*t,y=-2*y*t", "thickness=0.1"]
        for own in (["self_contact=surfaces", "h=0.001"],
                    ["self_contact=barrier", "h=0.01", "integrator=implicit_euler"]):
            with self.subTest(own=own):
                whole = self.case(*corners, *own, "duration=1", "-o", "whole.h5")
                self.assertEqual(whole["status"], "contact_unresolved")
                self.case(*corners, *own, "duration=0.3", "-o", "first.h5")
                row = self.case("--continue", "first.h5", "duration=1", "-o", "second.h5")
                self.assertEqual((row["status"], row["reason"]), (whole["status"], whole["reason"]))
                self.assertEqual(self.state("second.h5"), self.state("whole.h5"))
                self.assertIn("ended contact_unresolved: it cannot be continued",
                              self.refused("--continue", "second.h5", "duration=2"))

    def test_the_state_is_part_of_the_key(self):
        keys = []
        for duration in ("0.01", "0.012", "0.012"):
            self.case(*NET, f"duration={duration}", "-o", "a.h5")
            keys.append(self.case("--continue", "a.h5", "duration=0.02", "-o", "b.h5")["key"])
        self.assertNotEqual(keys[0], keys[1])
        self.assertEqual(keys[1], keys[2])  # the same run again, at another time
        (self.folder / "a.h5").rename(self.folder / "elsewhere.h5")
        self.assertEqual(self.case("--continue", "elsewhere.h5", "duration=0.02")["key"], keys[1])


class Refusals(Continued):
    """Files that do not fit, are damaged or belong to another person are refused."""

    def test_what_cannot_go_on_is_refused(self):
        self.case(*NET, "duration=0.01", "integrator=stoermer_verlet", "-o", "a.h5")
        longer = ["--continue", "a.h5", "duration=0.02"]
        self.assertRegex(self.refused(*longer, "drag=0.5"),
                         r"command line:\d: error: 'a.h5' was made with drag=0, this case has drag=0.5; .* \[E106\]")
        self.assertIn("made with h=0.001, this case has h=0.002", self.refused(*longer, "h=0.002"))
        self.assertIn("made with gravity=[0,0,-9.8], this case has gravity=[0,0,0]",
                      self.refused(*longer, "gravity=[0,0,0]"))
        self.assertIn("give a larger 'duration'", self.refused("--continue", "a.h5"))
        self.assertIn("driver 'timing' cannot continue from a file", self.refused(*longer, "driver=timing"))
        self.assertIn("cannot read 'none.h5': No such file", self.refused("--continue", "none.h5"))
        (self.folder / "text.h5").write_text("no HDF5\n")
        self.assertIn("[E100]", self.refused("scene=rope", "restart=text.h5"))
        self.case(*NET, "duration=0.01", "save=none", "-o", "none.h5")
        self.assertIn("no state is stored in it", self.refused("--continue", "none.h5", "duration=0.02"))

    def test_files_count_by_their_content(self):
        net = ["scene=mesh", "pins=none", "h=0.01"]
        triangle = "v 0 0 0\nv 1 0 0\nv 0 {} 0\nf 1 2 3\n"
        (self.folder / "net.obj").write_text(triangle.format(1))
        self.case(*net, "mesh=net.obj", "duration=0.1", "-o", "a.h5")
        (self.folder / "net.obj").rename(self.folder / "moved.obj")
        self.case("--continue", "a.h5", "duration=0.2", "mesh=moved.obj")
        (self.folder / "net.obj").write_text(triangle.format(2))
        self.assertIn("'a.h5' was made with different content of mesh=net.obj",
                      self.refused("--continue", "a.h5", "duration=0.2"))

    def test_a_damaged_file_is_refused(self):
        options = ["integrator=stoermer_verlet", "drag=0.01"]

        def refuse(edit):
            self.case(*NET, *options, "duration=0.01", "-o", "a.h5")
            with h5py.File(self.folder / "a.h5", "r+") as file:
                edit(file)
            return self.refused("--continue", "a.h5", "duration=0.02")

        def infect(file):
            file["particles/all/velocity/value"][-1, 0, 0] = float("nan")

        def misdate(file):
            file["restart"].attrs["step"] = 9

        def forget(file):
            del file["restart"]

        def shrink(file):
            values = file["particles/all/position/value"][:, :4]
            for name in ("position", "velocity"):
                del file[f"particles/all/{name}/value"]
                file[f"particles/all/{name}/value"] = values
            del file["restart"]

        self.assertIn("it lacks '", refuse(forget))
        self.assertIn("it lacks '", refuse(misdate))
        self.assertIn("it is not a complete case file", refuse(infect))
        self.assertIn("it has 4 vertices, this case has 16", refuse(shrink))
        self.case(*NET, *options, "duration=0.01", "-o", "a.h5")
        whole = (self.folder / "a.h5").read_bytes()
        (self.folder / "a.h5").write_bytes(whole[:len(whole) // 2])
        self.assertIn("[E100]", self.refused("--continue", "a.h5", "duration=0.02"))

    def test_a_file_that_names_other_files_is_refused(self):
        """All data of a case file are in it: a file from another person must not make its reader open other files."""
        self.case(*NET, "duration=0.01", "save=every:1", "-o", "other.h5")
        secret = self.folder / "secret"
        secret.write_bytes(bytes(8 * 11 * 16 * 3))
        value = "particles/all/position/value"

        def link(name):
            return lambda file: file.__setitem__(name, h5py.ExternalLink(str(self.folder / "other.h5"), f"/{name}"))

        def soft(file):
            file["away"] = h5py.ExternalLink(str(self.folder / "other.h5"), "/particles")
            file["particles"] = h5py.SoftLink("/away")

        def store(file):
            file.create_dataset(value, (11, 16, 3), "f8", external=[(str(secret), 0, h5py.h5f.UNLIMITED)])

        def view(file):
            layout = h5py.VirtualLayout((11, 16, 3), "f8")
            layout[...] = h5py.VirtualSource(str(self.folder / "other.h5"), value, (11, 16, 3))
            file.create_virtual_dataset(value, layout)

        def view_of_stored(file):
            """A view of this file alone, on a dataset that stores its values elsewhere."""
            file.create_dataset("stored", (11, 16, 3), "f8", external=[(str(secret), 0, h5py.h5f.UNLIMITED)])
            layout = h5py.VirtualLayout((11, 16, 3), "f8")
            layout[...] = h5py.VirtualSource(".", "/stored", (11, 16, 3))
            file.create_virtual_dataset(value, layout)

        link_says, data_says = "a link in it to another file", "are in another file, which is not read"
        for name, edit, says in ((value, link(value), link_says), ("particles", link("particles"), link_says),
                                 ("parameters", link("parameters"), link_says), ("result", link("result"), link_says),
                                 ("particles", soft, link_says), (value, store, data_says), (value, view, data_says),
                                 (value, view_of_stored, data_says)):
            with self.subTest(name=name, says=says, edit=edit.__name__):
                self.case(*NET, "duration=0.01", "save=every:1", "-o", "a.h5")
                with h5py.File(self.folder / "a.h5", "r+") as file:
                    del file[name]
                    edit(file)
                self.assertIn(says, self.refused("--continue", "a.h5", "duration=0.02"))
                if name != "parameters":
                    self.assertIn(says, self.refused(*NET, "duration=0.02", "restart=a.h5"))
                if name.startswith("particles"):
                    self.assertIn(says, self.call("animate", "a.h5", status=2).stderr)
                if name == "particles":
                    self.assertIn(says, self.call("export", "a.h5", "--to", "xdmf", status=2).stderr)
                if not name.startswith("particles"):
                    self.assertIn(says, self.call("export", "a.h5", "--to", "json", status=2).stderr)
        self.case(*NET, "duration=0.01", "save=every:1", "-o", "a.h5")
        with h5py.File(self.folder / "a.h5", "r+") as file:
            del file["observables"]
            link("observables")(file)
        self.assertIn(link_says, self.call("export", "a.h5", status=2).stderr)


main()
