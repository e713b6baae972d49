# SPDX-License-Identifier: GPL-3.0-or-later
"""The digest at the end of files that the program stores."""
import ctypes


class Halves(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def digest(text):
    """XXH3-128 by the library that the program is linked with."""
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_128bits.restype, library.XXH3_128bits.argtypes = Halves, [ctypes.c_char_p, ctypes.c_size_t]
    halves = library.XXH3_128bits(text, len(text))
    return f"{halves.high:016x}{halves.low:016x}"
