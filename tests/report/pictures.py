# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading pictures without other packages."""
import pathlib
import struct
import zlib


def png(source, channels=3):
    """Width, height and rows of (red, green, blue) of a file, or of its bytes; with 4 channels also of opacity."""
    data, at, packed = source if isinstance(source, bytes) else pathlib.Path(source).read_bytes(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    assert depth == 8 and colours in (2, 6), (depth, colours)
    step, raw, before, rows = (3 if colours == 2 else 4), zlib.decompress(packed), None, []
    for y in range(height):
        way, line = raw[y * (width * step + 1)], bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        before = before or bytes(width * step)
        if way == 2:
            line = bytes((here + above) & 255 for here, above in zip(line, before))
        for i in range(len(line) if way in (1, 3, 4) else 0):
            left, above = line[i - step] if i >= step else 0, before[i]
            corner = before[i - step] if i >= step else 0
            guess = left + above - corner
            near = min((abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner))
            line[i] = line[i] + (0, left, above, (left + above) // 2, near[2])[way] & 255
        rows.append([tuple(line[i:i + channels]) for i in range(0, len(line), step)])
        before = line
    return width, height, rows
