# SPDX-License-Identifier: GPL-3.0-or-later
# springbench: law locking: a knitted fabric, soft until its yarns are straight [convex, hardens]
"""A law of springs in Python: springbench --plugin own_law.py case scene=cloth law=locking plugin_options=0.3

E = k l^2 (-c^2 log(1 - (e/c)^2))/2 with the strain e = r/l - 1: Hooke's law for small e, and a force that grows without
a bound towards the strain c (the finitely extensible spring of Warner 1972). Beyond 0.99 c, and in compression, it goes
on with constant stiffness."""
import numpy as np


class Law:
    def __init__(self, options):
        self.c = float(options or 0.3)

    def evaluate(self, r, k, l):
        """E, E' and E'' of springs of lengths r with k and l."""
        e, top = r / l - 1, 0.99 * self.c
        x = np.clip(e, 0, top) / self.c
        rest = 1 - x**2
        energy, slope, second = -self.c**2 * np.log(rest) / 2, self.c * x / rest, (1 + x**2) / rest**2
        over = e - self.c * x  # outside the formula
        return (k * l**2 * (energy + slope * over + second * over**2 / 2), k * l * (slope + second * over), k * second)
