# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python side of plug-ins: the functions of cases/run/python.h, for objects of the classes of a user's file.
Embedded in the program, which executes it in the process of a case. Arrays are views of springbench's own."""
import builtins
import ctypes
import math
import os
import sys
import traceback
import types

OUTCOMES = {None: 0, "solved": 0, "stalled": 1, "not_spd": 2, "singular": 3, "diverged": 4, "failed": 5}
FAILED = OUTCOMES["failed"]
np = None  # imported by the first object, whose error a failure is
address, real, integer = ctypes.c_void_p, ctypes.c_double, ctypes.c_int32
views = {}


def view(at, *shape, kind=real, writeable=False):
    """The array at an address, as NumPy sees it. It holds as long as springbench_plugin.h says."""
    key = at, shape, kind, writeable
    if key not in views:
        if len(views) > 200:
            views.clear()
        count = math.prod(shape)
        array = np.frombuffer((kind * count).from_address(at), np.dtype(kind)) if count else np.empty(0, np.dtype(kind))
        array.flags.writeable = writeable
        views[key] = array.reshape(shape)
    return views[key]


def pointer(array, count, kind=real):
    """The numbers of an array in C's order, with the array that owns them."""
    array = np.ascontiguousarray(array, np.dtype(kind))
    if array.size != count:
        raise ValueError(f"an array of {count} numbers is needed; this one has shape {array.shape}")
    return array, array.ctypes.data


def array(field, *shape, kind=real):
    """A property: the view of the array at the address in a field, whose shape other fields have."""
    def get(self):
        return view(getattr(self, field), *(n if isinstance(n, int) else n(self) for n in shape), kind=kind)
    return property(get)


def vertices(net):
    return net.vertices


def springs(net):
    return net.springs


def entries(net):
    return int(net.start[-1])


class Matrix(ctypes.Structure):
    """sb_plugin_matrix. `csr` is what scipy.sparse.csr_matrix takes."""
    _fields_ = [("size", ctypes.c_size_t), ("rows", integer), ("_start", address), ("_column", address),
                ("_value", address), ("block", ctypes.c_int), ("symmetric", ctypes.c_int), ("definite", ctypes.c_int)]
    start = array("_start", lambda matrix: matrix.rows + 1, kind=integer)
    column, value = array("_column", entries, kind=integer), array("_value", entries)
    csr = property(lambda self: (self.value, self.column, self.start))


class Goal(ctypes.Structure):
    """sb_plugin_solve."""
    _fields_ = [("size", ctypes.c_size_t), ("relative_tolerance", real), ("iterations_max", ctypes.c_int64),
                ("iterations", ctypes.c_int64), ("_reason", address)]


class Net(ctypes.Structure):
    """sb_plugin_net."""
    _fields_ = [("size", ctypes.c_size_t), ("vertices", integer), ("springs", integer), ("triangles", integer),
                *((name, address) for name in ("_mass", "_rest", "_pinned", "_unknown", "_first", "_second", "_stiffness",
                                               "_rest_length", "_triangle", "_start", "_spring", "_other")),
                ("vertex_visits", integer), ("vertex_colours", integer), ("spring_visits", integer),
                ("spring_colours", integer), ("_visit_vertex", address), ("_vertex_colour", address),
                ("_visit_spring", address), ("_spring_colour", address)]
    mass, rest = array("_mass", vertices), array("_rest", vertices, 3)
    pinned, unknown = array("_pinned", vertices, kind=ctypes.c_bool), array("_unknown", vertices, kind=integer)
    first, second = array("_first", springs, kind=integer), array("_second", springs, kind=integer)
    stiffness, rest_length = array("_stiffness", springs), array("_rest_length", springs)
    triangle = array("_triangle", lambda net: net.triangles, 3, kind=integer)
    start = array("_start", lambda net: net.vertices + 1, kind=integer)
    spring, other = array("_spring", entries, kind=integer), array("_other", entries, kind=integer)
    visit_vertex = array("_visit_vertex", lambda net: net.vertex_visits, kind=integer)
    visit_spring = array("_visit_spring", lambda net: net.spring_visits, kind=integer)
    vertex_colour = array("_vertex_colour", lambda net: net.vertex_colours + (net.vertex_colours > 0), kind=integer)
    spring_colour = array("_spring_colour", lambda net: net.spring_colours + (net.spring_colours > 0), kind=integer)


def claimed(field, claim):
    """What only a class with that claim has."""
    if not field:
        raise AttributeError(f"this needs the claim '{claim}' in the line '# springbench:'")
    return field


class Refused(Exception):
    """The outcome of a solve by the case's linear solver, and of the iteration that does not catch it."""


def function(*arguments):
    return ctypes.CFUNCTYPE(ctypes.c_int, address, *arguments)


class Springs(ctypes.Structure):
    """sb_plugin_springs."""
    _fields_ = [("size", ctypes.c_size_t), ("count", integer),
                *((name, address) for name in ("_length", "_stiffness", "_rest_length", "_energy", "_first", "_second"))]
    length, stiffness, rest_length = (array(name, lambda springs: springs.count) for name in ("_length", "_stiffness", "_rest_length"))


class Problem(ctypes.Structure):
    """sb_plugin_problem. Positions and gradients are [n][3]; n are the vertices for a class that sees the net, else the
    free ones."""
    _fields_ = [("size", ctypes.c_size_t), ("unknowns", integer), ("h", real), ("_mass", address),
                ("_context", address), ("_value", function(address, address)),
                ("_gradient", function(address, address)), ("_hessian", function(address, ctypes.c_int, address)),
                ("_net", address), ("_place", address), ("_from", address), ("end", real), ("step", ctypes.c_int64),
                ("_contact", function(integer, address, ctypes.c_int, address, address)),
                ("_factor", function(address)), ("_solve", function(address, address))]
    mass = array("_mass", lambda problem: problem.unknowns // 3)
    net = property(lambda self: Net.from_address(claimed(self._net, "sees_net")))
    n = property(lambda self: self.net.vertices if self._net else self.unknowns // 3)
    place = array("_place", lambda problem: problem.net.vertices, 3)
    start = array("_from", lambda problem: problem.net.vertices, 3)

    @staticmethod
    def check(failed):
        if failed:
            raise RuntimeError("springbench could not evaluate the potential")

    def value(self, z):
        z, at = pointer(z, 3 * self.n)
        g = real()
        self.check(self._value(self._context, at, ctypes.addressof(g)))
        return g.value

    def gradient(self, z):
        z, at = pointer(z, 3 * self.n)
        gradient = np.empty((self.n, 3))
        self.check(self._gradient(self._context, at, gradient.ctypes.data))
        return gradient

    def contact(self, vertex, z, projected=True):
        """The colliders' part of the gradient [3] and of the Hessian [3][3] at the place z of a free vertex."""
        if not 0 <= vertex < self.net.vertices:
            raise IndexError(f"there is no vertex {vertex}: the net has {self.net.vertices}")
        z, at = pointer(z, 3)
        gradient, block = np.zeros(3), np.zeros(6)
        self.check(self._contact(self._context, vertex, at, int(projected), gradient.ctypes.data, block.ctypes.data))
        return gradient, block[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]

    def factor(self, csr, symmetric=True, definite=True):
        """The matrix of the case's own linear solver, as Matrix.csr has it."""
        start, at_start = pointer(csr[2], len(csr[2]), integer)
        column, at_column = pointer(csr[1], start[-1], integer)
        value, at_value = pointer(csr[0], start[-1])
        rows = len(start) - 1
        matrix = Matrix(ctypes.sizeof(Matrix), rows, at_start, at_column, at_value, 3 if rows == self.unknowns else 1,
                        symmetric, definite)
        self.refuse(self._factor(self._context, ctypes.addressof(matrix)))

    def solve(self, b, guess=None):
        """The solution [unknowns / 3][3], from a guess or from 0."""
        b, at = pointer(b, self.unknowns)
        x = np.zeros((self.unknowns // 3, 3))
        if guess is not None:
            x[:] = guess
        self.refuse(self._solve(self._context, at, x.ctypes.data))
        return x

    @staticmethod
    def refuse(outcome):
        if outcome:
            raise Refused(outcome)

    def hessian(self, z, projected=True):
        z, at = pointer(z, 3 * self.n)
        matrix = Matrix(size=ctypes.sizeof(Matrix))
        self.check(self._hessian(self._context, at, int(projected), ctypes.addressof(matrix)))
        return matrix


class Stepper(ctypes.Structure):
    """sb_plugin_stepper. Arrays over vertices are [vertices][3]."""
    _fields_ = [("size", ctypes.c_size_t), ("vertices", integer), ("h", real), ("velocity_factor", real),
                ("_mass", address), ("_pinned", address), ("_memory", address * 2), ("_context", address),
                ("_acceleration", function(real, address, address, address)),
                ("_stage", function(real, address, address, address))]
    mass, pinned = array("_mass", vertices), array("_pinned", vertices, kind=ctypes.c_bool)
    memory = property(lambda self: [view(at, self.vertices, 3, writeable=True) for at in self._memory if at])

    def acceleration(self, t, x, v):
        return self.find(self._acceleration, t, x, v)

    def stage(self, t, y, w):
        return self.find(claimed(self._stage, "stage_part=NUMBER"), t, y, w)

    def find(self, function, t, first, second):
        first, at_first = pointer(first, 3 * self.vertices)
        second, at_second = pointer(second, 3 * self.vertices)
        found = np.empty((self.vertices, 3))
        if function(self._context, t, at_first, at_second, found.ctypes.data):
            raise Refused(FAILED)
        return found


class Plugin:
    """The files of a plug-in. Its modules are executed from the texts that are in the digest, and from no others of its
    folder: neither from files that were edited since, nor from compiled ones."""
    known = {}  # by path and texts

    def __init__(self, path, texts):
        self.path, self.folder, self.texts = path, os.path.dirname(path), texts
        self.prefix = f"springbench_plugin_{len(Plugin.known)}."
        self.modules = {}

    def load(self, name):
        if name in self.modules:
            return self.modules[name]
        path = os.path.join(self.folder, name + ".py")
        module = types.ModuleType(self.prefix + name)
        module.__file__ = path
        module.__builtins__ = {**vars(builtins), "__import__": self.import_module}
        self.modules[name] = sys.modules[module.__name__] = module
        try:
            exec(compile(self.texts[name + ".py"], path, "exec", dont_inherit=True), vars(module))
        except BaseException:
            del self.modules[name], sys.modules[module.__name__]
            raise
        return module

    def import_module(self, name, names=None, local_names=None, wanted=(), level=0):
        if level == 0 and name + ".py" in self.texts:
            return self.load(name)
        try:
            module = builtins.__import__(name, names, local_names, wanted, level)
        except ModuleNotFoundError:
            self.refuse_file(os.path.join(self.folder, name.partition(".")[0]))
            raise
        self.refuse(module)
        return module

    def refuse(self, module):
        """Raises ImportError for a module of the plug-in's folder that is not in the digest."""
        top = sys.modules.get(module.__name__.partition(".")[0], module)
        if not top.__name__.startswith("springbench_plugin_"):
            for place in [*getattr(top, "__path__", ())] or [getattr(top, "__file__", None) or "/"]:
                self.refuse_file(place)

    def refuse_file(self, place):
        inside = os.path.realpath(os.path.dirname(place)) == self.folder
        if inside and any(map(os.path.exists, (place, place + ".py"))):
            raise ImportError(f"{place} is not in the plug-in's digest, which has files NAME.py of its folder that a "
                              "line `import NAME` or `from NAME import X` names") from None

    def describe(self, error):
        """Its last line in a file of the plug-in, its class and its text; all of it on standard error."""
        text = " ".join(str(error).split())
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno) for frame in frames if os.path.dirname(frame.filename) == self.folder]
        if isinstance(error, SyntaxError) and error.filename:
            places, text = [(error.filename, error.lineno)], error.msg
        if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
            return (f"{sys.executable} has no NumPy, which plug-ins need (Debian's package python3-numpy, or "
                    f"`{sys.executable} -m pip install numpy`)")
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename.startswith("<springbench/"):
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
        place = "%s:%d" % places[-1] if places else self.path
        return f"{place}: error: {type(error).__name__}: {text}"


class Object:
    """An object of a user's class."""
    known = {}  # by the number that C has

    def __init__(self, plugin, own):
        self.plugin, self.own, self.failure, self.rows = plugin, own, None, 0


def flush():
    for stream in sys.stdout, sys.stderr:
        if stream:
            stream.flush()


class Class(ctypes.Structure):
    """sb_python_class."""
    _fields_ = [("_name", ctypes.c_char_p), ("_path", ctypes.c_char_p), ("_count", ctypes.c_size_t),
                ("_files", ctypes.POINTER(ctypes.c_char_p)), ("_texts", ctypes.POINTER(ctypes.c_char_p))]
    name = property(lambda self: os.fsdecode(self._name))

    def plugin(self):
        path = os.fsdecode(self._path)
        texts = {os.fsdecode(self._files[i]): self._texts[i] for i in range(self._count)}
        return Plugin.known.setdefault((path, *texts.values()), Plugin(path, texts))


def create(description, options, unknowns, stepper, error, size):
    global np
    description = Class.from_address(description)
    plugin, class_name = description.plugin(), description.name
    try:
        import numpy as np
        modules = len(sys.modules)
        module = plugin.load(os.path.basename(plugin.path)[:-len(".py")])
        if not hasattr(module, class_name):
            raise NameError(f"a line '# springbench:' names a class {class_name}, which is not there")
        more = {"Minimizer": [unknowns], "Integrator": [stepper and copy_of(Stepper, stepper)]}.get(class_name, [])
        one = Object(plugin, getattr(module, class_name)(os.fsdecode(options), *more))
        refuse_new(plugin, modules)
    except BaseException as reason:
        text = plugin.describe(reason).encode("utf-8", "replace")[:size - 1] + b"\0"
        ctypes.memmove(error, text, len(text))
        flush()
        return None
    number = max(Object.known, default=0) + 1
    Object.known[number] = one
    return number


def refuse_new(plugin, count):
    """Looks at the modules that were imported after there were `count`."""
    for module in list(sys.modules.values())[count:]:
        if isinstance(module, types.ModuleType):
            plugin.refuse(module)


def destroy(number, known=Object.known):
    known.pop(number, None)
    if sys:  # None while an interpreter ends
        flush()


def failure(number):
    return ctypes.cast(Object.known[number].failure, address).value if Object.known[number].failure else None


def called(function, failed):
    """The function for the number of an object. An exception is kept for `failure`."""
    def call(number, *arguments):
        one, modules = Object.known[number], len(sys.modules)
        one.failure = None
        try:
            result = function(one, *arguments)
            if len(sys.modules) != modules:
                refuse_new(one.plugin, modules)
            return result
        except Refused as refused:
            return refused.args[0]
        except BaseException as reason:
            one.failure = ctypes.create_string_buffer(one.plugin.describe(reason).encode("utf-8", "replace"))
            flush()
            return failed
    return call


def outcome_of(result):
    if not isinstance(result, (str, type(None))) or result not in OUTCOMES:
        allowed = ", ".join(filter(None, OUTCOMES))
        raise ValueError(f"returned {str(result)[:40]!r}; it may return nothing, or one of {allowed}")
    return OUTCOMES[result]


def flops(one):
    return float(one.own.flops())


def copy_of(kind, at):
    """The struct, as springbench's own ends with the call."""
    return kind.from_buffer_copy(kind.from_address(at))


def set_matrix(one, matrix, new_pattern):
    A = copy_of(Matrix, matrix)
    one.rows = A.rows
    return outcome_of(one.own.set_matrix(A, bool(new_pattern)))


def solve(one, b, x, goal):
    x = view(x, one.rows, writeable=True)
    return outcome_of(one.own.solve(view(b, one.rows), x, Goal.from_address(goal)))


def begin(one, problem, z):
    if not hasattr(one.own, "begin"):
        return 0
    problem = copy_of(Problem, problem)
    return outcome_of(one.own.begin(problem, view(z, problem.n, 3)))


def iterate(one, problem, z):
    problem = copy_of(Problem, problem)
    return outcome_of(one.own.iterate(problem, view(z, problem.n, 3, writeable=True)))


def step(one, stepper, number, fresh, x, v):
    stepper = copy_of(Stepper, stepper)
    x, v = (view(at, stepper.vertices, 3, writeable=True) for at in (x, v))
    return outcome_of(one.own.step(stepper, number, bool(fresh), x, v))


def evaluate(one, springs):
    springs = copy_of(Springs, springs)
    results = one.own.evaluate(springs.length, springs.stiffness, springs.rest_length)
    for name, result in zip(("_energy", "_first", "_second"), results, strict=True):
        view(getattr(springs, name), springs.count, writeable=True)[:] = result
    return 0


number, outcome = address, ctypes.c_int
FUNCTIONS = [
    ctypes.CFUNCTYPE(number, address, ctypes.c_char_p, integer, address, address, ctypes.c_size_t)(create),
    ctypes.CFUNCTYPE(None, number)(destroy),
    ctypes.CFUNCTYPE(address, number)(failure),
    ctypes.CFUNCTYPE(real, number)(called(flops, math.nan)),
    ctypes.CFUNCTYPE(outcome, number, address, ctypes.c_int)(called(set_matrix, FAILED)),
    ctypes.CFUNCTYPE(outcome, number, address, address, address)(called(solve, FAILED)),
    ctypes.CFUNCTYPE(outcome, number, address, address)(called(begin, FAILED)),
    ctypes.CFUNCTYPE(outcome, number, address, address)(called(iterate, FAILED)),
    ctypes.CFUNCTYPE(outcome, number, address, ctypes.c_int64, ctypes.c_int, address, address)(called(step, FAILED)),
    ctypes.CFUNCTYPE(outcome, number, address)(called(evaluate, FAILED)),
]


def fill(at):
    """Writes the addresses of the functions into C's table. They stay until the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(FUNCTIONS))
    (address * len(FUNCTIONS)).from_address(at)[:] = [ctypes.cast(each, address).value for each in FUNCTIONS]
