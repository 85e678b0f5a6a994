#!/usr/bin/env python3
"""The loop around the kernel of a document's program passes every block of a launch that no single grid takes. Needs no
GPU: the part of main() from the map to the launches, as it stands, is compiled with a launch that counts blocks.

    grids_test.py DOCUMENT PROGRAM SOURCE_DIR COMPILER MAP=N=BLOCKS...

PROGRAM is the name under which the document says to save it. Map of the program (or another of its kind), number of elements, and how many blocks are right.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HARNESS = """#include "sim/maps/maps.hpp"
#include <cstdio>
struct dim3 { unsigned x = 1, y = 1, z = 1; };
tri::u64 blocks = 0;
void launch(dim3 grid, dim3) {
  if (grid.x < 1 || grid.x > 2147483647u || grid.y < 1 || grid.y > 65535 || grid.z < 1 || grid.z > 65535) blocks = ~0ull >> 1;
  blocks += tri::u64{grid.x} * grid.y * grid.z;
}
int main() {
  constexpr unsigned n = %s;
%s
  std::printf("%%llu", 0ull + blocks);
}
"""


def main():
    document, name, source, compiler, *cases = sys.argv[1:]
    text = Path(document).read_text().split(f"ave this as `{name}`", 1)[-1].split("\n```\n", 1)[0]
    found = re.findall(r"^  const (\S+) map\((.*?)(?=^  \}(?:\);)?\n)", text, re.M | re.S)
    sources = [f"  const MAP map({part[1]}" for part in found if "<<<" in part[1]]
    if len(sources) != 1:
        sys.exit(f"{document} has {len(sources)} programs that launch a map, and not 1.")
    loop, launches = re.subn(r"\w+<<<(.*?)>>>\(.*?\);", r"launch(\1);", sources[0])
    loop = re.sub(r"dim3\(([^()]*)\)", r"dim3{\1}", loop)
    end = "  });" if "for_each_grid" in loop else "  }"
    for case in cases:
        kind, n, right = case.split("=")
        program = HARNESS % (n, loop.replace("MAP", f"tri::{kind}") + end)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "grids.cpp")
            file.write_text(program)
            # A dim3 takes 64 bits without a word, and so does this.
            subprocess.run([compiler, "-std=c++20", "-Wno-narrowing", f"-I{source}", file, "-o", file.with_suffix("")],
                           check=True)
            counted = subprocess.run([file.with_suffix("")], check=True, capture_output=True, text=True).stdout
        if launches != 1 or counted != right:
            sys.exit(f"{document}: at n = {n} its loop launches {counted} blocks of {kind}, and {right} are right.")
    print(f"{len(cases)} launches of {document}")


if __name__ == "__main__":
    main()
