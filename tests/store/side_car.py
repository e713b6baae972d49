# SPDX-License-Identifier: GPL-3.0-or-later
"""The side-car of a case file, read as its readers read it: each of its items names a dataset of the file, of the
extents and the type that it says."""
import os
import xml.etree.ElementTree as ElementTree

import h5py

POINTS = {"velocity": "Vector", "mass": "Scalar"}
CELLS = {"springs": {"strain": "Scalar", "stiffness": "Scalar", "kind": "Scalar"}, "triangles": {}, "particles": {}}
PARTICLES = {"pressure": "Scalar", "density": "Scalar", "species": "Scalar"}
TYPES = {("Float", 8): "<f8", ("Float", 4): "<f4", ("Int", 8): "<i8", ("UChar", 1): "|u1"}


def read_item(item, path, file):
    name, inside = item.text.split(":")
    assert name == os.path.basename(path) and item.get("Format") == "HDF", item.text
    assert file[inside].shape == tuple(map(int, item.get("Dimensions").split())), item.text
    assert file[inside].dtype.str == TYPES[item.get("NumberType"), int(item.get("Precision"))], item.text
    return inside


def read_grid(grid, path, file, frame):
    topology, name = grid.find("Topology"), grid.get("Name")
    cells = file[read_item(topology.find("DataItem"), path, file)]
    points = POINTS | (PARTICLES if name == "particles" else {})
    kind, corners, source = {"springs": ("Polyline", "2", "/connectivity/springs"),
                             "triangles": ("Triangle", None, "/connectivity/triangles"),
                             "particles": ("Polyvertex", "1", "/VTKHDF/Connectivity")}[name]
    assert (topology.get("TopologyType"), topology.get("NodesPerElement")) == (kind, corners)
    assert int(topology.get("NumberOfElements")) == len(cells) and cells.name == source
    assert grid.find("Geometry").get("GeometryType") == "XYZ"
    assert read_item(grid.find("Geometry/DataItem"), path, file) == f"/frames/{frame}/position"
    found = {}
    for attribute in grid.findall("Attribute"):
        point = attribute.get("Name") in points
        assert attribute.get("Center") == ("Node" if point else "Cell")
        assert attribute.get("AttributeType") == (points | CELLS[name])[attribute.get("Name")]
        found[attribute.get("Name")] = read_item(attribute.find("DataItem"), path, file)
    assert set(found) == set(points | CELLS[name]), found
    assert found["velocity"] == f"/frames/{frame}/velocity" and found["mass"] == "/particles/all/mass"
    if name == "particles":
        assert (found["pressure"], found["density"]) == (f"/frames/{frame}/pressure", f"/frames/{frame}/density")
        assert found["species"] == "/particles/all/species"
    if name == "springs":
        assert found["strain"] == f"/frames/{frame}/strain" and len(file[found["strain"]]) == len(cells)
        assert (found["stiffness"], found["kind"]) == ("/springs/stiffness", "/springs/kind")
    return name


def side_car(path):
    """Returns the contents of a file's side-car: its text, the times, and the grids of every frame."""
    with open(os.path.splitext(path)[0] + ".xdmf", encoding="utf-8") as file:
        text = file.read()
    trajectory = ElementTree.fromstring(text.encode()).find("Domain/Grid")
    assert trajectory.get("CollectionType") == "Temporal"
    times, grids = [], []
    with h5py.File(path) as file:
        for frame, grid in enumerate(trajectory.findall("Grid")):
            assert grid.get("CollectionType") == "Spatial"
            times.append(float(grid.find("Time").get("Value")))
            grids.append([read_grid(part, path, file, frame) for part in grid.findall("Grid")])
        assert times == list(file["particles/all/position/time"])
        faces = ["triangles"] if len(file["connectivity/triangles"]) else []
        expected = ["particles"] if "pressure" in file["particles/all"] else ["springs", *faces]
        assert grids == [expected] * len(times)
    return {"text": text, "times": times, "grids": grids}
