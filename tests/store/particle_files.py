# SPDX-License-Identifier: GPL-3.0-or-later
"""Case files of particles: pressure and density of every stored frame, as h5py, VTKHDF's and XDMF's readers see them; and
nets, whose files have none. Argument: the program."""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

from side_car import side_car

PROGRAM = sys.argv[1]
FLAT = ("scene=column", "spacing=0.2", "duration=2", "save=every:5")
SOLID = ("scene=dam_break", "dimensions=3", "spacing=0.25", "breadth=1", "smoothing=cubic_spline", "support=2", "h=0.01",
         "duration=0.2", "save=every:5")
UNITS = {2: {"pressure": "N m-1", "density": "kg m-2"}, 3: {"pressure": "N m-2", "density": "kg m-3"}}


def simulate(folder, name, *options):
    path = pathlib.Path(folder, name + ".h5")
    done = subprocess.run([PROGRAM, "case", *options, "-o", path], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    return path


def check_elements(file, dimensions):
    """The elements of H5MD beside position and velocity, in all their digits; walls have neither."""
    states = file["particles/all"]
    stored, points, _ = states["position/value"].shape
    walls = states["species"][:] == 1
    assert stored > 2 and states["species"].shape == (points,) and 0 < walls.sum() < points
    assert walls[numpy.argmax(walls):].all(), "free particles come first"
    for name, unit in UNITS[dimensions].items():
        value = states[name]["value"]
        assert value.shape == (stored, points) and value.chunks == (1, points) and value.dtype == numpy.float64
        assert value.attrs["unit"].decode() == unit, value.attrs["unit"]
        assert states[name]["step"] == states["position/step"] and states[name]["time"] == states["position/time"]
        assert (value[:, walls] == 0).all() and (value[0] == 0).all() and numpy.isfinite(value[:]).all()
        assert all((file[f"frames/{k}/{name}"][:] == value[k]).all() for k in range(stored))
        assert (file["VTKHDF/PointData"][name][:] == value[:].ravel()).all()
        assert list(file["VTKHDF/Steps/PointDataOffsets"][name]) == [k * points for k in range(stored)]
    density = states["density/value"][-1, ~walls]
    assert (abs(density / file["parameters"].attrs["density"] - 1) < 0.5).all()
    assert "strain" not in file["frames/0"] and "springs/strain" not in file


def check_last_solve(file):
    """The integrator's memory of its last solve is the last frame: p = q rho^2/m, to the bit."""
    states, memory = file["particles/all"], file["restart/pressure"][:]
    q, p, rho = memory.T
    assert (p == states["pressure/value"][-1]).all() and (rho == states["density/value"][-1]).all()
    assert (p == q * rho * rho / states["mass"][:]).all() and (q > 0).any()


def check_weight(file):
    """Every particle carries the weight above it: the surface next to none, the floor that of the column, and once
    more, since walls have no pressure of their own that would push beside that of the lowest row (docs/model.md)."""
    options, states = file["parameters"].attrs, file["particles/all"]
    late = states["position/time"][:] > 1
    height = states["position/value"][late][..., 1]
    pressure = states["pressure/value"][late]
    fluid = states["species"][:] == 0
    weight = options["density"] * -options["gravity"][1] * options["depth"]
    floor = pressure[:, fluid][height[:, fluid] < options["spacing"]].mean() / weight
    surface = pressure[:, fluid][height[:, fluid] > options["depth"] - options["spacing"]].mean() / weight
    assert 1 < floor < 3 and 0 <= surface < 0.3, (floor, surface)


def check_cells(file):
    """Each particle is a cell, so that it is drawn."""
    grid, points = file["VTKHDF"], len(file["particles/all/mass"])
    assert list(grid["Types"]) == [1] * points and list(grid["Connectivity"]) == list(range(points))
    assert list(grid["Offsets"]) == list(range(points + 1))
    assert [list(grid["NumberOf" + name]) for name in ("Points", "Cells", "ConnectivityIds")] == [[points]] * 3
    assert grid["PointData/species"] == file["particles/all/species"]


def check_net(path):
    with h5py.File(path) as file:
        assert set(file["particles/all"]) == {"box", "mass", "position", "velocity"}
        assert set(file["VTKHDF/PointData"]) == {"velocity", "mass"}
        assert set(file["frames/0"]) == {"position", "velocity", "strain"}
    assert "species" not in side_car(path)["text"]


with tempfile.TemporaryDirectory(prefix="springbench-particles-") as work:
    flat, solid = simulate(work, "flat", *FLAT), simulate(work, "solid", *SOLID)
    for case, axes in ((flat, 2), (solid, 3)):
        with h5py.File(case) as opened:
            check_elements(opened, axes)
            check_last_solve(opened)
            check_cells(opened)
        assert set(map(tuple, side_car(case)["grids"])) == {("particles",)}
    with h5py.File(flat) as opened:
        check_weight(opened)
    check_net(simulate(work, "net", "scene=rope", "nodes=3", "frames=2", "save=every:1"))
