#!/usr/bin/env python3
"""The house rules that a compiler does not check (see CONTRIBUTING.md).

    house_rules.py [--root DIR] [RULE...]     all rules when none is named

Prints one line a breach, FILE:LINE: what is wrong and what to do, and exits 1 when there is any; 2 on usage. A rule is
a generator of (file, line number, sentence); a new one is a function in RULES and a bad sample in house_rules_test.py.
"""

import argparse
import posixpath
import re
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import rooms  # noqa: E402

CODE = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
SCRIPTS = {".py", ".sh", ".cmake", ".vert", ".frag", ".comp", ".glsl"}
TEXTS = CODE | SCRIPTS | {".md", ".txt", ".in", ".toml", ".json", ".yml", ".yaml"}
PARTS = ("app", "assets", "cmake", "docs", "packaging", "render", "shaders", "sim", "tests")
GENERATED_OR_DATA = ("tests/data/",)
MAX_LINES, MAX_HEADER_LINES = 700, 450
# Files and lines. What an issue may add, and no more, is added here by it; what it deletes is taken off.
BUDGETS = {"sources": (("sim", "app", "render", "shaders"), 446, 121012), "tests": (("tests",), 200, 69486)}
CODE_PARTS = ("app", "render", "sim")

DRAWING = re.compile(r"^(GL|GLES\d*|EGL|KHR|glad|GLFW|imgui[\w/]*|backends|glm)(/|\.h|_impl|$)|^imgui")
CUDA = re.compile(r"^(cuda[\w]*(\.h|/)|cub/|thrust/|cooperative_groups|curand|nv/|nvtx3/|nvml\.h|device_launch)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Tree:
    """The files of a checkout, each with its path from the root and its lines."""

    def __init__(self, root):
        self.root = Path(root)
        self.whole = (self.root / "tests/rules/rooms.py").exists()  # not a sample
        found = [p for part in PARTS for p in (self.root / part).rglob("*")]
        found += [p for p in self.root.glob("*") if p.is_file()]
        self.files = {}
        for path in sorted(found):
            name = path.relative_to(self.root).as_posix()
            named = path.suffix in TEXTS or path.name in ("Makefile", "CMakeLists.txt")
            if path.is_file() and named and not name.startswith(GENERATED_OR_DATA) and "__pycache__" not in name:
                self.files[name] = path.read_text(encoding="utf-8", errors="replace").splitlines()

    def of(self, suffixes):
        return [(name, lines) for name, lines in self.files.items() if Path(name).suffix in suffixes]


def without_comments(lines):
    """The lines with comments and the contents of strings blanked: code only."""
    text = "\n".join(lines)
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    blank = lambda m: '""' if m.group().startswith('"') else re.sub(r"[^\n]", " ", m.group())
    return re.sub(pattern, blank, text, flags=re.S).split("\n")


def includes(tree):
    """(file, line number, kind, target): kind is the layer for a file of ours, 'drawing', 'cuda' or 'other'."""
    for name, lines in tree.of(CODE):
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            from_root = target.split("/")[0] in PARTS
            ours = target if from_root else posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if quote == '"' and (from_root or target.startswith("../") or ours in tree.files):
                yield name, number, ours.split("/")[0], ours
            elif DRAWING.search(target):
                yield name, number, "drawing", target
            elif CUDA.search(target):
                yield name, number, "cuda", target
            else:
                yield name, number, "other", target


def folder_of(name):
    return posixpath.dirname(name)


def inside(folder, parents):
    return any(folder == parent or folder.startswith(parent + "/") for parent in parents)


def rule_rooms(tree):
    """Every folder is in the table of rooms.py, and includes what the table allows, all of it and nothing else."""
    used = {(folder_of(name), folder_of(target)) for name, _, kind, target in includes(tree) if kind in PARTS}
    doors = [(room, to) for room, may in rooms.ROOMS.items() for to in may]
    for room, to in doors if tree.whole else ():
        if (room, to) not in used:
            yield "tests/rules/rooms.py", 1, f"nothing in {room} includes {to}: the door goes"
    if len(rooms.ROOMS) > rooms.MAX_ROOMS or len(doors) > rooms.MAX_DOORS:
        yield "tests/rules/rooms.py", 1, (f"{len(rooms.ROOMS)} rooms and {len(doors)} doors, {rooms.MAX_ROOMS} and "
                                          f"{rooms.MAX_DOORS} at most")
    for name, lines in tree.of(CODE):
        if name.split("/")[0] in CODE_PARTS and folder_of(name) not in rooms.ROOMS:
            yield name, 1, f"{folder_of(name)} is no room: put the file into one, or add the room to tests/rules/rooms.py"
    for name, number, kind, target in includes(tree):
        folder = folder_of(name)
        may = rooms.ROOMS.get(folder)
        if may is None:
            continue
        if kind == "drawing" and not inside(folder, rooms.DRAWING):
            yield name, number, f"{target} outside {' and '.join(rooms.DRAWING)}"
        elif kind == "cuda" and not inside(folder, rooms.CUDA_HEADERS):
            yield name, number, f"{target} outside {' and '.join(rooms.CUDA_HEADERS)}"
        elif kind in PARTS and folder_of(target) != folder and folder_of(target) not in may:
            yield name, number, f"{folder} includes {target}: {folder_of(target)} is not in its line of tests/rules/rooms.py"


def rule_cycles(tree):
    """There is no cycle of includes between folders, and the table allows none."""
    edges = {}
    for name, number, kind, target in includes(tree):
        if kind in CODE_PARTS and folder_of(name) != folder_of(target) and name.split("/")[0] in CODE_PARTS:
            edges.setdefault(folder_of(name), {}).setdefault(folder_of(target), (name, number))
    for way in cycles({folder: list(targets) for folder, targets in edges.items()}):
        name, number = edges[way[0]][way[1]]
        yield name, number, f"a cycle of folders: {' -> '.join(way)}"
    for way in cycles(rooms.ROOMS):
        yield "tests/rules/rooms.py", 1, f"the table allows a cycle: {' -> '.join(way)}"


def cycles(edges):
    """One cycle through each folder that can reach itself, without those already reported."""
    told = set()
    for start in edges:
        if start in told:
            continue
        came_from, queue = {}, [start]
        while queue and start not in came_from:
            at = queue.pop(0)
            for to in edges.get(at, ()):
                if to not in came_from:
                    came_from[to] = at
                    queue.append(to)
        if start in came_from:
            way = [start]
            while True:
                way.append(came_from[way[-1]])
                if way[-1] == start:
                    break
            told.update(way)
            yield way[::-1]


def rule_mirror(tree):
    """The folders of tests/ mirror those of the program; folders stay small; the docs name each of them."""
    for name, lines in tree.of(CODE):
        folder = folder_of(name)
        tested = folder.removeprefix("tests/")
        if folder.startswith("tests/") and tested.split("/")[0] in CODE_PARTS and tested not in rooms.ROOMS:
            yield name, 1, f"{folder} mirrors no room of rooms.py"
    counts = {}
    for name, _ in tree.of(CODE):
        counts.setdefault(folder_of(name), []).append(name)
    for folder, names in counts.items():
        if folder in rooms.ROOMS and folder not in rooms.EXEMPT and len(names) > rooms.MAX_FILES:
            yield names[0], 1, f"{folder} holds {len(names)} files, {rooms.MAX_FILES} at most: one subject a room"
    plan = tree.files.get("docs/architecture.md")
    for folder in rooms.ROOMS if plan is not None else ():
        if not any(line.startswith(f"| `{folder}` |") for line in plan):
            yield "docs/architecture.md", 1, f"no row for the room {folder}"


def rule_maps_stand_alone(tree):
    """The headers of sim/maps are installed alone: siblings, ../base/platform.hpp and the standard library, nothing else."""
    for name, lines in tree.of({".hpp"}):
        if not name.startswith("sim/maps/"):
            continue
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            sibling = "/" not in target and f"sim/maps/{target}" in tree.files
            if quote == '"' and not sibling and target != "../base/platform.hpp":
                yield name, number, f'"{target}": a map header includes its siblings and "../base/platform.hpp" only'
            if quote == "<" and not re.fullmatch(r"[a-z_]+|unistd\.h", target):
                yield name, number, f"<{target}>: a map header needs nothing but the standard library (and unistd.h)"


def rule_compiler_words(tree):
    """Only sim/base/platform.hpp tests which compiler it is; only .cu files launch kernels."""
    for name, lines in tree.of(CODE):
        for number, line in enumerate(without_comments(lines), 1):
            if re.search(r"__CUDACC__|__CUDA_ARCH__|__NVCC__|__HIP|_MSC_VER|__clang__", line) and name != "sim/base/platform.hpp":
                yield name, number, "asks for a compiler: give the difference a name in sim/base/platform.hpp"
            if "<<<" in line and not name.endswith(".cu"):
                yield name, number, "launches a kernel outside a .cu file"
            if re.match(r"\s*#\s*(el)?if.*\bTRI_(HAVE_)?(CUDA|GUI)\b", line):
                yield name, number, "asks what the build has: link an *_absent.cpp instead"


def rule_length(tree):
    """A file is at most 700 lines, a header 450."""
    for name, lines in tree.of(CODE | SCRIPTS):
        most = MAX_HEADER_LINES if name.endswith((".hpp", ".cuh")) else MAX_LINES
        if len(lines) > most:
            yield name, most + 1, f"{len(lines)} lines, {most} at most: cut the file by subject"


def rule_size(tree):
    """The files and lines of the sources and of the tests stay within the budget."""
    for name, (parts, files, lines) in BUDGETS.items():
        inside_it = [text for file, text in tree.of(CODE | SCRIPTS - {".cmake"}) if file.split("/")[0] in parts]
        found = sum(map(len, inside_it))
        if len(inside_it) > files or found > lines:
            yield parts[0], 1, f"{name}: {len(inside_it)} files and {found} lines, {files} and {lines} at most: delete something"


def rule_words(tree):
    """No unfinished work, and nothing about the machine it was written on."""
    # In pieces, so that this file holds none of them.
    unfinished = r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|(?i:not[ ]implemented|to be[ ]written)"
    machine = r"(?<![\w.])/(?:wo" r"rk|ro" r"ot|ho" r"me)/|\.\./sha" r"red"
    for name, lines in tree.files.items():
        for number, line in enumerate(lines, 1):
            for match in re.finditer(f"{unfinished}|{machine}", line):
                yield name, number, f"'{match.group()}': finish it, or open an issue; name no path of your own machine"


# What a name may not be, and what to call it.
NAMES = {
    r"k(?:Least|Fewest|Most)(?:[A-Z]\w*)?": "kMin..., kMax...",
    r"take_\w+": "what it does: apply_, adopt_, read_, parse_, restore_, release_, run_",
    r"bring_back|KeptState": "restore_state, SavedState", r"lend|take_back": "borrow, return_borrowed",
    r"hands|told|\w+_letters_?|\w+Letters": "interactions, notified, glyphs or font",
    r"waste\w*": "idle blocks, idle_share",
}


def rule_names(tree):
    """Names are the field's, one a thing: none of those in NAMES (docs/manual/glossary.md has the others)."""
    banned = [(re.compile(rf"(?<![\w.]){name}\b(?!\.)"), instead) for name, instead in NAMES.items()]
    for name, lines in tree.of(CODE):
        for number, line in enumerate(without_comments(lines), 1):
            for pattern, instead in banned:
                for match in pattern.finditer(line):
                    yield name, number, f"{match.group()}: {instead}"


def rule_head(tree):
    """A source file (or the header of its name) says at its head what it is for, and a header may be included
    twice."""
    for name, lines in tree.of(CODE):
        spoken_for = name.endswith(".cpp") and name[:-4] + ".hpp" in tree.files
        if not spoken_for and not any(line.startswith(("//", "/*", " *")) for line in lines[:20]):
            yield name, 1, "no comment at the head that says what the file is for"
        if name.endswith((".hpp", ".cuh")):
            head = "\n".join(lines[:10])
            if "#pragma once" not in head and "HWY_TARGET_TOGGLE" not in head and "No include guard:" not in head:
                yield name, 1, "no #pragma once"


PATH = re.compile(rf"(?<![\w./<>-])(?:{'|'.join(PARTS)}|\.ci)/[\w./*-]*[\w*/]")
LINK = re.compile(r"\]\(([^)\s#]+)")


PAGE = re.compile(r"(?<![\w./<>-])docs/(?!NAME\.md)[\w./-]*\.md\b")


def rule_doc_paths(tree):
    """Every path in code marks or code blocks of a .md file exists (* matches any name), and so does every relative link;
    every page of docs/ that code names exists, and every header that a page names without its folder."""
    headers = {name.split("/")[-1] for name in tree.files}
    for name, lines in tree.files.items():
        if name.endswith(".md") or name.startswith("tests/rules/"):
            continue
        for number, line in enumerate(lines, 1):
            for page in PAGE.findall(line):
                if page not in tree.files:
                    yield name, number, f"{page} does not exist: name the page where it is now"
    for name, lines in tree.of({".md"}):
        fenced = False
        for number, line in enumerate(lines, 1):
            if line.startswith("```"):
                fenced = not fenced
                continue
            code = [line] if fenced else re.findall(r"`([^`]+)`", line)
            for path in (path for part in code for path in PATH.findall(part)):
                if not any(tree.root.glob(path.rstrip("/"))):
                    yield name, number, f"{path} does not exist: name the file where it is now"
            for header in [] if fenced else re.findall(r"`([\w-]+\.(?:hpp|cuh))`", line):
                if header not in headers:
                    yield name, number, f"{header} does not exist: name the file that took its place"
            for link in [] if fenced else LINK.findall(line):
                if "://" not in link and not (tree.root / name).parent.joinpath(link).exists():
                    yield name, number, f"the link to {link} leads nowhere"


LITERALS = re.compile(r'//[^\n]*|R"\((.*?)\)"|((?:"(?:\\.|[^"\\\n])*"\s*)+)', re.S)
DRAWN = re.compile(r"\b(?:phrase|tr|button|checkbox|tip|strong_text|heading|Text\w*|same_line)\(\s*$")
COMPOSED = {"a finite number", "more than 0", "at least 0", "at least 0 and at most 1"}  # by Range::text()


def literals(lines):
    """Each string of C++ with what stands before it; strings side by side are one."""
    text = "\n".join(lines)
    for match in LITERALS.finditer(text):
        parts = re.findall(r'"((?:\\.|[^"\\\n])*)"', match.group(2) or "")
        joined = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m.group(1), 16)), "".join(parts))
        for written, meant in (("\\n", "\n"), ('\\"', '"'), ("\\\\", "\\")):
            joined = joined.replace(written, meant)
        if joined:
            yield text.count("\n", 0, match.start()) + 1, joined, text[max(0, match.start() - 60):match.start()]


def holes(text):
    return sorted(re.sub(r"^\d+", "", h) for h in re.findall(r"{([^}]*)}", text)) + re.findall("%[a-z]|###.*", text)


def rule_strings(tree):
    """The tables of assets/strings have the same texts, each of which the code draws, with the holes that it has there; and
    what the code hands to what draws is in them."""
    tables = {name: tomllib.loads("\n".join(lines)) for name, lines in tree.files.items() if name.startswith("assets/strings/")}
    if not tables:
        return
    known, everywhere = set(COMPOSED), set().union(*tables.values())
    for name, lines in tree.of({".hpp", ".cpp", ".toml"}):
        if name.startswith(("app/", "sim/", "render/", "assets/scenes/")):
            for number, text, before in literals(lines):
                shown = text if "{}###" in text or text.startswith("##") else text.split("##")[0]
                known |= {text, shown, shown + "s"}
                plain = re.sub(r"{[^}]*}|##.*", "", shown)
                drawn = name.startswith(("app/gui/", "app/session/")) and DRAWN.search(before)
                if drawn and re.search("[A-Za-z]{2}", plain) and shown not in everywhere:
                    yield name, number, f"no table of assets/strings has '{shown}': add it to each"
    for name, texts in tables.items():
        for key in sorted(everywhere):
            if key not in known and key in texts:
                yield name, 1, f"no code draws '{key}': remove it"
            elif key in known and key not in texts:
                yield name, 1, f"it lacks '{key}', which another table has"
            elif key in texts and holes(key) != holes(texts[key]):
                yield name, 1, f"'{texts[key]}' has other holes than '{key}'"


RULES = {
    "rooms": rule_rooms, "cycles": rule_cycles, "mirror": rule_mirror, "maps_stand_alone": rule_maps_stand_alone,
    "compiler_words": rule_compiler_words, "length": rule_length, "size": rule_size, "words": rule_words,
    "names": rule_names, "head": rule_head, "doc_paths": rule_doc_paths, "strings": rule_strings,
}


def main():
    parser = argparse.ArgumentParser(description="Checks the rules of the house.")
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2])
    parser.add_argument("rules", nargs="*", metavar="RULE", help=", ".join(RULES))
    args = parser.parse_args()
    unknown = [r for r in args.rules if r not in RULES]
    if unknown:
        parser.error(f"no rule '{unknown[0]}'; the rules are {', '.join(RULES)}")
    tree = Tree(args.root)
    if not any(name.startswith("sim/") for name in tree.files):
        parser.error(f"{args.root} holds no sim/: not the root of the repository")
    breaches = [b for rule in (args.rules or RULES) for b in RULES[rule](tree)]
    for name, number, sentence in breaches:
        print(f"{name}:{number}: {sentence}")
    print(f"{len(tree.files)} files looked at, {len(breaches)} breaches of {', '.join(args.rules or RULES)}")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
