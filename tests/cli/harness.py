"""Shared by the cases of the command line: runs the program, reads its files, fails with a reason."""

import math
import os
import re
import struct
import subprocess

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Program:
    def __init__(self, path, data):
        self.path, self.data = path, data

    def run(self, *arguments, code=0, **more):
        """Runs to the end; returns standard output and error. The exit code must be the one expected."""
        env = dict(os.environ, **more.pop("env", {}))
        for name in more.pop("without", []):
            env.pop(name, None)
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, env=env, timeout=280, **more)
        expect(done.returncode == code,
               f"{arguments}: exit code {done.returncode}, not {code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout, done.stderr

    def file(self, name):
        return os.path.join(self.data, name)


def skip(reason):
    """Ends a case that cannot run on this machine; ctest counts it as skipped."""
    print(f"skipped: {reason}")
    raise SystemExit(77)


def expect(holds, message):
    if not holds:
        raise AssertionError(message)


def expect_near(got, want, tolerance, what):
    expect(abs(got - want) <= tolerance, f"{what}: {got}, not {want} within {tolerance}")


def read_npy(path):
    """Shape and values of a little-endian C-order float array."""
    with open(path, "rb") as f:
        expect(f.read(6) == b"\x93NUMPY", f"{path} is no npy file")
        f.read(2)
        header = f.read(struct.unpack("<H", f.read(2))[0]).decode()
        kind = re.search(r"'descr': '<(f[48])'", header).group(1)
        expect("'fortran_order': False" in header, header)
        shape = [int(v) for v in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header).group(1))]
        raw = f.read()
    count = math.prod(shape)
    expect(len(raw) == count * int(kind[1]), f"{path}: {len(raw)} bytes for {shape}")
    return shape, list(struct.unpack("<%d%s" % (count, "f" if kind == "f4" else "d"), raw))


def state_hash(text):
    lines = text.rstrip("\n").split("\n")
    match = re.fullmatch(r"state hash ([0-9a-f]{16})", lines[-1])
    expect(match, f"the last line is '{lines[-1]}'")
    return match.group(1)
