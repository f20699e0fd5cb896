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


def folders_of(source):
    """{"model/lean": {"model/exact", ...}}: every folder of src/ with those whose headers it includes; tests aside."""
    known = {}
    for path in source.rglob("*"):
        if path.suffix in (".cpp", ".hpp") and not path.name.endswith("_test.cpp"):
            folder = path.parent.relative_to(source).as_posix()
            others = {included.rpartition("/")[0] for included in INCLUDE.findall(path.read_text())}
            known.setdefault(folder, set()).update(other for other in others - {folder} if (source / other).is_dir())
    return known


def cycles(known):
    """Sets of folders that know each other, be it through others: ["a, b"]; none is what there should be."""
    reached = {}
    for start in known:
        seen, left = set(), [start]
        while left:
            for other in known.get(left.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    left.append(other)
        reached[start] = seen
    circles = {frozenset([a, *(b for b in reached[a] if a in reached.get(b, ()))]) for a in known if a in reached[a]}
    return sorted(", ".join(sorted(circle)) for circle in circles)


def floors(rooms):
    """How many rooms stand on each other: the longest chain of links."""
    height = {}
    for room, links in rooms.items():
        height[room] = 1 + max((height[link] for link in links), default=0)
    return max(height.values())


def crowded(source, most=30):
    """Folders of more files than that."""
    counts = {}
    for path in source.rglob("*"):
        if path.is_file():
            folder = path.parent.relative_to(source).as_posix()
            counts[folder] = counts.get(folder, 0) + 1
    return sorted(f"{folder}: {count} files" for folder, count in counts.items() if count > most)


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
