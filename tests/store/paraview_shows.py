# SPDX-License-Identifier: GPL-3.0-or-later
"""ParaView opens side-cars: each of its readers for XDMF shows every stored frame with its points, springs and triangles,
or particles, and the numbers of the case file. A picture of a curtain's springs, coloured by strain, is left for who wants to see it;
that it has the colours of many strains is checked. 77 where there is no ParaView.

usage: paraview_shows.py PROGRAM PICTURE.png
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py

CASES = {"curtain": ("scene=curtain", "grid=12", "frames=6", "save=every:2"),
         "rope": ("scene=rope", "nodes=5", "frames=3", "save=every:1"),
         "last": ("scene=cloth", "grid=4", "frames=3", "save=final"),
         "dam": ("scene=dam_break", "spacing=0.2", "duration=0.02", "save=every:5")}


def expected(path):
    """Returns the values that a reader must show: times, numbers of cells, and of each frame the ranges of values."""
    with h5py.File(path) as file:
        def ends(values):
            return [float(values.min()), float(values.max())]

        loose = "pressure" in file["particles/all"]
        moving = ["pressure", "density"] if loose else ["strain"]
        fixed = ["particles/all/species"] if loose else ["springs/stiffness", "springs/kind"]
        frames = []
        for k in range(len(file["frames"])):
            frame = file[f"frames/{k}"]
            frames.append({name: [ends(frame[name][:, axis]) for axis in range(3)] for name in ("position", "velocity")}
                          | {name: [ends(frame[name][:])] for name in moving}
                          | {name.split("/")[-1]: [ends(file[name][:])] for name in ["particles/all/mass", *fixed]})
        points = len(file["particles/all/mass"])
        return {"times": list(file["particles/all/position/time"]), "frames": frames, "points": points,
                "particles": points if loose else 0, "springs": len(file["connectivity/springs"]),
                "triangles": len(file["connectivity/triangles"])}


def with_a_display(command):
    """Under an X server of its own, which says by which number it is known."""
    reading, writing = os.pipe()
    # Without -noreset a server begins anew when its last client leaves, and refuses those that come just then.
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-noreset", "-screen", "0", "1024x768x24"],
                              pass_fds=[writing], stderr=subprocess.DEVNULL)
    try:
        os.close(writing)
        with os.fdopen(reading) as told:
            display = told.readline().strip()
        return subprocess.run(command, env={**os.environ, "DISPLAY": ":" + display}, timeout=300).returncode
    finally:
        server.terminate()
        server.wait()


def main(program, picture):
    if not shutil.which("pvbatch") or not shutil.which("Xvfb"):
        print("no pvbatch, or no Xvfb")
        return 77
    with tempfile.TemporaryDirectory(prefix="springbench-paraview-") as folder:
        told = {}
        for name, options in CASES.items():
            path = pathlib.Path(folder, name + ".h5")
            subprocess.run([program, "case", *options, "-o", path], check=True, stdout=subprocess.DEVNULL)
            told[str(path.with_suffix(".xdmf"))] = expected(path)
        pathlib.Path(folder, "expected.json").write_text(json.dumps(told))
        inside = pathlib.Path(__file__).with_name("paraview_reads.py")
        return with_a_display(["pvbatch", str(inside), str(pathlib.Path(folder, "expected.json")), picture])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], os.path.abspath(sys.argv[2])))
