# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints ParaView's reading of side-cars; paraview_shows.py runs it in ParaView's own Python: EXPECTED.json
PICTURE.png."""
import json
import sys

from paraview import servermanager, simple
from paraview.vtk.util import numpy_support

READERS = {"XDMFReader": "FileNames", "Xdmf3ReaderS": "FileName", "Xdmf3ReaderT": "FileName"}


def leaves(data):
    if not data.IsA("vtkCompositeDataSet"):
        return [data]
    iterator, found = data.NewIterator(), []
    iterator.InitTraversal()
    while not iterator.IsDoneWithTraversal():
        found.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return found


def ranges(arrays):
    named = (arrays.GetArray(i) for i in range(arrays.GetNumberOfArrays()))
    return {array.GetName(): [list(array.GetRange(c)) for c in range(array.GetNumberOfComponents())] for array in named}


def read(data):
    """Returns the contents of a frame: cells by their corners, and the ranges of everything. Lines are polylines of two
    corners."""
    found = {"cells": {}}
    for leaf in leaves(data):
        corners = leaf.GetCell(0).GetNumberOfPoints()
        found["cells"][corners] = leaf.GetNumberOfCells()
        found["points"] = leaf.GetNumberOfPoints()
        places = numpy_support.vtk_to_numpy(leaf.GetPoints().GetData())
        found["position"] = [[float(places[:, i].min()), float(places[:, i].max())] for i in range(3)]
        found.update(ranges(leaf.GetPointData()))
        found.update(ranges(leaf.GetCellData()))
    return found


def check(name, path, expected):
    reader = getattr(simple, name)(**{READERS[name]: [path]})
    reader.UpdatePipelineInformation()
    times = reader.TimestepValues
    times = list(times) if hasattr(times, "__len__") else [times]
    assert times == expected["times"], (name, path, times)
    kinds = ((1, "particles"), (2, "springs"), (3, "triangles"))
    cells = {corners: expected[what] for corners, what in kinds if expected[what]}
    for time, frame in zip(times, expected["frames"]):
        reader.UpdatePipeline(time)
        found = read(servermanager.Fetch(reader))
        assert (found.pop("cells"), found.pop("points")) == (cells, expected["points"]), (name, path, time)
        assert found == frame, (name, path, time, found, frame)
    simple.Delete(reader)
    print(f"{name}: {len(times)} frames of {expected['points']} points, cells by their corners {cells}")


def draw(path, time, picture):
    """The springs alone: what has no kind is no spring."""
    reader = simple.XDMFReader(FileNames=[path])
    springs = simple.Threshold(Input=reader, Scalars=["CELLS", "kind"], LowerThreshold=0, UpperThreshold=2)
    simple.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
    view = simple.CreateView("RenderView")
    view.ViewSize, view.Background, view.UseColorPaletteForBackground = [900, 700], [1, 1, 1], 0
    view.OrientationAxesVisibility, view.ViewTime = 0, time
    springs.UpdatePipeline(time)
    shown = simple.Show(springs, view)
    shown.Representation, shown.LineWidth = "Wireframe", 3
    simple.ColorBy(shown, ("CELLS", "strain"))
    colours = simple.GetColorTransferFunction("strain")
    colours.ApplyPreset("Viridis (matplotlib)", True)
    shown.RescaleTransferFunctionToDataRange(False, True)
    shown.SetScalarBarVisibility(view, True)
    bar = simple.GetScalarBar(colours, view)
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = [2.2, -2.2, 0.6], [0.5, 0.3, -0.4], [0, 0, 1]
    simple.Render(view)
    view.ResetCamera()
    simple.SaveScreenshot(picture, view)
    drawn = simple.PNGSeriesReader(FileNames=[picture])
    drawn.UpdatePipeline()
    pixels = numpy_support.vtk_to_numpy(servermanager.Fetch(drawn).GetPointData().GetScalars())
    # Left of the bar of colours; a grey has three equal parts.
    coloured = pixels.reshape(700, 900, -1)[:, :750, :3].reshape(-1, 3).astype(int)
    coloured = coloured[(coloured.max(axis=1) - coloured.min(axis=1)) > 60]
    kinds = len({tuple(pixel // 32) for pixel in coloured})
    assert len(coloured) > 5000 and kinds > 10, (len(coloured), kinds)
    print(f"{picture}: {len(coloured)} pixels of springs, {kinds} shades")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        told = json.load(file)
    for path, expected in told.items():
        for name in READERS:
            check(name, path, expected)
    path = next(path for path in told if path.endswith("curtain.xdmf"))
    draw(path, told[path]["times"][-1], sys.argv[2])


main()
