# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator for driver `external` that shares nothing with springbench: explicit, symplectic and implicit Euler in
NumPy. It reads the files of the folder by itself, as a program in any language would.

    a(x, v) = g - (c v + sum over springs of k (r - l) u)/m,    r = |x_i - x_j|,  u = (x_i - x_j)/r

explicit_euler: x += h v, v += h a(x, v).  symplectic_euler: v += h a(x, v), x += h v.
implicit_euler: v' = v + h a(x + h v', v'), by Newton's method with dense matrices: for nets of some hundred vertices.
Pinned vertices stay."""
import json
import sys
import time

import numpy as np

NEWTON_MAX, TOLERANCE = 50, 1e-12  # TOLERANCE: of the residual, over m g or m v/h


def read(arrays, name):
    item = arrays[name]
    types = {"f64": "<f8", "i32": "<i4", "u8": "u1"}
    return np.fromfile(item["file"], types[item["type"]]).reshape(item["shape"])


arrays = json.load(open("net.json"))["arrays"]
x, v = read(arrays, "position"), read(arrays, "velocity")
m, free = read(arrays, "mass")[:, None], read(arrays, "pinned")[:, None] == 0
first, second = read(arrays, "ends").T
k, l = read(arrays, "stiffness"), read(arrays, "rest_length")
given = json.load(open("options.json"))
h, options = given["h"], given["options"]
gravity, drag = np.array(options.get("gravity", [0, 0, 0]), float), options.get("drag", 0.0)


def lengths(x):
    """Lengths and directions of all springs, from second to first."""
    d = x[first] - x[second]
    r = np.sqrt((d * d).sum(axis=1))
    return r, d / np.where(r > 0, r, 1)[:, None]


def force(x, v):
    r, u = lengths(x)
    pull = (k * (r - l))[:, None] * u
    f = m * gravity - drag * v
    np.add.at(f, first, -pull)
    np.add.at(f, second, pull)
    return f


def stiffness(x):
    """-df/dx, [3n][3n]: blocks k (u u^T + (1 - l/r)(I - u u^T))."""
    r, u = lengths(x)
    uu = u[:, :, None] * u[:, None, :]
    ratio = np.where(r > 0, l / np.where(r > 0, r, 1), 0)
    block = k[:, None, None] * (uu + (1 - ratio)[:, None, None] * (np.eye(3) - uu))
    K = np.zeros((len(x), 3, len(x), 3))
    for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(K, (i[:, None, None], np.arange(3)[None, :, None], j[:, None, None], np.arange(3)[None, None, :]),
                  sign * block)
    return K.reshape(3 * len(x), 3 * len(x))


def explicit_euler(x, v):
    return x + h * v, v + free * h * force(x, v) / m


def symplectic_euler(x, v):
    v = v + free * h * force(x, v) / m
    return x + h * v, v


def implicit_euler(x, v):
    """Newton's method for m (w - v) - h f(x + h w, w) = 0."""
    w, moving = v.copy(), np.flatnonzero(np.repeat(free, 3))
    scale = np.linalg.norm(m * v) + h * np.linalg.norm(force(x, v) * free) + 1e-300
    for _ in range(NEWTON_MAX):
        residual = (m * (w - v) - h * force(x + h * w, w)).ravel()[moving]
        if not np.linalg.norm(residual) > TOLERANCE * scale:
            break
        A = np.diag(np.repeat(m + h * drag, 3)) + h * h * stiffness(x + h * w)
        w.ravel()[moving] -= np.linalg.solve(A[np.ix_(moving, moving)], residual)
    return x + h * w, w


step = {f.__name__: f for f in (explicit_euler, symplectic_euler, implicit_euler)}.get(options["integrator"])
if step is None:
    sys.exit(f"numpy_euler has no integrator {options['integrator']}")
v = v * free
with open("frames.f64", "wb") as positions, open("velocities.f64", "wb") as velocities:
    positions.write(x.tobytes())
    velocities.write(v.tobytes())
    began = time.perf_counter()
    with np.errstate(all="ignore"):  # a motion that diverges is written as it is
        for _ in range(given["frames"]):
            for _ in range(given["steps_per_frame"]):
                x, v = step(x, v)
            positions.write(x.tobytes())
            velocities.write(v.tobytes())
    seconds = time.perf_counter() - began
times = [frame * given["steps_per_frame"] * h for frame in range(given["frames"] + 1)]
json.dump({"times": times, "seconds_per_step": seconds / (given["frames"] * given["steps_per_frame"])},
          open("frames.json", "w"))
