# SPDX-License-Identifier: GPL-3.0-or-later
"""Case files as their readers see them: h5py, H5MD 1.1 with its module `units`, VTKHDF 2.0, XDMF. Argument: the folder with the files that
test_recorder and test_files left."""
import os
import pathlib
import re
import sys

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from program import author
from side_car import side_car

NAMES = ["every1", "every3", "final", "none", "twin_a"]
OBSERVABLES = {"energy_kinetic", "energy_elastic", "energy_gravity", "energy_total", "momentum", "angular_momentum",
               "last_position", "last_velocity", "strain_max", "state_digest"}
FRAMES, VERTICES, SPRINGS, TRIANGLES = 8, 9, 16, 8


def is_text(attribute, charset):
    """H5MD and VTKHDF want fixed-length strings."""
    kind = attribute.get_type()
    return (isinstance(kind, h5py.h5t.TypeStringID) and not kind.is_variable_str() and kind.get_cset() == charset)


def check_text(thing, name, value, charset=h5py.h5t.CSET_ASCII):
    assert is_text(h5py.h5a.open(thing.id, name.encode()), charset), (thing.name, name)
    assert thing.attrs[name].decode() == value, (thing.name, name, thing.attrs[name])


def check_element(group, width):
    steps, times, value = group["step"], group["time"], group["value"]
    assert steps.dtype == numpy.int64 and times.dtype == numpy.float64
    assert len(steps) == len(times) == len(value)
    assert value.shape[1:] == width, (group.name, value.shape)
    assert (numpy.diff(steps[:]) > 0).all()


def check_units(file):
    """Factors of H5MD's module `units`, powers signed. States have none, or MDAnalysis refuses the file."""
    factor = r"[A-Za-z]+([+-][1-9][0-9]*)?"
    units = {}

    def note(name, thing):
        if "unit" in thing.attrs and not name.startswith(("convergence", "timing")):
            units[name] = thing.attrs["unit"].decode()
            check_text(thing, "unit", units[name])

    file.visititems(note)
    check_text(file["particles/all/mass"], "unit", "kg")
    check_text(file["observables/momentum/value"], "unit", "kg m s-1")
    assert all(re.fullmatch(f"{factor}( {factor})*", unit) for unit in units.values()), units
    states = [file[name] for name in units if name.startswith(("particles/all/position", "particles/all/velocity"))]
    assert not states, states
    modules = file["h5md/modules/units"]
    assert list(modules.attrs["version"]) == [1, 0]
    check_text(modules, "system", "SI")



def check_h5md(file, stored):
    assert list(file["h5md"].attrs["version"]) == [1, 1]
    check_text(file["h5md/author"], "name", os.environ.get("SPRINGBENCH_AUTHOR") or author(), h5py.h5t.CSET_UTF8)
    check_text(file["h5md/creator"], "name", "springbench")
    assert "version" in file["h5md/creator"].attrs
    everything = file["particles/all"]
    assert everything["box"].attrs["dimension"] == 3
    assert [word.decode() for word in everything["box"].attrs["boundary"]] == ["none"] * 3
    assert everything["mass"].shape == (VERTICES,)
    for name, width in (("springs", 2), ("triangles", 3)):
        numbers = file["connectivity"][name]
        assert numbers.shape[1] == width and numbers[:].max() < VERTICES
        assert file[numbers.attrs["particles_group"]] == everything
    for name in ("stiffness", "rest_length", "kind"):
        assert file["springs"][name].shape == (SPRINGS,)
    if not stored:
        assert "position" not in everything
        return
    for name in ("position", "velocity"):
        check_element(everything[name], (VERTICES, 3))
        assert everything[name]["value"].chunks == (1, VERTICES, 3)
        assert numpy.isfinite(everything[name]["value"][:]).all()
        for part in ("step", "time"):
            assert everything[name][part] == everything["position"][part], "linked, not copied"


def check_strains(file):
    """Single precision of what the positions say; the largest is the observable."""
    strain, ends = file["springs/strain"], file["connectivity/springs"][:]
    check_element(strain, (SPRINGS,))
    places = file["particles/all/position/value"][:]
    lengths = numpy.linalg.norm(places[:, ends[:, 1]] - places[:, ends[:, 0]], axis=2)
    expected = lengths / file["springs/rest_length"][:] - 1
    assert strain["value"].dtype == numpy.float32 and strain["value"].chunks == (1, SPRINGS)
    assert numpy.allclose(strain["value"][:], expected, rtol=1e-6, atol=1e-12) and numpy.abs(expected).max() > 1e-4
    largest = dict(zip(file["observables/strain_max/step"], file["observables/strain_max/value"]))
    for step, values in zip(strain["step"], strain["value"]):
        assert numpy.isclose(numpy.abs(values).max(), largest[step], rtol=1e-6)
    assert strain["step"] == file["particles/all/position/step"], "linked, not copied"


def check_observables(file):
    group = file["observables"]
    assert set(group) == OBSERVABLES
    for name in OBSERVABLES:
        check_element(group[name], (3,) if "momentum" in name or name.startswith("last_") else ())
        assert len(group[name]["value"]) == FRAMES
        assert group[name]["step"] == group["energy_kinetic/step"], "linked, not copied"
    assert group["state_digest/value"].dtype == "S32"
    total = sum(group["energy_" + part]["value"][:] for part in ("kinetic", "elastic", "gravity"))
    assert numpy.allclose(total, group["energy_total/value"][:], rtol=1e-14)
    mass = file["particles/all/mass"][:]
    if "position" in file["particles/all"]:
        velocity = file["particles/all/velocity/value"][-1]
        assert numpy.allclose(mass @ velocity, group["momentum/value"][-1], rtol=1e-12)


def check_vtkhdf(file, stored):
    assert ("VTKHDF" in file) == (stored > 0)
    if not stored:
        return
    grid, positions = file["VTKHDF"], file["particles/all/position/value"]
    assert list(grid.attrs["Version"]) == [2, 0]
    check_text(grid, "Type", "UnstructuredGrid")
    for view, source in (("Points", "position"), ("PointData/velocity", "velocity")):
        assert grid[view].is_virtual and grid[view].shape == (stored * VERTICES, 3)
        assert (grid[view][:] == file["particles/all"][source]["value"][:].reshape(-1, 3)).all()
    ends = numpy.concatenate([file["connectivity"][name][:].ravel() for name in ("springs", "triangles")])
    assert grid["Connectivity"].is_virtual and (grid["Connectivity"][:] == ends).all()
    cells = SPRINGS + TRIANGLES
    offsets, types = grid["Offsets"][:], grid["Types"][:]
    assert len(offsets) == cells + 1 and offsets[0] == 0 and offsets[-1] == len(ends)
    assert list(numpy.diff(offsets)) == [2] * SPRINGS + [3] * TRIANGLES
    assert list(types) == [3] * SPRINGS + [5] * TRIANGLES and types.dtype == numpy.uint8
    assert [list(grid["NumberOf" + name]) for name in ("Points", "Cells", "ConnectivityIds")] == \
        [[VERTICES], [cells], [len(ends)]]
    check_steps(file, grid["Steps"], stored)
    assert grid["PointData/mass"] == file["particles/all/mass"]


def check_steps(file, steps, stored):
    assert steps.attrs["NSteps"] == stored
    assert steps["Values"] == file["particles/all/position/time"]
    assert list(steps["PointOffsets"]) == [k * VERTICES for k in range(stored)]
    assert list(steps["PointDataOffsets/velocity"]) == list(steps["PointOffsets"])
    assert not steps["PartOffsets"][:].any() and (steps["NumberOfParts"][:] == 1).all()
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        assert steps[name].shape == (stored, 1) and not steps[name][:].any()


def check_frames(file, stored):
    assert len(file.get("frames", {})) == stored
    for k in range(stored):
        for name in ("position", "velocity"):
            view = file[f"frames/{k}/{name}"]
            assert view.shape == (VERTICES, 3) and view.is_virtual
            assert (view[:] == file["particles/all"][name]["value"][k]).all()
        view = file[f"frames/{k}/strain"]
        assert view.is_virtual and (view[:] == file["springs/strain/value"][k]).all()


def check_tables(file):
    steps = file["steps"]
    assert list(steps["step"]) == list(range(1, FRAMES))
    assert list(steps["minimizer_iterations"]) == list(range(2, FRAMES + 1))
    assert list(steps["linear_iterations"]) == [7 * k for k in range(1, FRAMES)]
    assert set(steps["outcome"][:]) == {b"solved"}
    samples = file["timing/samples"]
    assert samples.dtype.names == ("repetition", "phase", "step", "seconds")
    assert list(samples["phase"]) == [b"step", b"step", b"setup"] and list(samples["seconds"])[0] == 0.5
    run = file["convergence/frame_1"]
    assert list(run) == ["iteration", "objective"] and numpy.isnan(run["objective"][1])
    check_text(run["objective"], "unit", "J", h5py.h5t.CSET_UTF8)
    check_text(file["timing/convergence/clock/seconds"], "unit", "\u00b5s", h5py.h5t.CSET_UTF8)


def check_attributes(file):
    parameters, result, provenance = (file[name].attrs for name in ("parameters", "result", "provenance"))
    assert parameters["grid"] == 2 and parameters["stiffness"] == 10.0 and list(parameters["gravity"]) == [0, 0, -9.8]
    assert parameters["allow_zero_length"] == numpy.False_ and parameters["integrator"] == b"symplectic_euler"
    assert parameters["command"].startswith(b"springbench case ") and "nodes" not in parameters
    assert list(result) == ["key", "status", "reason", "accuracy_ok", "broke_off", "digest", "distance", "verdict", "unknown"]
    check_text(file["result"], "verdict", "h\u00e4lt", h5py.h5t.CSET_UTF8)
    assert isinstance(result["unknown"], h5py.Empty) and result["accuracy_ok"] == numpy.True_
    assert set(file["timing/result"].attrs) == {"wall_s", "max_rss_bytes", "step_median_s"}
    for name in ("git_describe", "compiler", "compiler_flags", "petsc_version", "cholmod_version", "blas", "host",
                 "cpu", "hdf5_version", "mpi_version", "governor", "start_utc", "end_utc", "slepc_version", "microcode", "caches",
                 "memory"):
        assert isinstance(provenance[name], bytes) and provenance[name], name
    for name in ("cores", "load_average", "threads", "ranks", "petsc_options"):
        assert name in provenance, name
    assert provenance["hdf5_version"].count(b".") == 2 and b"-O" in provenance["compiler_flags"]


def contents(file):
    """Everything but timings and provenance, to the byte."""
    found = {}

    def add(name, thing):
        if name.split("/")[0] in ("timing", "provenance") or name == "h5md/author":
            return
        for key in thing.attrs:
            attribute = h5py.h5a.open(thing.id, key.encode())
            value = thing.attrs[key]
            found[name + "@" + key] = (attribute.dtype, None if isinstance(value, (h5py.Empty, h5py.Reference))
                                       else numpy.asarray(value).tobytes())
        if isinstance(thing, h5py.Dataset):
            found[name] = (thing.dtype, thing.shape, thing[()].tobytes())

    file.visititems(add)
    return found


def check_no_times(file):
    """Equal runs could not give equal bytes otherwise."""
    def check(name, thing):
        assert not thing.id.get_create_plist().get_obj_track_times(), name

    file.visititems(check)
    check("/", file["/"])


def check_twins(folder):
    with h5py.File(os.path.join(folder, "1_twin_a.h5")) as a, h5py.File(os.path.join(folder, "1_twin_b.h5")) as b:
        first, second = contents(a), contents(b)
        assert len(first) > 80 and first == second
        assert a["timing/samples"][0] != b["timing/samples"][0]
    with open(os.path.join(folder, "1_twin_a.h5"), "rb") as a, open(os.path.join(folder, "1_twin_b.h5"), "rb") as b:
        assert len(a.read()) == len(b.read())


def check_ranks(folder):
    """The gathered order is the natural one: states are prescribed, so two ranks give the same bits as one."""
    with h5py.File(os.path.join(folder, "1_every3.h5")) as a, h5py.File(os.path.join(folder, "2_every3.h5")) as b:
        for name in ("position", "velocity"):
            assert (a["particles/all"][name]["value"][:] == b["particles/all"][name]["value"][:]).all()
        assert (a["observables/state_digest/value"][:] == b["observables/state_digest/value"][:]).all()
        assert a["result"].attrs["digest"] == b["result"].attrs["digest"]


def check_side_cars(folder):
    """The output of `export` is the side-car, except for the place from which the file is named."""
    for name in NAMES:
        path = os.path.join(folder, f"1_{name}.h5")
        with h5py.File(path) as file:
            stored = "position" in file["particles/all"]
        assert os.path.exists(path.replace(".h5", ".xdmf")) == stored, name
        assert not stored or side_car(path)["grids"][0] == ["springs", "triangles"]
    path = os.path.join(folder, "1_exported.h5")
    with open(os.path.join(folder, "exported.xdmf"), encoding="utf-8") as file:
        assert file.read() == side_car(path)["text"]


def main(folder):
    for name in NAMES:
        with h5py.File(os.path.join(folder, f"1_{name}.h5")) as file:
            stored = len(file["particles/all/position/step"]) if "position" in file["particles/all"] else 0
            check_h5md(file, stored)
            check_units(file)
            if stored:
                check_strains(file)
            check_observables(file)
            check_vtkhdf(file, stored)
            check_frames(file, stored)
            check_tables(file)
            check_attributes(file)
            check_no_times(file)
    check_twins(folder)
    check_ranks(folder)
    check_side_cars(folder)


main(sys.argv[1])
