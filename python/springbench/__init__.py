# SPDX-License-Identifier: GPL-3.0-or-later
"""springbench from Python: simulations (libspringbench) and results of sweeps.

    import springbench
    cloth = springbench.Simulation(scene="cloth", grid=40, integrator="implicit_euler", h=0.01)
    cloth.step(100)
    print(cloth.positions[-1], cloth.measure("energy_total"))

    results = springbench.load("results/rope_blowup")
    results.rows.groupby("substeps").blowup_time.mean()
    for frame in results.case(status="ok").trajectory: print(frame.time, frame.positions[-1])

Units are SI. Threads may make and use simulations: their calls wait for each other. A process that forks after a
simulation was made cannot use MPI in the child: use multiprocessing's start method "spawn".
"""
import importlib.util as _util

_missing = [name for name in ("numpy", "h5py", "pandas") if not _util.find_spec(name)]
if _missing:
    raise ModuleNotFoundError(
        f"springbench needs {', '.join(_missing)}, which this Python lacks: `pip install {' '.join(_missing)}`, or, on "
        f"Debian for /usr/bin/python3, `apt install {' '.join('python3-' + name for name in _missing)}`", name=_missing[0])

from .simulation import Error, Report, Simulation, StepError, measures, names  # noqa: E402
from .results import Case, DamagedError, Frame, Results, load  # noqa: E402

__all__ = ["Simulation", "Report", "Error", "StepError", "names", "measures", "load", "Results", "Case", "Frame",
           "DamagedError"]
