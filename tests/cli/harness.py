"""Shared by the cases of the command line, in addition to tests/support/program.py: comparisons, files, hashes."""

import math
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from program import Program, bytes_of, case, expect, main, skip, text_of, write  # noqa: E402, F401


def expect_near(got, want, tolerance, what):
    expect(abs(got - want) <= tolerance, f"{what}: {got}, not {want} within {tolerance}")


def read_npy(path):
    """Shape and values of a little-endian C-order array."""
    with open(path, "rb") as f:
        expect(f.read(6) == b"\x93NUMPY", f"{path} is no npy file")
        f.read(2)
        header = f.read(struct.unpack("<H", f.read(2))[0]).decode()
        kind = re.search(r"'descr': '[<|](f[48]|i8|u1)'", header).group(1)
        expect("'fortran_order': False" in header, header)
        shape = [int(v) for v in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header).group(1))]
        raw = f.read()
    count = math.prod(shape)
    expect(len(raw) == count * int(kind[1]), f"{path}: {len(raw)} bytes for {shape}")
    return shape, list(struct.unpack("<%d%s" % (count, {"f4": "f", "f8": "d", "i8": "q", "u1": "B"}[kind]), raw))


def state_hash(text):
    lines = text.rstrip("\n").split("\n")
    match = re.fullmatch(r"state hash ([0-9a-f]{16})", lines[-1])
    expect(match, f"the last line is '{lines[-1]}'")
    return match.group(1)
