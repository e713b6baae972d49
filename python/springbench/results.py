# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of sweeps, read from what `springbench run` stores (results/README.md). Needs h5py and pandas."""
import ctypes
import hashlib
import json
import os
import pathlib
import typing
import warnings

import h5py
import numpy
import pandas


class DamagedError(RuntimeError):
    """The bytes of a file are not those that were stored."""


class _Halves(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


_SEAL, _SEAL_LENGTH = b"\nspringbench-seal ", 51


def _bytes(path):
    return numpy.memmap(path, mode="r") if path.stat().st_size > 0 else numpy.empty(0, numpy.uint8)


def _breaks_seal(path):
    """True if the file ends with the XXH3-128 of other bytes than are before it."""
    content = _bytes(path)
    seal = content[-_SEAL_LENGTH:].tobytes()
    if not seal.startswith(_SEAL):
        return False
    try:
        library = ctypes.CDLL("libxxhash.so.0")
    except OSError:
        warnings.warn(f"{path} is not checked for damage: libxxhash.so.0 is not installed", stacklevel=2)
        return False
    library.XXH3_128bits.restype, library.XXH3_128bits.argtypes = _Halves, [ctypes.c_void_p, ctypes.c_size_t]
    halves = library.XXH3_128bits(content.ctypes.data, content.size - _SEAL_LENGTH)
    return seal != _SEAL + f"{halves.high:016x}{halves.low:016x}\n".encode()


def _state(path):
    about = os.stat(path)
    return about.st_ino, about.st_size, about.st_mtime_ns


class _Journal:
    """The SHA-256 of every case file that journal.jsonl publishes. It is read again after it has changed."""

    def __init__(self, directory):
        self._path, self._read, self._promised = directory / "journal.jsonl", None, {}

    def promised(self, key):
        """None: the journal does not publish the file."""
        state = _state(self._path)
        if state != self._read:
            self._promised = {}
            for line in self._path.read_bytes().split(b"\n")[:-1]:
                self._note(line)
            self._read = state
        return self._promised.get(key)

    def _note(self, line):
        try:
            event = json.loads(line)
            key, what = event.get("key"), event.get("event")
        except (ValueError, AttributeError):
            return  # a damaged line: its case is not published
        if what == "publish" and isinstance(key, str):
            self._promised[key] = event.get("sha256")
        elif what in ("retire", "fail") and isinstance(key, str):
            self._promised.pop(key, None)


class _File:
    """A file that is checked for damage before HDF5 reads it, and again if it has been written since."""

    def __init__(self, path, remedy, check=True, journal=None):
        self._path, self._remedy, self._checks, self._journal, self._whole = path, remedy, check, journal, None

    def open(self):
        state = _state(self._path)
        if self._checks and state != self._whole:
            self._check()
            self._whole = state
        return h5py.File(self._path)

    def _check(self):
        if not self._journal:
            broken = _breaks_seal(self._path)
        else:
            promised = self._journal.promised(self._path.stem)
            if not promised:
                raise DamagedError(f"{self._path} is not published: journal.jsonl does not have its checksum")
            broken = hashlib.sha256(_bytes(self._path)).hexdigest() != promised
        if broken:
            raise DamagedError(f"{self._path} is damaged: its checksum disagrees; {self._remedy}")


class Frame(typing.NamedTuple):
    """One stored state: positions and velocities [n][3]."""
    step: int
    time: float
    positions: numpy.ndarray
    velocities: numpy.ndarray


class Trajectory:
    """The stored frames of a case, read one at a time: len(t), t[i], t[-1], for frame in t."""

    def __init__(self, source):
        self._source = source
        with source.open() as file:
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
        with self._source.open() as file:
            states = file["particles/all"]
            for i in indices:
                yield Frame(int(self.steps[i]), float(self.times[i]), states["position/value"][i],
                            states["velocity/value"][i])


def _plain(value):
    value = value.decode() if isinstance(value, bytes) else value
    return value.item() if isinstance(value, numpy.generic) else value


def _journal_beside(path):
    """The journal that has the checksum of DIRECTORY/cases/KEY.h5, or None."""
    directory = path.parent.parent
    journal = _Journal(directory)
    ours = path.parent.name == "cases" and (directory / "journal.jsonl").exists() and journal.promised(path.stem)
    return journal if ours else None


class Case:
    """A case file. It is compared with its checksum at the first access; damage raises DamagedError."""

    def __init__(self, path, check=True, journal=None):
        self.path = pathlib.Path(path)
        if check and not journal:
            journal = _journal_beside(self.path.resolve())
        self._source = _File(self.path, "`springbench run DIR --verify` runs damaged cases again; load(FILE, check=False) "
                             "reads the file as it is", check, journal)
        self._trajectory = None

    @property
    def trajectory(self):
        """The stored frames."""
        if self._trajectory is None:
            self._trajectory = Trajectory(self._source)
        return self._trajectory

    def _attributes(self, group):
        with self._source.open() as file:
            return {name: _plain(value) for name, value in file[group].attrs.items()
                    if not isinstance(value, h5py.Empty)}

    options = property(lambda self: self._attributes("parameters"), doc="{option: value}, with the command line")
    row = property(lambda self: self._attributes("result"), doc="{column: value}; blanks are left out")
    provenance = property(lambda self: self._attributes("provenance"), doc="build, libraries, machine")

    def _array(self, name):
        with self._source.open() as file:
            return file[name][:] if name in file else None

    masses = property(lambda self: self._array("particles/all/mass"), doc="[n] kg")
    springs = property(lambda self: self._array("connectivity/springs"), doc="[m][2] vertex numbers")
    triangles = property(lambda self: self._array("connectivity/triangles"), doc="[f][3] vertex numbers, or None")

    @property
    def observables(self):
        """Energies and other observables, a row per recorded frame, by time (s); vectors have a column per axis."""
        columns, times = {}, None
        with self._source.open() as file:
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
        self._journal = _Journal(self.directory)
        index = self.directory / "results.h5"
        if not index.exists():
            raise FileNotFoundError(f"{index}: not a results directory of springbench, or its run has not ended")
        with _File(index, "remove it, and `springbench run DIR` makes it again").open() as file:
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
        return self._case(rows.iloc[0].key)

    def _case(self, key):
        return Case(self.directory / "cases" / f"{key}.h5", journal=self._journal)

    def cases(self):
        """(row, case) for every row that has a file, in the order of the plan."""
        for _, row in self.rows.iterrows():
            case = self._case(row.key)
            if case.path.exists():
                yield row, case


def load(path, check=True):
    """A results directory, or a case file (.h5). check=False reads a case file as it is, also a damaged one, as
    `springbench show FILE.h5` does."""
    path = pathlib.Path(path)
    return Case(path, check) if path.is_file() else Results(path)
