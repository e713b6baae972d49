# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator for driver `external`: springbench itself, by its Python module. Its motion equals that of driver
`trajectory` to the bit, which checks the way of a net through files and of frames back."""
import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # of a clone or an installation
import springbench  # noqa: E402
from springbench.simulator import Case  # noqa: E402

if sys.argv[1:] == ["--version"]:
    springbench.names("integrators")  # loads the library
    file = next(line.split()[-1] for line in open("/proc/self/maps") if "libspringbench.so" in line)
    print("libspringbench", hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest())
    sys.exit()

case = Case()
del case.options["velocity_factor" if case.options["damping_rate"] else "damping_rate"]  # two ways to state the same
net = springbench.Simulation(positions=case.positions, springs=case.springs, masses=case.masses,
                             velocities=case.velocities, stiffnesses=case.stiffnesses,
                             rest_lengths=case.rest_lengths, triangles=case.triangles, pinned=case.pinned, h=case.h,
                             **case.options)
diverged = False
with case.record() as frame:
    frame(net.positions, net.velocities)
    for _ in range(case.frames):
        try:
            if not diverged:
                net.step(case.steps_per_frame)
        except springbench.StepError as end:
            if end.status != "diverged":
                raise
            diverged = True
        scale = float("nan") if diverged else 1.0
        frame(scale * net.positions, scale * net.velocities)
