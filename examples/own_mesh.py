# SPDX-License-Identifier: GPL-3.0-or-later
"""A hammock, written as an OBJ file and simulated by scene `mesh`. usage: own_mesh.py [CASE_FILE]"""
import math
import pathlib
import sys
import tempfile

import springbench

n = 12
vertices = [(i / n, j / n, 0.1 * math.sin(math.pi * i / n)) for j in range(n + 1) for i in range(n + 1)]
quads = [(j * (n + 1) + i + 1, j * (n + 1) + i + 2, (j + 1) * (n + 1) + i + 2, (j + 1) * (n + 1) + i + 1)
         for j in range(n) for i in range(n)]
ends = [j * (n + 1) + i for j in range(n + 1) for i in (0, n)]
with tempfile.TemporaryDirectory() as folder:
    mesh = pathlib.Path(folder) / "hammock.obj"
    mesh.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in vertices)
                    + "".join("f " + " ".join(map(str, quad)) + "\n" for quad in quads))
    hammock = springbench.Simulation(scene="mesh", mesh=str(mesh), pins=f"[{','.join(map(str, ends))}]", stiffness=500,
                                     total_mass=0.5, integrator="implicit_euler", minimizer="local_global",
                                     max_iterations=10, damping_rate=2, h=0.01)
    for state in hammock.run(3, every=100):
        print(f"t = {state.time:.0f} s: kinetic energy {state.measure('energy_kinetic'):.2e} J, "
              f"largest strain {state.measure('strain_max'):.3f}")
    hammock.save(sys.argv[1] if len(sys.argv) > 1 else "hammock.h5")
