#!/usr/bin/env python3
"""The rules of the house that a compiler does not hold (see CONTRIBUTING.md).

    house_rules.py [--root DIR] [RULE...]     all rules when none is named

Prints one line a breach, FILE:LINE: what is wrong and what to do, and exits 1 when there is any; 2 on usage. A rule is
a generator of (file, line number, sentence); a new one is a function in RULES and a bad sample in house_rules_test.py.
"""

import argparse
import posixpath
import re
import sys
from pathlib import Path

CODE = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
SCRIPTS = {".py", ".sh", ".cmake", ".vert", ".frag", ".glsl"}
TEXTS = CODE | SCRIPTS | {".md", ".txt", ".in", ".toml", ".json", ".yml", ".yaml"}
PARTS = ("app", "assets", "cmake", "docs", "render", "shaders", "sim", "tests")
GENERATED_OR_DATA = ("tests/data/",)
MAX_LINES = 400
GUI_DOORS = ("app/gui/gui_runner.hpp",)  # what the rest of app may know of the window

DRAWING = re.compile(r"^(GL|GLES\d*|EGL|KHR|glad|GLFW|imgui[\w/]*|backends|glm)(/|\.h|_impl|$)|^imgui")
CUDA = re.compile(r"^(cuda[\w]*(\.h|/)|cub/|thrust/|cooperative_groups|curand|nv/|nvtx3/|nvml\.h|device_launch)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Tree:
    """The files of a checkout, each with its path from the root and its lines."""

    def __init__(self, root):
        self.root = Path(root)
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
    """The lines with comments and the contents of strings blanked, so that only code is looked at."""
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


def rule_layers(tree):
    """sim <- render <- app/gui -> app -> sim, never the other way."""
    for name, number, kind, target in includes(tree):
        part, gui = name.split("/")[0], name.startswith("app/gui/")
        if part == "sim" and kind in ("app", "render", "drawing", "tests"):
            yield name, number, f"sim includes {target}: sim knows numbers only"
        elif part == "sim" and kind == "cuda" and not name.startswith("sim/cuda/"):
            yield name, number, f"{target} outside sim/cuda"
        elif part == "render" and kind in ("app", "tests"):
            yield name, number, f"render includes {target}: only app/gui may know both"
        elif part == "render" and kind == "cuda" and not name.startswith("render/interop/"):
            yield name, number, f"{target} outside render/interop"
        elif part == "app" and kind in ("cuda", "tests"):
            yield name, number, f"app includes {target}: backends are reached through sim/backend.hpp"
        elif part == "app" and not gui and kind in ("render", "drawing"):
            yield name, number, f"{target} outside app/gui"
        elif part == "app" and not gui and target.startswith("app/gui/") and target not in GUI_DOORS:
            yield name, number, f"{target} outside app/gui: the way in is {GUI_DOORS[0]}"
        elif part == "app" and target.startswith(("sim/cpu/", "sim/cuda/")):
            yield name, number, f"app includes {target}: backends are reached through sim/backend.hpp"


def rule_maps_stand_alone(tree):
    """The headers of sim/maps are installed alone: siblings, ../platform.hpp and the standard library, nothing else."""
    for name, lines in tree.of({".hpp"}):
        if not name.startswith("sim/maps/"):
            continue
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, target = match.groups()
            sibling = "/" not in target and f"sim/maps/{target}" in tree.files
            if quote == '"' and not sibling and target != "../platform.hpp":
                yield name, number, f'"{target}": a map header includes its siblings and "../platform.hpp" only'
            if quote == "<" and not re.fullmatch(r"[a-z_]+|unistd\.h", target):
                yield name, number, f"<{target}>: a map header needs nothing but the standard library (and unistd.h)"


def rule_compiler_words(tree):
    """Only sim/platform.hpp asks which compiler is at work; kernels are launched in .cu files."""
    for name, lines in tree.of(CODE):
        for number, line in enumerate(without_comments(lines), 1):
            if re.search(r"__CUDACC__|__CUDA_ARCH__|__NVCC__", line) and name != "sim/platform.hpp":
                yield name, number, "asks for nvcc: give the difference a name in sim/platform.hpp"
            if "<<<" in line and not name.endswith(".cu"):
                yield name, number, "launches a kernel outside a .cu file"
            if re.match(r"\s*#\s*(el)?if.*\bTRI_(HAVE_)?(CUDA|GUI)\b", line):
                yield name, number, "asks what the build has: link an *_absent.cpp instead"


def rule_length(tree):
    """A file is at most 400 lines."""
    for name, lines in tree.of(CODE | SCRIPTS):
        if len(lines) > MAX_LINES:
            yield name, MAX_LINES + 1, f"{len(lines)} lines, {MAX_LINES} at most: cut the file by subject"


def rule_words(tree):
    """Nothing half done, and nothing about the machine it was written on."""
    # In pieces, so that this file holds none of them.
    unfinished = r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|(?i:not[ ]implemented|to be[ ]written)"
    machine = r"(?<![\w.])/(?:wo" r"rk|ro" r"ot|ho" r"me)/|\.\./sha" r"red"
    for name, lines in tree.files.items():
        for number, line in enumerate(lines, 1):
            for match in re.finditer(f"{unfinished}|{machine}", line):
                yield name, number, f"'{match.group()}': finish it, or open an issue; name no path of your own machine"


def rule_head(tree):
    """A source file says at its head what it is for (or the header of its name does), and a header may be included
    twice."""
    for name, lines in tree.of(CODE):
        spoken_for = name.endswith(".cpp") and name[:-4] + ".hpp" in tree.files
        if not spoken_for and not any(line.startswith(("//", "/*", " *")) for line in lines[:20]):
            yield name, 1, "no comment at the head that says what the file is for"
        if name.endswith((".hpp", ".cuh")):
            head = "\n".join(lines[:10])
            if "#pragma once" not in head and "HWY_TARGET_TOGGLE" not in head and "No include guard:" not in head:
                yield name, 1, "no #pragma once"


RULES = {
    "layers": rule_layers,
    "maps_stand_alone": rule_maps_stand_alone,
    "compiler_words": rule_compiler_words,
    "length": rule_length,
    "words": rule_words,
    "head": rule_head,
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
