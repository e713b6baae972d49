# SPDX-License-Identifier: GPL-3.0-or-later
"""A mass-spring program that shares nothing with springbench: laws, forces and steps as docs/model.md states them, with
dense matrices in NumPy."""
import h5py
import numpy as np

# Per law: energy, force and stiffness at the lengths r, for springs of stiffness k and rest length l.
LAWS = {
    "hooke": lambda r, k, l: (k * (r - l) ** 2 / 2, k * (r - l), k + 0 * r),
    "tension": lambda r, k, l: (k * np.maximum(r - l, 0) ** 2 / 2, k * np.maximum(r - l, 0), k * (r > l)),
    "cubic": lambda r, k, l, cubic: cubic_spring(r / l - 1, k, l, cubic),
    "piecewise": lambda r, k, l, knee, ratio: piecewise_spring(r / l - 1, k, l, knee, ratio),
    "exponential": lambda r, k, l, exponent: exponential_spring(r / l - 1, k, l, exponent),
}
BOUNDED = {"hooke": lambda k: k, "tension": lambda k: k, "cubic": lambda k, cubic: k,
           "piecewise": lambda k, knee, ratio: k * np.maximum(1, ratio)}  # the largest stiffness; cubic: c <= 0


def cubic_spring(e, k, l, c):
    return k * l * l * (e**2 / 2 + c * e**4 / 4), k * l * (e + c * e**3), k * (1 + 3 * c * e**2)


def piecewise_spring(e, k, l, knee, ratio):
    below, beyond = np.minimum(e, knee), np.maximum(e - knee, 0)
    energy = below**2 / 2 + knee * beyond + ratio * beyond**2 / 2
    return k * l * l * energy, k * l * (below + ratio * beyond), k * np.where(e > knee, ratio, 1)


def exponential_spring(e, k, l, b):
    return k * l * l * (np.expm1(b * e) - b * e) / b**2, k * l * np.expm1(b * e) / b, k * np.exp(b * e)


def read(path):
    """The net of a case file and its frames."""
    with h5py.File(path) as file:
        places, velocities = (file[f"particles/all/{name}/value"][()] for name in ("position", "velocity"))
        net = Net(places, velocities, file["connectivity/springs"][()], *(file[f"springs/{name}"][()] for name in ("stiffness", "rest_length")),
                  file["VTKHDF/PointData/mass"][()][:len(places[0])])
        net.energies = {name: file[f"observables/energy_{name}/value"][()] for name in ("elastic", "kinetic", "gravity")}
    return net


class Net:
    """Options that act on forces are attributes: law, parameters, gravity, drag, spring_damping, damping_in_step, collider.
    The penalty is in the potential of implicit steps, or `lagged_contact`; pins are no unknowns, or `soft`, N/m."""

    def __init__(self, places, velocities, ends, k, l, mass):
        self.places, self.velocities, self.k, self.l, self.mass = places, velocities, k, l, mass[:, None]
        self.a, self.b = ends.T
        self.law, self.parameters, self.collider, self.path = LAWS["hooke"], (), None, lambda t, rest: rest
        self.gravity, self.drag, self.spring_damping, self.damping_in_step, self.factor = np.zeros(3), 0, 0, 0, 1
        self.free, self.lagged_contact, self.soft = np.ones(len(self.mass), bool), False, 0

    unknown = property(lambda self: self.free | (self.soft > 0))

    def lengths(self, x):
        d = x[self.a] - x[self.b]
        r = np.linalg.norm(d, axis=1)
        return r, d / r[:, None]

    def springs(self, x):
        r, u = self.lengths(x)
        return (*self.law(r, self.k, self.l, *self.parameters), r, u)

    def spread(self, along):
        """Sums at the vertices what each spring adds at its first end and takes at its second."""
        total = np.zeros((len(self.mass), 3))
        np.add.at(total, self.a, along)
        np.add.at(total, self.b, -along)
        return total

    def damper(self, x, v, coefficient):
        u = self.lengths(x)[1]
        return -self.spread(np.broadcast_to(coefficient, self.k.shape)[:, None] * ((v[self.a] - v[self.b]) * u).sum(1)[:, None] * u)

    def lagged(self, x, v):
        """The acceleration by drag, dampers and a lagged penalty."""
        push = self.contact(x)[1] if self.lagged_contact else 0
        return (self.damper(x, v, self.spring_damping) - self.drag * v - push) / self.mass

    def acceleration(self, x, v):
        """All forces, for explicit methods."""
        force = self.damper(x, v, self.damping_in_step * self.k) - (0 if self.lagged_contact else self.contact(x)[1])
        _, pull, _, _, u = self.springs(x)
        return np.where(self.free[:, None], self.gravity + self.lagged(x, v) + (force - self.spread(pull[:, None] * u)) / self.mass, 0)

    def contact(self, x):
        """Energy, gradient and Hessian blocks of the penalty of a ball (centre, radius) or a plane (point, normal)."""
        if not self.collider:
            return 0, 0 * x, np.zeros((len(x), 3, 3))
        depth, n, bend = self.depths(x)
        k, depth = self.collider[3], np.where(self.free, np.maximum(depth, 0), 0)
        touch = (depth > 0)[:, None, None]
        return (k * (depth**2).sum() / 2, -k * depth[:, None] * n,
                k * touch * (n[:, :, None] * n[:, None]) - k * depth[:, None, None] * bend)

    def depths(self, x):
        """The depths of all vertices in the collider, its normals, and the slopes of those."""
        kind, point, shape, _ = self.collider
        away = x - point
        if kind == "sphere":
            distance = np.linalg.norm(away, axis=1)
            n = away / distance[:, None]
            return shape - distance, n, (np.eye(3) - n[:, :, None] * n[:, None]) / distance[:, None, None]
        n = np.broadcast_to(shape / np.linalg.norm(shape), x.shape)
        return -(away * n).sum(1), n, np.zeros((len(x), 3, 3))

    def potential(self, z, y, s, start):
        """Value, gradient and Hessian of g for a stage of length s that starts at `start`."""
        energy, pull, stiffness, r, u = self.springs(z)
        beta = self.damping_in_step / s * self.k
        change = r - self.lengths(start)[0]
        energy, pull, stiffness = energy + beta * change**2 / 2, pull + beta * change, stiffness + beta
        touch, push, stiff = (0, 0 * z, 0) if self.lagged_contact else self.contact(z)
        weight = self.mass / s**2 + self.soft * ~self.free[:, None]
        value = (weight * (z - y) ** 2).sum() / 2 + energy.sum() + touch
        gradient = weight * (z - y) + self.spread(pull[:, None] * u) + push
        along = u[:, :, None] * u[:, None]
        blocks = stiffness[:, None, None] * along + (pull / r)[:, None, None] * (np.eye(3) - along)
        n = len(z)
        hessian = np.zeros((n, n, 3, 3))
        for p, q, sign in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            np.add.at(hessian, (p, q), sign * blocks)
        hessian[range(n), range(n)] += stiff + weight[:, :, None] * np.eye(3)
        of = self.unknown
        return value, gradient[of].ravel(), hessian[of][:, of].transpose(0, 2, 1, 3).reshape(gradient[of].size, -1)

    def solve(self, guess, y, s, start):
        """The minimum of g near a guess, by Newton's method with a line search."""
        z = guess.copy()
        value, gradient, hessian = self.potential(z, y, s, start)
        for _ in range(100):
            values, vectors = np.linalg.eigh(hessian)
            step = -vectors @ (vectors.T @ gradient / np.maximum(np.abs(values), 1e-9 * values[-1]))
            slope, length = gradient @ step, 1.0
            while True:
                trial = z.copy()
                trial[self.unknown] += length * step.reshape(-1, 3)
                new = self.potential(trial, y, s, start)
                if not new[0] > value + 1e-4 * length * slope + 1e-13 * abs(value) or length < 1e-9:
                    break
                length /= 2
            z, (value, gradient, hessian) = trial, new
            if np.abs(step).max() < 1e-14 * np.abs(z).max():
                break
        return z

    # Steps: from (x, v) at time t to (x, v); `near` are the places that springbench found, from which minima are sought.
    def stage(self, y, w, t, s, lagged, near):
        aim = y + s * w + s**2 * (self.gravity + lagged)
        guess = np.where(self.free[:, None], near, self.path(t, self.rest))
        aim = np.where(self.free[:, None], aim, guess)
        z = self.solve(guess, aim, s, y)
        slope = (z - y) / s
        return z, slope, (slope - w) / s

    def implicit_euler(self, x, v, t, h, near):
        z, slope, _ = self.stage(x, v, t + h, h, self.lagged(x, v), near)
        return z, slope

    def implicit_midpoint(self, x, v, t, h, near):
        _, slope, a = self.stage(x, v, t + h / 2, h / 2, self.lagged(x, v), (x + near) / 2)
        return x + h * slope, v + h * a

    def sdirk2(self, x, v, t, h, near):
        part, lagged = 1 - np.sqrt(0.5), self.lagged(x, v)
        rest = (1 - part) * h
        _, slope, a = self.stage(x, v, t + part * h, part * h, lagged, x + part * (near - x))
        return self.stage(x + rest * slope, v + rest * a, t + h, part * h, lagged, near)[:2]

    def bdf2(self, x, v, t, h, near):
        """Its first step if there is no `former` state."""
        s, lagged = 2 * h / 3, self.lagged(x, v)
        if self.former:
            x0, v0 = self.former
            return self.stage((4 * x - x0) / 3, (4 * v - self.factor * v0) / 3, t + h, s, lagged, near)[:2]
        _, slope, a = self.stage(x, v, t + s, s, lagged, x + (near - x) * 2 / 3)
        _, slope2, a2 = self.stage(x - h * slope / 3, v - h * a / 3, t + h / 3, s, lagged, x + (near - x) / 3)
        return x + h * (slope + slope2) / 2, v + h * (a + a2) / 2

    def explicit_euler(self, x, v, t, h, near):
        return x + h * v, v + h * self.acceleration(x, v)

    def symplectic_euler(self, x, v, t, h, near):
        v = self.factor * (v + h * self.acceleration(x, v))
        return x + h * v, v / self.factor

    def stoermer_verlet(self, x, v, t, h, near):
        """Its velocity, and the acceleration with it, follow the new place."""
        a = self.acceleration(x, v)
        before, a = self.kept if self.former else (x - h * v + h * h / 2 * a, a)
        new = self.held(2 * x - before + h * h * a, t + h)
        a = self.acceleration(new, np.where(self.free[:, None], (new - x) / h + h / 2 * a, v))
        self.kept = x, a
        return new, (new - x) / h + h / 2 * a

    def own_leapfrog(self, x, v, t, h, near):
        """Velocity Verlet that keeps its last acceleration."""
        half = v + h / 2 * (self.kept if self.former else self.acceleration(x, v))
        x = self.held(x + h * half, t + h)
        self.kept = self.acceleration(x, half)
        return x, half + h / 2 * self.kept

    def petsc_ts(self, x, v, t, h, near):
        """The implicit midpoint rule, all forces at its middle."""
        mean = v
        for _ in range(60):
            mean = v + h / 2 * self.acceleration(self.held(x + h / 2 * mean, t + h / 2), mean)
        return x + h * mean, 2 * mean - v

    def velocity_verlet(self, x, v, t, h, near):
        half = v + h / 2 * self.acceleration(x, v)
        x = self.held(x + h * half, t + h)
        return x, half + h / 2 * self.acceleration(x, half)

    def midpoint(self, x, v, t, h, near):
        half = v + h / 2 * self.acceleration(x, v)
        return x + h * half, v + h * self.acceleration(self.held(x + h / 2 * v, t + h / 2), half)

    def rk4(self, x, v, t, h, near):
        slopes = [(v, self.acceleration(x, v))]
        for c in (h / 2, h / 2, h):
            dx, dv = slopes[-1]
            slopes.append((v + c * dv, self.acceleration(self.held(x + c * dx, t + c), v + c * dv)))
        total = [(p + 2 * q + 2 * r + s) / 6 for p, q, r, s in zip(*slopes)]
        return x + h * total[0], v + h * total[1]

    def held(self, x, t):
        return np.where(self.free[:, None], x, self.path(t, self.rest))

    def step(self, integrator, frame, h):
        """The state that the integrator reaches from a stored frame; every step has a frame."""
        x, v, t = self.places[frame], self.velocities[frame], frame * h
        self.rest = self.places[0]
        mean = (self.path(t + h, self.rest) - self.path(t, self.rest)) / h
        begin = v if integrator == "implicit_euler" else np.where(self.free[:, None], v, mean)
        self.former = (self.places[frame - 1], self.velocities[frame - 1]) if frame > 0 else None
        near = self.places[frame + 1]
        x, v = getattr(self, integrator)(x, begin, t, h, near)
        return self.held(x, t + h), np.where(self.free[:, None], self.factor * v, mean)

    # Iterations of methods that are stopped before they converge, from z with the target y.
    def local_global(self, z, y, h, start, bound):
        weight = bound(self.k, *self.parameters) + self.damping_in_step / h * self.k
        matrix = np.diag(self.mass[:, 0] / h**2)
        for p, q, sign in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            np.add.at(matrix, (p, q), sign * weight)
        matrix = matrix[self.free][:, self.free]
        z[self.free] -= np.linalg.solve(matrix, self.potential(z, y, h, start)[1].reshape(-1, 3))

    def linearly_implicit(self, z, y, h, start, _):
        """A step of Newton's method from the places before the step."""
        z[:] = np.where(self.free[:, None], start, z)
        _, gradient, hessian = self.potential(z, y, h, start)
        z[self.unknown] -= np.linalg.solve(hessian, gradient).reshape(-1, 3)

    def vertex_block_descent(self, z, y, h, start, _):
        for i in np.flatnonzero(self.free):
            _, pull, stiffness, r, u = self.springs(z)
            change = self.damping_in_step / h * self.k
            pull, stiffness = pull + change * (r - self.lengths(start)[0]), stiffness + change
            along, block = u[:, :, None] * u[:, None], self.mass[i] / h**2 * np.eye(3)
            for s in np.flatnonzero((self.a == i) | (self.b == i)):
                block += max(stiffness[s], 0) * along[s] + max(pull[s] / r[s], 0) * (np.eye(3) - along[s])
            _, push, stiff = self.contact(z)
            gradient = self.mass[i] / h**2 * (z[i] - y[i]) + self.spread(pull[:, None] * u)[i] + push[i]
            bend = np.linalg.eigh(stiff[i])
            z[i] -= np.linalg.solve(block + bend[1] * np.maximum(bend[0], 0) @ bend[1].T, gradient)

    def xpbd(self, z, y, h, multipliers, only_pull):
        """A spring and its damper are one spring."""
        beta, k, l = self.damping_in_step / h, self.k, self.l
        k, l = k * (1 + beta), (l + beta * self.lengths(self.began)[0]) / (1 + beta)
        inverse = np.where(self.free, 1 / self.mass[:, 0], 0)
        for s, (a, b) in enumerate(zip(self.a, self.b)):
            if inverse[a] + inverse[b] == 0:
                continue
            d, soft = z[a] - z[b], 1 / (k[s] * h * h)
            r = np.linalg.norm(d)
            change = -(r - l[s] + soft * multipliers[s]) / (inverse[a] + inverse[b] + soft)
            if only_pull:
                change = min(change, -multipliers[s])
            multipliers[s] += change
            z[a] += inverse[a] * change / r * d
            z[b] -= inverse[b] * change / r * d
        for i in np.flatnonzero(self.free) if self.collider and not self.lagged_contact else ():
            depth, n, _ = self.depths(z)
            soft, own = 1 / (self.collider[3] * h * h), len(k) + i
            change = max((depth[i] - soft * multipliers[own]) / (inverse[i] + soft), -multipliers[own])
            multipliers[own] += change
            z[i] += inverse[i] * change * n[i]

    def iterated(self, minimizer, bound, frame, h, count):
        """The state after so many iterations of a step of implicit Euler."""
        self.rest, self.began = self.places[0], self.places[frame]
        x, v = self.places[frame], self.velocities[frame]
        aim = self.held(x + h * v + h**2 * (self.gravity + self.lagged(x, v)), (frame + 1) * h)
        z, start = aim.copy(), np.zeros(len(self.k) + len(x)) if minimizer == "xpbd" else x
        for _ in range(count):
            getattr(self, minimizer)(z, aim, h, start, bound)
        return z, np.where(self.free[:, None], self.factor, 1) * (z - x) / h
