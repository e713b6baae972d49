# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes sheet.csv: a small nonlinear sheet after 0.25 s, by a program that shares nothing with springbench.

The scene is `cloth` with grid 3, springs triangulated, k = 50, mass 1, corners 0 and 3 pinned, deformed and set moving as
tests/integrate/selfconvergence.c does. Method: Gragg's modified midpoint rule with polynomial extrapolation in h^2
(Bulirsch and Stoer 1966), 6 columns on steps of 1/200 s; other choices agree to 1e-12. To renew: python3 reference.py"""
import math
import pathlib

N, STIFFNESS, GRAVITY, DURATION, PANELS, COLUMNS = 3, 50.0, -9.8, 0.25, 50, 6
SIDE = N + 1
MASS = 1.0 / SIDE**2
PINNED = {0, N}


def vertex(i, j):
    return j * SIDE + i


def net():
    rest = [(-1 + 2 * i / N, -1 + 2 * j / N, 0.0) for j in range(SIDE) for i in range(SIDE)]
    springs = []
    for j in range(SIDE):
        for i in range(SIDE):
            if i < N:
                springs.append((vertex(i, j), vertex(i + 1, j)))
            if j < N:
                springs.append((vertex(i, j), vertex(i, j + 1)))
            if i < N and j < N:
                springs.append((vertex(i + 1, j), vertex(i, j + 1)))
    return rest, [(a, b, math.dist(rest[a], rest[b])) for a, b in springs]


REST, SPRINGS = net()


def start():
    x, v = [], []
    for i, (u, w, z) in enumerate(REST):
        if i in PINNED:
            x += [u, w, z]
            v += [0.0, 0.0, 0.0]
        else:
            x += [u + 0.10 * u * (1 - w), w - 0.05 * (1 - w), z + 0.10 * (1 - w) * (1 + u)]
            v += [0.3 * w, -0.2 * u, 0.5 * u * w]
    return x + v


def rate(state):
    half = len(state) // 2
    x, force = state[:half], [0.0, 0.0, MASS * GRAVITY] * SIDE**2
    for a, b, length in SPRINGS:
        d = [x[3 * a + c] - x[3 * b + c] for c in range(3)]
        r = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        pull = STIFFNESS * (1 - length / r)
        for c in range(3):
            force[3 * a + c] -= pull * d[c]
            force[3 * b + c] += pull * d[c]
    for i in PINNED:
        force[3 * i:3 * i + 3] = [0.0, 0.0, 0.0]
    return state[half:] + [f / MASS for f in force]


def midpoint(state, step, parts):
    h = step / parts
    before, now = state, [s + h * f for s, f in zip(state, rate(state))]
    for _ in range(parts - 1):
        before, now = now, [s + 2 * h * f for s, f in zip(before, rate(now))]
    return [0.5 * (a + b + h * f) for a, b, f in zip(now, before, rate(now))]


def extrapolate(state, step):
    parts, row = [2 * (k + 1) for k in range(COLUMNS)], []
    for k in range(COLUMNS):
        new = [midpoint(state, step, parts[k])]
        for j in range(k):
            ratio = (parts[k] / parts[k - 1 - j])**2 - 1
            new.append([a + (a - b) / ratio for a, b in zip(new[j], row[j])])
        row, before = new, row
    return row[-1], max(abs(a - b) for a, b in zip(row[-1], before[-1]))


def main():
    state, doubt = start(), 0.0
    for _ in range(PANELS):
        state, difference = extrapolate(state, DURATION / PANELS)
        doubt = max(doubt, difference)
    half = len(state) // 2
    with open(pathlib.Path(__file__).with_name("sheet.csv"), "w") as file:
        print("vertex,x,y,z,vx,vy,vz", file=file)
        for i in range(SIDE**2):
            numbers = state[3 * i:3 * i + 3] + state[half + 3 * i:half + 3 * i + 3]
            print(i, *(repr(number) for number in numbers), sep=",", file=file)
    print(f"largest difference of the last two columns: {doubt:.2g}")


main()
