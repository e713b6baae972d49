# SPDX-License-Identifier: GPL-3.0-or-later
"""The house in numbers, and as the diagram of docs/architecture.md: rooms.py ROOT prints lines and files of each room, arrows
(rooms that a room includes), floors (the longest way down) and circles; rooms.py ROOT --write renews the diagram. The test
(rooms.py ROOT --check) compares the diagram with the includes and with the order that layers.py checks."""
import pathlib
import re
import sys

from layers import layer, order, root

page = root / "docs" / "architecture.md"
lines, files, arrows = {room: 0 for room in order}, {room: 0 for room in order}, {room: set() for room in order}
for source in sorted(root.glob("**/*")):
    name = source.relative_to(root).as_posix()
    own = layer(name)
    if own is None or source.suffix not in (".c", ".h", ".def"):
        continue
    text = source.read_text()
    lines[order[own]] += text.count("\n")
    files[order[own]] += 1
    for target in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
        at = layer(target)
        if at is not None and at != own:
            arrows[order[own]].add(order[at])


def floors(kept, leads):
    """The longest way down from any of these rooms, counted in rooms; 0 if it goes round in a circle."""
    height, open_rooms = {}, set()

    def climb(room):
        if room in open_rooms:
            raise RecursionError
        if room not in height:
            open_rooms.add(room)
            height[room] = 1 + max((climb(other) for other in leads[room] if other in kept), default=0)
            open_rooms.remove(room)
        return height[room]
    try:
        return max(map(climb, kept))
    except RecursionError:
        return 0


def diagram():
    """Rooms of a layer stand in one box; an arrow leads to a room that is included and to which no longer way leads."""
    yield "```mermaid"
    yield "flowchart TB"
    for top in dict.fromkeys(room.split("/")[0] for room in order):
        rooms = [room for room in order if room.split("/")[0] == top]
        if len(rooms) > 1:
            yield f"  subgraph {top}"
            yield from (f"    {room.replace('/', '_')}[{room.split('/')[1]}]" for room in rooms)
            yield "  end"
        else:
            yield f"  {top}"
    for room in order:
        below = {other for near in arrows[room] for other in reach(near)}
        yield from (f"  {room.replace('/', '_')} --> {other.replace('/', '_')}"
                    for other in order if other in arrows[room] - below)
    yield "```"


def reach(room):
    """The rooms below a room."""
    found, ahead = set(), [room]
    while ahead:
        for other in arrows[ahead.pop()] - found:
            found.add(other)
            ahead.append(other)
    return found


if __name__ == "__main__":
    kept = re.search(r"```mermaid\n.*?```", page.read_text(), re.S)
    drawn = "\n".join(diagram())
    if "--write" in sys.argv:
        page.write_text(page.read_text().replace(kept.group(), drawn))
    elif "--check" in sys.argv and kept.group() != drawn:
        sys.exit("docs/architecture.md: the diagram is not that of the includes; `python3 tests/house/rooms.py . --write` renews it")
    for top in dict.fromkeys(room.split("/")[0] for room in order):
        rooms = [room for room in order if room.split("/")[0] == top]
        inside = sum(len(arrows[room] & set(rooms)) for room in rooms)
        print(f"{top}: {sum(map(lines.get, rooms))} lines, {sum(map(files.get, rooms))} files, {len(rooms)} rooms, "
              f"{floors(rooms, arrows)} floors, {inside} arrows")
        for room in rooms if len(rooms) > 1 else []:
            print(f"  {room}: {lines[room]} lines, {files[room]} files -> {' '.join(sorted(arrows[room] & set(rooms)))}")
    print(f"all: {len(order)} rooms, {floors(order, arrows)} floors, {sum(map(len, arrows.values()))} arrows")
