# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of the wheel is that of the citation beside this folder, in a clone as in an installation."""
import pathlib
import re

from setuptools import setup

citation = pathlib.Path(__file__).resolve().parent.parent / "CITATION.cff"
setup(version=re.search(r"^version: (\S+)$", citation.read_text(), re.M)[1])
