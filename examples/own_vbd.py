# SPDX-License-Identifier: GPL-3.0-or-later
# springbench: minimizer numpy_vbd: vertex block descent in NumPy, a colour at a time [sees_net, counted]
"""A plug-in in Python: vertex block descent (Chen, Liu, Yang, Yuksel 2024), as minimizer=vertex_block_descent is.

springbench --plugin own_vbd.py case scene=cloth grid=21 integrator=implicit_euler minimizer=numpy_vbd
    visits=colours max_iterations=20 h=0.01 steps=50"""
import numpy as np


class Minimizer:
    def __init__(self, options, unknowns):
        self.groups, self.count = [], 0

    def begin(self, problem, z):
        if self.groups:
            return
        net = problem.net
        # Vertices of a colour have no common spring, so that a pass moves them together. Without colours: one at a time.
        ends = net.vertex_colour if net.vertex_colours else range(net.vertex_visits + 1)
        for begin, end in zip(ends[:-1], ends[1:]):
            group = net.visit_vertex[begin:end]
            entries = [np.arange(net.start[i], net.start[i + 1]) for i in group]
            owner = np.repeat(np.arange(len(group)), [len(each) for each in entries])
            entries = np.concatenate(entries)
            spring = net.spring[entries]
            self.groups.append((group, owner, net.other[entries], net.stiffness[spring], net.rest_length[spring]))

    def iterate(self, problem, z):
        for group, owner, other, k, l in self.groups:
            weight = problem.net.mass[group] / problem.h**2
            f = -weight[:, None] * (z[group] - problem.place[group])
            B = weight[:, None, None] * np.eye(3)
            d = z[group][owner] - z[other]
            r = np.maximum(np.linalg.norm(d, axis=1), np.finfo(float).tiny)
            u, part = d / r[:, None], 1 - l / r
            c = np.maximum(part, 0)[:, None, None]  # springs in compression are projected
            np.subtract.at(f, owner, (k * part)[:, None] * d)
            np.add.at(B, owner, k[:, None, None] * ((1 - c) * u[:, :, None] * u[:, None, :] + c * np.eye(3)))
            z[group] += np.linalg.solve(B, f[:, :, None])[:, :, 0]
            self.count += 58 * len(owner)

    def flops(self):
        return self.count
