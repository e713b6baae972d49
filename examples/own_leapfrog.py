# SPDX-License-Identifier: GPL-3.0-or-later
# springbench: integrator numpy_leapfrog: leapfrog in NumPy [order=2, order_braked=1, symplectic, stability_limit=2, memory=acceleration]
"""A plug-in in Python: springbench --plugin own_leapfrog.py conform integrator=numpy_leapfrog"""


class Integrator:
    def __init__(self, options, stepper):
        pass

    def step(self, stepper, number, fresh, x, v):
        h, t = stepper.h, number * stepper.h
        a, = stepper.memory  # that of the end of the last step
        if fresh:
            a[:] = stepper.acceleration(t, x, v)
        v += 0.5 * h * a
        x += h * v
        a[:] = stepper.acceleration(t + h, x, v)
        v += 0.5 * h * a
