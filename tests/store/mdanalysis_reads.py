# SPDX-License-Identifier: GPL-3.0-or-later
"""MDAnalysis reads case files as results/README.md says: every stored frame, to the digits that it has (single precision).
Argument: the folder with the files that test_recorder left. 77 where there is no MDAnalysis."""
import os
import sys
import warnings

import h5py
import numpy

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import MDAnalysis
except ImportError:
    sys.exit(77)


def check(path):
    with h5py.File(path) as file:
        states = file["particles/all"]
        places, velocities = (states[name]["value"][:].astype(numpy.float32) for name in ("position", "velocity"))
        steps, times = states["position/step"][:], states["position/time"][:]
        every = len(file["observables/energy_total/step"]) == len(steps)
        energies, digests = (file["observables"][name]["value"][:] for name in ("energy_total", "state_digest"))
        assert not every or (file["observables/energy_total/step"][:] == steps).all()
    universe = MDAnalysis.Universe.empty(places.shape[1], trajectory=True)
    universe.load_new(path, format="H5MD", convert_units=False)
    assert len(universe.trajectory) == len(places)
    for k, frame in enumerate(universe.trajectory):
        assert (frame.positions == places[k]).all() and (frame.velocities == velocities[k]).all()
        assert frame.time == times[k] and frame.data["step"] == steps[k] and frame.dimensions is None
        assert not every or (frame.data["energy_total"], frame.data["state_digest"]) == (energies[k], digests[k])
    print(f"{os.path.basename(path)}: {len(places)} frames of {places.shape[1]} points")
    return every


found = [check(os.path.join(sys.argv[1], f"1_{name}.h5")) for name in ("every1", "every3", "final", "diverging")]
assert found[0] and not all(found)
