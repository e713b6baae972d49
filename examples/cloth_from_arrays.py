# SPDX-License-Identifier: GPL-3.0-or-later
"""cloth_from_arrays.c in Python, with a picture of the cloth at six times. usage: cloth_from_arrays.py [PICTURE]"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy
import springbench

n = 21
number = numpy.arange(n * n).reshape(n, n)
y, x = numpy.divmod(numpy.arange(n * n), n)
positions = numpy.stack([0.05 * x, 0.05 * y, 0 * x], axis=1)
springs = numpy.concatenate([numpy.stack([number[:, :-1], number[:, 1:]], 2).reshape(-1, 2),
                             numpy.stack([number[:-1], number[1:]], 2).reshape(-1, 2)])
cloth = springbench.Simulation(positions=positions, springs=springs, pinned=numpy.isin(number, [0, n - 1]).ravel(),
                               stiffness=1000, total_mass=1, integrator="implicit_euler", h=0.01)
figure, panels = plt.subplots(1, 6, figsize=(12, 2.4), subplot_kw={"projection": "3d"})
for panel in panels:
    lines = cloth.positions[springs]
    for line in lines:
        panel.plot(*line.T, color="tab:blue", linewidth=0.5)
    panel.set(xlim=(0, 1), ylim=(-1, 1), zlim=(-1.1, 0), title=f"t = {cloth.time:.1f} s")
    panel.set_box_aspect((1, 2, 1.2), zoom=1.1)
    panel.view_init(elev=25, azim=-50)
    panel.set_axis_off()
    cloth.step(20)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "cloth.png", dpi=150, bbox_inches="tight")
print(f"strain at the end: at most {cloth.measure('strain_max'):.2f}")
