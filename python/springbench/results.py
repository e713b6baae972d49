# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of sweeps, read from what `springbench run` stores (results/README.md). Needs h5py and pandas."""
import pathlib
import typing

import h5py
import numpy
import pandas


class Frame(typing.NamedTuple):
    """One stored state: positions and velocities [n][3]."""
    step: int
    time: float
    positions: numpy.ndarray
    velocities: numpy.ndarray


class Trajectory:
    """The stored frames of a case, read one at a time: len(t), t[i], t[-1], for frame in t."""

    def __init__(self, path):
        self._path = path
        with h5py.File(path) as file:
            group = file.get("particles/all/position")
            self.steps = group["step"][:] if group else numpy.empty(0, int)
            self.times = group["time"][:] if group else numpy.empty(0)

    def __len__(self):
        return len(self.steps)

    def __getitem__(self, i):
        return next(self._read([range(len(self))[i]]))

    def __iter__(self):
        return self._read(range(len(self)))

    def _read(self, indices):
        with h5py.File(self._path) as file:
            states = file["particles/all"]
            for i in indices:
                yield Frame(int(self.steps[i]), float(self.times[i]), states["position/value"][i],
                            states["velocity/value"][i])


def _plain(value):
    value = value.decode() if isinstance(value, bytes) else value
    return value.item() if isinstance(value, numpy.generic) else value


class Case:
    """A case file."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.trajectory = Trajectory(self.path)

    def _attributes(self, group):
        with h5py.File(self.path) as file:
            return {name: _plain(value) for name, value in file[group].attrs.items()
                    if not isinstance(value, h5py.Empty)}

    options = property(lambda self: self._attributes("parameters"), doc="{option: value}, with the command line")
    row = property(lambda self: self._attributes("result"), doc="{column: value}; blanks are left out")
    provenance = property(lambda self: self._attributes("provenance"), doc="build, libraries, machine")

    def _array(self, name):
        with h5py.File(self.path) as file:
            return file[name][:] if name in file else None

    masses = property(lambda self: self._array("particles/all/mass"), doc="[n] kg")
    springs = property(lambda self: self._array("connectivity/springs"), doc="[m][2] vertex numbers")
    triangles = property(lambda self: self._array("connectivity/triangles"), doc="[f][3] vertex numbers, or None")

    @property
    def observables(self):
        """Energies and other observables, a row per recorded frame, by time (s); vectors have a column per axis."""
        columns, times = {}, None
        with h5py.File(self.path) as file:
            for name, group in file.get("observables", {}).items():
                values = group["value"]
                times = group["time"][:]
                if values.ndim == 2:
                    columns |= {f"{name}_{axis}": values[:, k] for k, axis in enumerate("xyz")}
                elif values.dtype.kind == "f":
                    columns[name] = values[:]
        return pandas.DataFrame(columns, index=pandas.Index(times if times is not None else [], name="time"))


class Results:
    """A results directory."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        index = self.directory / "results.h5"
        if not index.exists():
            raise FileNotFoundError(f"{index}: not a results directory of springbench, or its run has not ended")
        with h5py.File(index) as file:
            table = file["cases"]
            fields = table.dtype.names
            self.units = {name: _plain(table.attrs.get(f"FIELD_{i}_UNIT", "")) for i, name in enumerate(fields)}
            columns = {name: table[name] for name in fields}
        self.rows = pandas.DataFrame({name: numpy.char.decode(column, "utf-8") if column.dtype.kind == "S" else column
                                      for name, column in columns.items()})
        self.rows.attrs["units"] = self.units

    def case(self, key=None, **values):
        """The case of a key, or the first whose columns have these values."""
        rows = self.rows if key is None else self.rows[self.rows.key == key]
        for name, value in values.items():
            rows = rows[rows[name] == value]
        if rows.empty:
            raise KeyError(f"{self.directory}: no case with {values or key}")
        return Case(self.directory / "cases" / f"{rows.iloc[0].key}.h5")

    def cases(self):
        """(row, case) for every row that has a file, in the order of the plan."""
        for _, row in self.rows.iterrows():
            path = self.directory / "cases" / f"{row.key}.h5"
            if path.exists():
                yield row, Case(path)


def load(path):
    """A results directory, or a case file (.h5)."""
    path = pathlib.Path(path)
    return Case(path) if path.is_file() else Results(path)
