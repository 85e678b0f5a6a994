#!/usr/bin/env python3
"""The whole programs of a document, as a reader would try them: pasted under the name that the text gives, compiled and
run by the commands that the document shows, in an empty folder.

    examples_test.py DOCUMENT BUILD_DIR [NVCC]

A program is a block of C++ with a main(). The text before it says "Save this as `NAME`", and the next block has the
commands, one a line after "$ ", each followed by what it prints. Other blocks that the text gives a name, such as a
CMakeLists.txt, lie beside the next program. Exits 77 where this machine lacks nvcc, or a GPU for
the compiled program (with TRI_REQUIRE_CUDA=1 that is an error).
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
# What the CUDA runtime says on a machine without a GPU.
NO_GPU = ("no CUDA-capable device is detected", "CUDA driver version is insufficient")
SKIPPED = 77


def fail(sentence):
    sys.exit(sentence)


def programs(text):
    """(name, files by name, commands with what they print) of each whole program."""
    blocks, files = list(BLOCK.finditer(text)), {}
    for at, block in enumerate(blocks):
        before = text[blocks[at - 1].end() if at > 0 else 0 : block.start()]
        name = re.search(r"[Ss]ave this as `([\w.]+)`", before)
        if name is not None:
            files[name[1]] = block[2]
        if block[1] not in ("cpp", "c++", "cuda", "cu") or not re.search(r"\bmain\(", block[2]):
            continue
        if name is None:
            fail(f"a program without a name: write 'Save this as `NAME`' before it.\n{block[2]}")
        if at + 1 == len(blocks) or not blocks[at + 1][2].startswith("$ "):
            fail(f"{name[1]}: no block of commands follows.")
        steps = re.split(r"^\$ ", blocks[at + 1][2], flags=re.M)[1:]
        yield name[1], files, [step.split("\n", 1) for step in steps]
        files = {}


def try_program(name, files, steps, build, nvcc):
    """Pastes and runs one program. Returns why it cannot run here; empty: it did."""
    if name.endswith(".cu") and not nvcc:
        return f"{name}: this build has no nvcc"
    path = os.environ["PATH"]
    environment = dict(os.environ, PATH=f"{Path(nvcc).parent}:{path}" if nvcc else path, **({"CUDACXX": nvcc} if nvcc else {}))
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            Path(folder, file).write_text(text)
        for command, expected in steps:
            here = command.replace("build/release", build)
            done = subprocess.run(["bash", "-c", here], cwd=folder, env=environment, capture_output=True, text=True)
            said = done.stdout + done.stderr
            if done.returncode != 0:
                if any(sentence in said for sentence in NO_GPU) and os.environ.get("TRI_REQUIRE_CUDA") != "1":
                    return f"{name}: compiled, but not run: {said.strip()}"
                fail(f"{name}: '{command}' ended with {done.returncode}:\n{said}")
            if not command.startswith("cmake ") and said != expected:
                fail(f"{name}: '{command}' printed\n{said}and the document says\n{expected}")
    return ""


def main():
    document, build, nvcc = Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""
    found = list(programs(document.read_text()))
    if not found:
        fail(f"{document} has no whole program any more.")
    missing = [why for program in found if (why := try_program(*program, build, nvcc))]
    print(f"{len(found)} programs of {document.name}", *missing, sep="\n")
    sys.exit(SKIPPED if missing else 0)


if __name__ == "__main__":
    main()
