"""Shared by tests that run the program: named cases, the program, failures with a reason, files, hashes.

A test script defines its cases with @case and calls main(); it is run as

    SCRIPT PROGRAM DATA CASE
    SCRIPT PROGRAM DATA --all [--backend cuda] [--jobs N] [--timeout S] [--json FILE] [--only REGEX] [--python FOLDER]

Standard library only. On a machine with a GPU, say, that has the program, this tree and no build of it:
python3 -B tests/cli/cli_test.py ./triangulum tests/data --all --backend cuda
"""

import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

CASES = {}
CRASHES = [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP]


class Watched(subprocess.Popen):
    """Every process that a case starts, so that none crashes unseen: after right output, say, of a helper that reads
    the output alone. A shell between a case and the program adds 128."""

    crashed = set()

    def seen(self, code):
        if code is not None and (-code in CRASHES or code - 128 in CRASHES):
            self.crashed.add(f"{self.args} ended with {code}")
        return code

    def wait(self, *arguments, **more):
        return self.seen(super().wait(*arguments, **more))

    def poll(self):
        return self.seen(super().poll())


subprocess.Popen = Watched


def case(function):
    function.long = False
    CASES[function.__name__] = function
    return function


def long_case(function):
    """A case that `make test` leaves out."""
    case(function).long = True
    return function


def skip(reason):
    """Ends a case that cannot run here; ctest reports it as skipped."""
    print(f"skipped: {reason}")
    raise SystemExit(77)


def expect(holds, message):
    if not holds:
        raise AssertionError(message)


def expect_near(got, want, tolerance, what):
    expect(abs(got - want) <= tolerance, f"{what}: {got}, not {want} within {tolerance}")


def write(name, content):
    """A file of this text, or of these bytes."""
    with open(name, "w" if isinstance(content, str) else "wb") as f:
        f.write(content)


def text_of(name):
    with open(name) as f:
        return f.read()


def bytes_of(name):
    with open(name, "rb") as f:
        return f.read()


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


class Program:
    def __init__(self, path, data):
        self.path, self.data = path, data

    def run(self, *arguments, code=0, **more):
        """Runs to the end; returns standard output and error. The exit code must be the expected one."""
        # Mesa 26 warns on standard error where a test asks for software rendering.
        env = dict({"EGL_LOG_LEVEL": "fatal"}, **{**os.environ, **more.pop("env", {})})
        for name in more.pop("without", []):
            env.pop(name, None)
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, env=env,
                              timeout=more.pop("timeout", 280), **more)
        expect(done.returncode == code,
               f"{arguments}: exit code {done.returncode}, not {code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout, done.stderr

    def view(self, *arguments, script=None, code=0, command="view"):
        """Runs the app in a window, driven by a script if there is one; returns standard error."""
        if script is not None:
            with open("script.txt", "w") as f:
                f.write(script)
            arguments += ("--script", "script.txt")
        _, err = self.run(command, *arguments, "--backend", "cpu", code=code, timeout=200)
        expect("OpenGL reported" not in err, err)
        return err

    def on_ranks(self, count):
        """The words before the program that start so many of it as ranks; skips where there is no MPI."""
        module = os.path.join(os.path.dirname(self.path), "libtriangulum-mpi.so")
        if not shutil.which("mpirun") or not os.path.exists(module):
            skip("this build has no MPI")
        return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count)]

    def on_gpu(self):
        """Skips the case where no GPU works; TRI_REQUIRE_CUDA=1 makes that a failure."""
        cuda = next(backend for backend in self.json("info")["backends"] if backend["name"] == "cuda")
        if not cuda["available"]:
            expect(os.environ.get("TRI_REQUIRE_CUDA") != "1", cuda["reason"])
            skip(cuda["reason"])

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json")[0])

    def file(self, name):
        return os.path.join(self.data, name)


def main():
    """Runs one case in its own folder, or all of them."""
    if sys.argv[3] == "--all":
        from run_all import run_all

        sys.exit(run_all(sys.argv[1], sys.argv[2], CASES, sys.argv[4:]))
    program, data, name = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory(prefix="tri-test-") as folder:
        os.chdir(folder)
        try:
            CASES[name](Program(program, data))
            expect(not Watched.crashed, "\n".join(sorted(Watched.crashed)))
        finally:
            os.chdir("/")
