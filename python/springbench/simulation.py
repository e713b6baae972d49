# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations, by ctypes over libspringbench (library/springbench.h)."""
import ctypes
import dataclasses
import operator
import os
import pathlib
import time

import numpy

_REAL, _INDEX = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int32)


class _Net(ctypes.Structure):
    _fields_ = [("vertices", ctypes.c_size_t), ("springs", ctypes.c_size_t), ("triangles", ctypes.c_size_t),
                ("position", _REAL), ("velocity", _REAL), ("mass", _REAL), ("ends", _INDEX), ("stiffness", _REAL),
                ("rest_length", _REAL), ("triangle", _INDEX), ("pinned", ctypes.POINTER(ctypes.c_uint8))]


class _Report(ctypes.Structure):
    _fields_ = [("steps_done", ctypes.c_int64), ("unconverged", ctypes.c_int64),
                ("minimizer_iterations", ctypes.c_int64), ("linear_iterations", ctypes.c_int64),
                ("residual", ctypes.c_double)]


_SIMULATION, _TEXT = ctypes.c_void_p, ctypes.c_char_p
_FUNCTIONS = {
    "from_net": (_SIMULATION, ctypes.POINTER(_Net), _TEXT), "from_scene": (_SIMULATION, _TEXT),
    "load": (_SIMULATION, _TEXT), "record": (ctypes.c_int, _SIMULATION), "configure": (ctypes.c_int, _SIMULATION, _TEXT),
    "pin": (ctypes.c_int, _SIMULATION, ctypes.c_size_t, _INDEX),
    "unpin": (ctypes.c_int, _SIMULATION, ctypes.c_size_t, _INDEX),
    "move": (ctypes.c_int, _SIMULATION, ctypes.c_size_t, _INDEX, _REAL),
    "set_forces": (ctypes.c_int, _SIMULATION, _REAL),
    "free": (None, _SIMULATION), "error": (_TEXT, _SIMULATION), "warnings": (_TEXT, _SIMULATION),
    "net": (ctypes.POINTER(_Net), _SIMULATION),
    "advance": (ctypes.c_int, _SIMULATION, ctypes.c_int64, ctypes.POINTER(_Report)),
    "get": (ctypes.c_int, _SIMULATION, _REAL, _REAL), "set": (ctypes.c_int, _SIMULATION, _REAL, _REAL),
    "measure": (ctypes.c_int, _SIMULATION, _TEXT, _REAL), "measure_name": (_TEXT, ctypes.c_size_t),
    "measure_unit": (_TEXT, ctypes.c_size_t), "save": (ctypes.c_int, _SIMULATION, _TEXT),
    "list_name": (_TEXT, _TEXT, ctypes.c_size_t), "list_summary": (_TEXT, _TEXT, ctypes.c_size_t),
    "version": (_TEXT,),
}
_MOST = 10**9
_GLANCE = 0.05  # seconds: calls of the library that take less get twice as many steps
_STATUS = ("ok", "diverged", "not_converged", "not_spd", "contact_unresolved", "refused", "failed")


def _load():
    """The library that SPRINGBENCH_LIBRARY names; else that of the clone or the installation this file is in, else
    that of the system."""
    above, name = pathlib.Path(__file__).resolve().parents, "libspringbench.so.1"
    near = [above[2] / "build/release/library" / name] if len(above) > 2 else []
    near += [file for way in ("lib*/", "lib*/*/") for file in above[4].glob(way + name)] if len(above) > 5 else []
    path = os.environ.get("SPRINGBENCH_LIBRARY") or next((str(file) for file in near if file.exists()), name)
    try:
        return ctypes.CDLL(path)
    except OSError as cause:
        raise Error(f"{cause}; install libspringbench1, a Debian package of springbench, or set SPRINGBENCH_LIBRARY to the "
                    f"path of {name} (build/release/library in a clone). Results are read without it.") from None


class _Library:
    """The shared library, loaded at the first use, so that results can be read without it."""

    def __getattr__(self, name):
        library = _load()
        for short, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(library, "sb_sim_" + short)
            function.restype, function.argtypes = result, arguments
            setattr(self, short, function)
        return self.__dict__[name]


_library = _Library()


class Error(ValueError):
    """An argument or option was refused, or a library failed; the text says what and where."""


class StepError(RuntimeError):
    """Steps ended early: `status` ("diverged", "not_converged", "not_spd", "contact_unresolved") and `report`."""

    def __init__(self, message, status, report):
        super().__init__(message)
        self.status, self.report = status, report


@dataclasses.dataclass(frozen=True)
class Report:
    """Counts of one call of step: see sb_sim_report."""
    steps_done: int
    unconverged: int
    minimizer_iterations: int
    linear_iterations: int
    residual: float

    def plus(self, counts):
        """With the steps of another call."""
        sums = (getattr(self, field) + getattr(counts, field) for field, _ in _Report._fields_[:-1])
        return Report(*sums, max(self.residual, counts.residual))


def _pairs(first, second):
    found, i = {}, 0
    while (name := first(i)) is not None:
        found[name.decode()] = second(i).decode()
        i += 1
    return found


def names(family):
    """{name: summary} of a list: "scenes", "integrators", "minimizers", "linear", "options", ..."""
    calls = (_library.list_name, _library.list_summary)
    found = _pairs(*(lambda i, call=call: call(_text(family), i) for call in calls))
    if not found:
        raise Error(f"there is no list '{family}'; `springbench list` shows them")
    return found


def measures():
    """{name: unit} of what Simulation.measure takes."""
    return _pairs(_library.measure_name, _library.measure_unit)


def _plain(value):
    return value.item() if isinstance(value, numpy.generic) else value


def _text(value):
    """C's text, which ends at the first zero."""
    if "\0" in value:
        raise Error(f"a text has a zero character: {value!r}")
    return value.encode()


def _option(name, value):
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = value
    elif isinstance(value, (list, tuple, range, numpy.ndarray)):
        text = "[" + ",".join(repr(_plain(x)) for x in value) + "]"
    else:
        text = repr(_plain(value))
    if "'" in text and '"' in text:
        raise Error(f"option '{name}': a value cannot have both kinds of quotes: {text}")
    quote = '"' if "'" in text else "'"
    return f"{name}={quote}{text}{quote}"


def _count(name, value, least):
    """An integer that fits the library's int64_t: ctypes would cut off its higher bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{name} is an integer; got {value!r}") from None
    if not least <= number < 2**63:
        raise Error(f"{name} is an integer from {least} to 2^63 - 1; got {number}")
    return number


def _line(options):
    return _text(" ".join(_option(*pair) for pair in options.items()))


def _pointer(array, kind):
    return None if array is None else array.ctypes.data_as(kind)


def _array(name, value, dtype, shape):
    """A contiguous array of that shape; None stays None."""
    if value is None:
        return None
    try:
        array = numpy.ascontiguousarray(value, dtype=dtype)
    except OverflowError:
        array = None
    if array is None or (dtype == numpy.int32 and not numpy.array_equal(array, numpy.asarray(value))):
        raise Error(f"{name}: vertex numbers are integers below 2^31")
    if array.shape != shape:
        raise Error(f"{name} has the shape {array.shape}; expected {shape}")
    return array


def _read_only(array):
    """sim.positions[0] = x would change a copy."""
    array.flags.writeable = False
    return array


class Simulation:
    """A mass-spring system, or a fluid of particles, and its integrator.

    Simulation(scene=..., OPTION=VALUE, ...) takes a scene of springbench; with `positions` [n][3] (m) and `springs`
    [m][2] (vertex numbers) it takes a net of your own, which may have masses [n] (kg), velocities [n][3] (m/s),
    stiffnesses [m] (N/m), rest_lengths [m] (m; default: the lengths in `positions`), triangles [f][3] and pinned [n].
    Options are those of `springbench case`; lists become vectors, or lists of vertices. Errors in them raise
    springbench.Error. Arrays that a simulation returns are read-only copies.
    """

    __slots__ = ("_handle", "__weakref__")  # sim.stiffness = 5 would do nothing

    def __init__(self, *, positions=None, springs=None, masses=None, velocities=None, stiffnesses=None,
                 rest_lengths=None, triangles=None, pinned=None, **options):
        self._handle = None
        if isinstance(springs, str):  # the option of that name: the springs of a sheet
            options["springs"], springs = springs, None
        line = _line(options)
        if positions is None:
            of_nets = {"springs": springs, "masses": masses, "velocities": velocities, "stiffnesses": stiffnesses,
                       "rest_lengths": rest_lengths, "triangles": triangles, "pinned": pinned}
            for name, array in of_nets.items():
                if array is not None:
                    raise Error(f"{name} belongs to a net of positions; a scene has its own")
            self._handle = _library.from_scene(line)
        else:
            n = len(positions)
            m, f = (0 if rows is None else len(rows) for rows in (springs, triangles))
            flags = None if pinned is None else numpy.asarray(pinned) != 0
            arrays = [_array("positions", positions, float, (n, 3)), _array("velocities", velocities, float, (n, 3)),
                      _array("masses", masses, float, (n,)), _array("springs", springs, numpy.int32, (m, 2)),
                      _array("stiffnesses", stiffnesses, float, (m,)),
                      _array("rest_lengths", rest_lengths, float, (m,)),
                      _array("triangles", triangles, numpy.int32, (f, 3)),
                      _array("pinned", flags, numpy.uint8, (n,))]
            pointers = (_pointer(array, kind) for array, (_, kind) in zip(arrays, _Net._fields_[3:]))
            self._handle = _library.from_net(_Net(n, m, f, *pointers), line)
        self._raise_if(_library.error(self._handle) is not None)

    @classmethod
    def load(cls, file):
        """Continues from the last state of a case file: of `save`, or of `springbench case` and `run`."""
        loaded = cls.__new__(cls)
        loaded._handle = _library.load(_text(os.fspath(file)))
        loaded._raise_if(_library.error(loaded._handle) is not None)
        return loaded

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.free(self._handle)
            self._handle = None

    def __reduce__(self):
        raise TypeError("a Simulation cannot be copied or pickled; save it, and load the file")

    def _raise_if(self, failed):
        if failed:
            raise Error(_library.error(self._handle).decode())

    def step(self, count=1):
        """Makes `count` steps of length h. Raises StepError if they end early. Ctrl-C ends it between two steps."""
        left, some, report, status = _count("count", count, 0), 1, Report(0, 0, 0, 0, 0.0), "ok"
        if left > _MOST:
            raise Error(f"step takes 0 to 1e9 steps; got {left}")
        while left > 0 and status == "ok":  # Python looks for signals between two calls
            counts, began = _Report(), time.monotonic()
            some = min(some, left)
            status = _STATUS[_library.advance(self._handle, some, counts)]
            self._raise_if(status in ("refused", "failed"))
            report = report.plus(counts)
            left -= some
            some *= 2 if time.monotonic() - began < _GLANCE else 1
        if status != "ok":
            raise StepError(_library.error(self._handle).decode(), status, report)
        return report

    def run(self, seconds, every=1):
        """Steps until `seconds` more have passed; yields the simulation after each `every` steps, and at the end."""
        steps, every = seconds / self.measure("h"), _count("every", every, 1)
        if not 0 <= steps <= _MOST:
            raise Error(f"seconds is a time of 0 to 1e9 steps; got {seconds}")
        left = round(steps)
        while left > 0:
            count = min(every, left)
            self.step(count)
            left -= count
            yield self

    def _state(self, which):
        values = numpy.empty((self.vertices, 3))
        pointers = [None, None]
        pointers[which] = _pointer(values, _REAL)
        self._raise_if(_library.get(self._handle, *pointers) != 0)
        return _read_only(values)

    def _replace(self, which, name, values):
        array = _array(name, values, float, (self.vertices, 3))
        pointers = [None, None]
        pointers[which] = _pointer(array, _REAL)
        self._raise_if(_library.set(self._handle, *pointers) != 0)

    @property
    def positions(self):
        """[n][3] m: a read-only copy. Assigning replaces those of free vertices and starts the integrator again."""
        return self._state(0)

    @positions.setter
    def positions(self, values):
        self._replace(0, "positions", values)

    @property
    def velocities(self):
        """[n][3] m/s: likewise."""
        return self._state(1)

    @velocities.setter
    def velocities(self, values):
        self._replace(1, "velocities", values)

    def _net(self, field, shape):
        found = getattr(_library.net(self._handle).contents, field)
        return _read_only(numpy.ctypeslib.as_array(found, shape).copy() if shape[0] else numpy.empty(shape))

    vertices = property(lambda self: _library.net(self._handle).contents.vertices, doc="number of vertices")
    masses = property(lambda self: self._net("mass", (self.vertices,)), doc="[n] kg")
    pinned = property(lambda self: self._net("pinned", (self.vertices,)).view(bool), doc="[n]")
    springs = property(lambda self: self._net("ends", (_library.net(self._handle).contents.springs, 2)),
                       doc="[m][2] vertex numbers")
    stiffnesses = property(lambda self: self._net("stiffness", (len(self.springs),)), doc="[m] N/m")
    rest_lengths = property(lambda self: self._net("rest_length", (len(self.springs),)), doc="[m] m")
    triangles = property(lambda self: self._net("triangle", (_library.net(self._handle).contents.triangles, 3)),
                         doc="[f][3] vertex numbers")
    warnings = property(lambda self: _library.warnings(self._handle).decode(), doc="about the net, a line each")
    time = property(lambda self: self.measure("time"), doc="s")

    def measure(self, name):
        """A measure of the present state; springbench.measures() has their names and units."""
        value = ctypes.c_double()
        self._raise_if(_library.measure(self._handle, _text(name), value) != 0)
        return value.value

    def configure(self, **options):
        """Changes numbers of the run: stiffness=5, h=0.001, ... State and pins stay; the integrator starts again."""
        self._raise_if(_library.configure(self._handle, _line(options)) != 0)

    def _with_vertices(self, call, vertices, *more):
        array = _array("vertices", vertices, numpy.int32, (len(vertices),))
        self._raise_if(call(self._handle, len(vertices), _pointer(array, _INDEX), *more) != 0)

    def pin(self, vertices):
        """Pins these vertices where they are, besides those that are pinned already."""
        self._with_vertices(_library.pin, vertices)

    def unpin(self, vertices):
        """Frees these vertices."""
        self._with_vertices(_library.unpin, vertices)

    def move(self, vertices, positions):
        """Moves pinned vertices at once to `positions` [count][3] m."""
        places = _array("positions", positions, float, (len(vertices), 3))
        self._with_vertices(_library.move, vertices, _pointer(places, _REAL))

    def set_forces(self, forces):
        """Forces [n][3] N on free vertices in all steps from here on, besides the others; None: none again."""
        array = _array("forces", forces, float, (self.vertices, 3))
        self._raise_if(_library.set_forces(self._handle, _pointer(array, _REAL)) != 0)

    def record(self):
        """Notes the present state as a frame of the files that `save` writes, for `springbench animate`."""
        self._raise_if(_library.record(self._handle) != 0)

    def save(self, file):
        """Stores state and recorded frames as a case file (.h5), for `springbench show`, `animate` and `load`."""
        self._raise_if(_library.save(self._handle, _text(os.fspath(pathlib.Path(file)))) != 0)
