#!/usr/bin/env python3
"""check_wheel.py WHEEL    what a wheel of the Python module weighs and needs; exit 1, with a sentence, if it is no good.

It fits any Python from 3.10 on and any manylinux of its policy, and is 40 MB at most. Its libraries need nothing that
the wheel does not hold but libc, libstdc++ and their kin: no window, and no driver, which is opened when it is asked for.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

LIMIT_MB = 40
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so\.\d+|ld-linux-.*")


def needs(library):
    text = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def faults(wheel):
    size = wheel.stat().st_size / 1e6
    print(f"{wheel.name}: {size:.1f} MB")
    if size > LIMIT_MB:
        yield f"it is larger than {LIMIT_MB} MB: name fewer architectures in CUDAARCHS"
    if not re.fullmatch(r"triangulum-[\w.]+-cp310-abi3-manylinux_[\w.]+\.whl", wheel.name):
        yield "its name promises less than Python 3.10 and later on any manylinux"
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        libraries = sorted(path for path in Path(folder).rglob("*") if re.search(r"\.so(\.|$)", path.name))
        inside = {path.name for path in libraries}
        for path in libraries:
            names = needs(path)
            print(f"  {path.relative_to(folder)}: {path.stat().st_size / 1e6:.1f} MB, needs {' '.join(names)}")
            for name in names:
                if name not in inside and not SYSTEM.fullmatch(name):
                    yield f"{path.name} needs {name}, which is neither in the wheel nor in every system"
                elif re.match(r"lib(GL|EGL|OpenGL|glfw|X11|imgui|cuda|nv|nccl|curl|ssl|crypto)", name):
                    yield f"{path.name} needs {name}, which has no place in a wheel"
        if not {"__init__.py", "_core.pyi", "py.typed"} <= {p.name for p in Path(folder, "triangulum").iterdir()}:
            yield "the package lacks its Python files, its stubs or py.typed"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("check_wheel.py WHEEL: give one wheel, as make wheel does.")
    found = list(faults(Path(sys.argv[1])))
    for fault in found:
        print(f"error: {fault}.")
    sys.exit(1 if found else 0)
