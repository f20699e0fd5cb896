"""The rooms of src/ and what each may include: `#include`s held against the tw_room lines of the top CMakeLists.txt."""

import pathlib
import re

ROOM_LINE = re.compile(r"^tw_room\(([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def rooms_of(cmake_text):
    """{"sim/noc": {"sim/dram", ...}}: every room with those that it links to, in the order of the file."""
    rooms = {}
    lines = [line.split() for line in ROOM_LINE.findall(cmake_text)]
    folders = {words[0].replace("/", "_"): words[0] for words in lines}
    for words in lines:
        links = set()
        if "LINKS" in words:
            for word in words[words.index("LINKS") + 1:]:
                if word in ("PRIVATE_LINKS", "EMBED"):
                    break
                links.add(folders.get(word, word))
        rooms[words[0]] = links
    return rooms


def room_of(path, rooms):
    """The room that a path below src/ lies in: the longest name that is a folder of it; None outside all rooms."""
    inside = [room for room in rooms if path.startswith(room + "/")]
    return max(inside, key=len) if inside else None


def test_links_of(cmake_text):
    """{"certificate": {"mapper"}}: what tests beside the sources of a room link to, too."""
    links = re.findall(r"^target_link_libraries\(test_(\w+) PRIVATE ([^)]*)\)", cmake_text, re.MULTILINE)
    return {room: {word.removeprefix("tw_") for word in words.split()} for room, words in links}


def violations(source, rooms, test_links=None):
    """One line for each include of a room that is not linked to, and for each room that links to a later one."""
    found = []
    names = list(rooms)
    for place, (room, links) in enumerate(rooms.items()):
        for link in sorted(links):
            if link not in names[:place]:
                found.append(f"CMakeLists.txt: room {room} links to {link}, which does not come before it")
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".cpp", ".hpp"):
            continue
        name = path.relative_to(source).as_posix()
        room = room_of(name, rooms)
        if room is None:
            found.append(f"{name}: in no room")
            continue
        for included in INCLUDE.findall(path.read_text()):
            other = room_of(included, rooms)
            allowed = rooms[room] | (test_links or {}).get(room, set()) if name.endswith("_test.cpp") else rooms[room]
            if other not in (room, None) and other not in allowed:
                found.append(f"{name}: includes {included}, but room {room} does not link to {other}")
    return found
