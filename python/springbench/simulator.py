# SPDX-License-Identifier: GPL-3.0-or-later
"""For adapters of simulators, which driver `external` of springbench runs (docs/library.md, "Simulators").

    case = Case()
    with case.record() as frame:
        frame(positions)                      # the start
        for _ in range(case.frames):
            ...                               # case.steps_per_frame steps of case.h seconds
            frame(positions, velocities)

A module by itself: it needs numpy, and neither the library nor the rest of this package.
"""
import contextlib
import json
import pathlib
import time

import numpy

_TYPES = {"f64": "<f8", "i32": "<i4", "u8": "u1"}


class Case:
    """What the folder has: arrays positions, velocities [n][3], masses [n], pinned [n], springs [m][2], stiffnesses,
    rest_lengths [m], triangles [f][3] (SI); numbers h, steps_per_frame, frames; options {name: value} that the
    description maps, and the text simulator_options."""

    _NAMES = {"positions": "position", "velocities": "velocity", "masses": "mass", "pinned": "pinned",
              "springs": "ends", "stiffnesses": "stiffness", "rest_lengths": "rest_length", "triangles": "triangle"}

    def __init__(self, folder="."):
        self.folder = pathlib.Path(folder)
        arrays = json.loads((self.folder / "net.json").read_text())["arrays"]
        for name, stored in self._NAMES.items():
            item = arrays[stored]
            values = numpy.fromfile(self.folder / item["file"], _TYPES[item["type"]]).reshape(item["shape"])
            setattr(self, name, values != 0 if stored == "pinned" else values)
        given = json.loads((self.folder / "options.json").read_text())
        self.h, self.steps_per_frame, self.frames = given["h"], given["steps_per_frame"], given["frames"]
        self.options, self.simulator_options = given["options"], given["simulator_options"]

    @contextlib.contextmanager
    def record(self):
        """A function that takes the positions of the next frame, and perhaps its velocities. The time between two
        calls counts as that of the steps."""
        times, seconds, before = [], 0.0, None
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(open(self.folder / name, "wb")) for name in ("frames.f64", "velocities.f64")]

            def frame(positions, velocities=None):
                nonlocal seconds, before
                seconds += 0.0 if before is None else time.perf_counter() - before
                for file, values in zip(files, (positions, velocities)):
                    if values is not None:
                        numpy.ascontiguousarray(values, "<f8").reshape(self.positions.shape).tofile(file)
                times.append(len(times) * self.steps_per_frame * self.h)
                before = time.perf_counter()

            yield frame
            if files[1].tell() == 0:
                (self.folder / "velocities.f64").unlink()
        said = {"times": times}
        steps = (len(times) - 1) * self.steps_per_frame
        if steps > 0 and seconds > 0:
            said["seconds_per_step"] = seconds / steps
        (self.folder / "frames.json").write_text(json.dumps(said))
