"""Times the module against its own kernels and other libraries: python -m triangulum.benchmarks

A table, or JSON with --json. Medians after warm-up, on random data; every output is compared with brute force. What is
missing on this machine (a GPU, torch or CuPy, SciPy, the program triangulum) is skipped with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np

import triangulum

_ROWS: list[Callable] = []


class Skipped(Exception):
    """Why a row has no figures."""


def _row(function: Callable) -> Callable:
    _ROWS.append(function)
    return function


class Device:
    """Arrays of torch or CuPy on the GPU, and its clock."""

    def __init__(self):
        reasons = []
        for module, start in (("torch", self._torch), ("cupy", self._cupy)):
            try:
                start()
                self.name = module
                return
            except Exception as error:  # whatever a library without its driver raises
                reasons.append(f"{module}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
        raise Skipped("; ".join(reasons))

    def _torch(self):
        import torch

        if not torch.cuda.is_available():
            raise Skipped("no GPU is found")
        self.array = lambda a: torch.as_tensor(a, device="cuda")
        self.host = lambda a: a.cpu().numpy()
        self.event = lambda: torch.cuda.Event(enable_timing=True)
        self.between = lambda a, b: a.elapsed_time(b)
        self.wait = torch.cuda.synchronize

    def _cupy(self):
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        self.array, self.host, self.event = cupy.asarray, cupy.asnumpy, cupy.cuda.Event
        self.between = cupy.cuda.get_elapsed_time
        self.wait = cupy.cuda.Device().synchronize

    def ms(self, call: Callable, *, budget_s: float = 1.0, samples: int = 15) -> float:
        """The median time of a call between events around a loop of calls."""
        call(), self.wait()
        begin = perf_counter()
        call(), self.wait()
        loops = max(1, int(budget_s / samples / max(perf_counter() - begin, 1e-6)))
        times = []
        for _ in range(samples):
            first, last = self.event(), self.event()
            first.record()
            for _ in range(loops):
                call()
            last.record()
            self.wait()
            times.append(self.between(first, last) / loops)
        return float(np.median(times))


def wall_ms(call: Callable, *, budget_s: float = 1.0, samples: int = 15) -> float:
    """The median time of a call by the host's clock: calls of less than a millisecond in loops."""
    call()
    begin = perf_counter()
    call()
    once = max(perf_counter() - begin, 1e-7)
    loops = max(1, int(1e-3 / once))
    times = []
    for _ in range(int(np.clip(budget_s / (loops * once), 3, samples))):
        begin = perf_counter()
        for _ in range(loops):
            call()
        times.append((perf_counter() - begin) * 1e3 / loops)
    return float(np.median(times))


def checked_distances(d, wide) -> float:
    """The largest relative error of condensed distances against a loop over rows in float64; wide: the points as such."""
    at, worst = 0, 0.0
    for i in range(len(wide) - 1):
        exact = ((wide[i + 1 :] - wide[i]) ** 2).sum(1) ** 0.5
        error = float((abs(d[at : at + len(exact)] - exact) / exact).max())
        worst = max(worst, error if error == error else float("inf"))
        at += len(exact)
    if at != len(d) or not worst < 1e-5:
        raise AssertionError(f"pdist is wrong: relative error {worst:.2g} in {len(d)} values for {at}")
    return worst


def checked_contacts(x: np.ndarray, r: float, pairs: np.ndarray) -> int:
    """Compares with SciPy's tree in float64. Pairs that touch within float32's rounding may be on either side."""
    tree = _scipy("spatial").cKDTree(x.astype(np.float64))
    n, loose = len(x), 1e-5
    surely, maybe = (tree.query_pairs(2 * r * (1 + s), output_type="ndarray") for s in (-loose, loose))
    ours, surely, maybe = ({*(p[:, 0] * n + p[:, 1]).tolist()} for p in (pairs, surely, maybe))
    if len(ours) != len(pairs) or not surely <= ours <= maybe:
        raise AssertionError(f"contacts is wrong: {len(pairs)} pairs, and there are {len(surely)} to {len(maybe)}")
    return len(pairs)


def _scipy(name: str):
    try:
        import scipy.spatial
        import scipy.spatial.distance
    except ImportError as error:
        raise Skipped(str(error)) from None
    return scipy.spatial if name == "spatial" else scipy.spatial.distance


def points(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(n).random((n, d), dtype=np.float32)


def rated(
    against: str, ms: float, other_ms: float | None, *, least: float | None = None, most: float | None = None
) -> dict:
    """How many times as fast as something else, where that is there, and whether it is enough."""
    ratio = None if other_ms is None else other_ms / ms
    row = {"against": against, "ms": ms, "other_ms": other_ms, "ratio": ratio, "target": None, "met": None}
    if least is not None:
        row |= {"target": f">= {least:.3g} x", "met": ratio >= least}
    if most is not None:
        row |= {"target": f"<= {most:g} ms", "met": ms <= most}
    return row


@_row
def pdist_32768_and_its_kernel(c) -> dict:
    device, x = c.device(), points(32768, 4)
    there = device.array(x)
    checked_distances(triangulum.pdist(there), device.array(x.astype(np.float64)))
    ms = device.ms(lambda: triangulum.pdist(there))
    row = triangulum.bench("edm", n=32768, features=4, map="lambda", baseline="lambda", backend="cuda")[0]
    return rated("the kernel alone", ms, row["median_ms"], least=1 / 1.05)


@_row
def pdist_32768_and_torch(c) -> dict:
    device, x = c.device(), points(32768, 4)
    if device.name != "torch":
        raise Skipped("torch has no GPU here")
    import torch

    there = device.array(x)
    ms = device.ms(lambda: triangulum.pdist(there))
    return rated("torch.pdist", ms, device.ms(lambda: torch.pdist(there), samples=3), least=800)


@_row
def pdist_1000_on_a_gpu(c) -> dict:
    device, x = c.device(), points(1000, 4)
    there = device.array(x)
    checked_distances(triangulum.pdist(there), device.array(x.astype(np.float64)))

    def calls():
        for _ in range(1000):
            triangulum.pdist(there)
        device.wait()

    ms = wall_ms(calls) / 1000
    other = None
    if device.name == "torch":
        import torch

        other = device.ms(lambda: torch.pdist(there))
    return rated("torch.pdist", ms, other, most=0.03)


@_row
def contacts_of_a_million_on_a_gpu(c) -> dict:
    device, x, r = c.device(), points(1_000_000, 3), 0.004
    there = device.array(x)
    pairs = checked_contacts(x, r, device.host(triangulum.contacts(there, r)))
    ms = device.ms(lambda: triangulum.contacts(there, r))
    tree = _scipy("spatial").cKDTree
    other = wall_ms(lambda: tree(x).query_pairs(2 * r, output_type="ndarray"), samples=3)
    return rated("cKDTree on the CPU", ms, other, most=3) | {"pairs": pairs}


@_row
def simulation_of_10000(c) -> dict:
    if c.program is None:
        raise Skipped("the program triangulum is not on PATH; name it with --triangulum")
    scene, backend = "plummer:n=10000", c.backend

    def command(*options) -> dict:
        line = [c.program, "run", scene, "--backend", backend, "--json", *options]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            raise Skipped(f"{' '.join(line)}: {(done.stderr or done.stdout).strip()}")
        return json.loads(done.stdout)

    theirs = command("--steps", "20", "--accumulate", "ordered")["state_hash"]
    same = triangulum.Simulation(scene, accumulate="ordered", backend=backend)
    same.step(20)
    if same.hash() != theirs:
        raise AssertionError("Simulation and triangulum run end in other bits")
    sim = triangulum.Simulation(scene, backend=backend)
    ms = wall_ms(lambda: sim.step(100), budget_s=3) / 100
    steps = str(int(np.clip(1000 / ms, 100, 20_000)))
    other = 1e3 / float(np.median([command("--steps", steps)["steps_per_s"] for _ in range(3)]))
    return rated(f"triangulum run on {backend}", ms, other, least=0.95)


@_row
def pdist_4000_on_the_cpu(c) -> dict:
    x = points(4000, 4)
    wide = x.astype(np.float64)
    checked_distances(triangulum.pdist(x, backend="cpu"), wide)
    ms = wall_ms(lambda: triangulum.pdist(x, backend="cpu"))
    distance = _scipy("distance")
    return rated("scipy pdist, float64", ms, wall_ms(lambda: distance.pdist(wide)))


@_row
def contacts_of_100000_on_the_cpu(c) -> dict:
    x, r = points(100_000, 3), 0.008
    pairs = checked_contacts(x, r, triangulum.contacts(x, r, backend="cpu"))
    ms = wall_ms(lambda: triangulum.contacts(x, r, backend="cpu"))
    tree = _scipy("spatial").cKDTree
    other = wall_ms(lambda: tree(x).query_pairs(2 * r, output_type="ndarray"))
    return rated("cKDTree", ms, other) | {"pairs": pairs}


class Context:
    """What rows share: the GPU, or why there is none, and the program."""

    def __init__(self, program: str | None):
        self.program = program
        self._device: Device | Skipped | None = None
        try:
            triangulum.pdist(np.zeros((2, 1)), backend="cuda")
            self.backend, self._why = "cuda", None
        except RuntimeError as error:
            self.backend, self._why = "cpu", str(error)

    def device(self) -> Device:
        if self._why is not None:
            raise Skipped(self._why)
        if self._device is None:
            try:
                self._device = Device()
            except Skipped as reason:
                self._device = reason
        if isinstance(self._device, Skipped):
            raise self._device
        return self._device


def run(program: str | None = None, only: str = "") -> list[dict]:
    """The rows whose name has `only` in it, a dict each: name, against, ms, other_ms, ratio, target, met, skipped."""
    context, rows = Context(program), []
    for function in _ROWS:
        if only not in function.__name__:
            continue
        row = {"name": function.__name__, "skipped": None}
        try:
            row |= function(context)
        except (Skipped, RuntimeError, MemoryError) as reason:
            row["skipped"] = str(reason)
        rows.append(row)
    return rows


def line(row: dict) -> str:
    if row["skipped"] is not None:
        return f"{row['name']:<32} skipped: {row['skipped']}"
    other = " " * 30 if row["ratio"] is None else f"{row['other_ms']:>10.4g} ms  {row['ratio']:>11.4g} x  "
    text = f"{row['name']:<32} {row['ms']:>10.4g} ms  {other}{row['against']}"
    return text if row["met"] is None else f"{text}, {row['target']}: {'met' if row['met'] else 'MISSED'}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m triangulum.benchmarks", description=__doc__.split("\n\n")[0])
    parser.add_argument("--triangulum", metavar="PATH", help="the program, to compare Simulation with; else from PATH")
    parser.add_argument("--only", default="", metavar="WORD", help="rows with this word in their name")
    parser.add_argument("--json", action="store_true", help="JSON in place of the table")
    given = parser.parse_args(arguments)
    program = given.triangulum or shutil.which("triangulum")
    if program is not None and not os.access(program, os.X_OK):
        parser.error(f"{program} is no program; name the triangulum of a build or an installation.")
    rows = run(program, given.only)
    if given.json:
        about = {"version": triangulum.__version__, "python": platform.python_version(), "machine": platform.node()}
        print(json.dumps({"meta": about, "results": rows}, indent=1))
    else:
        print(f"{'':<32} {'triangulum':>13}  {'other':>13}  {'times as fast':>12}  as")
        print("\n".join(line(row) for row in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
