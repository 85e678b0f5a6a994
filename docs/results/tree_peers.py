#!/usr/bin/env python3
"""Gravity by the tree of the cpu backend beside pytreegrav and fmm3dpy, in one run and at equal errors.

    pip install triangulum pytreegrav fmm3dpy
    tree_peers.py [N] [ROUNDS]

In each round (default 5) every program sums the accelerations of one Plummer sphere of N bodies (default 65,536), G = 1
and no softening, on the threads of this machine. Prints for each the median time and the rms error, relative to the rms
acceleration, of 1,000 bodies against sums over all pairs in float64; and how many times as long it takes as the tree at
the largest tolerance whose error is no larger.
"""

import statistics
import sys
import time

import fmm3dpy
import numpy
import pytreegrav
import triangulum

SAMPLE = 1000


def plummer(n):
    random = numpy.random.default_rng(1)
    r = 1 / numpy.sqrt(random.uniform(0, 0.99, n) ** (-2 / 3) - 1)
    way = random.normal(size=(n, 3))
    return r[:, None] * way / numpy.linalg.norm(way, axis=1)[:, None]


def exact(x, m, bodies):
    a = numpy.empty((len(bodies), 3))
    for k, i in enumerate(bodies):
        d = x - x[i]
        r2 = (d * d).sum(axis=1)
        r2[i] = numpy.inf
        a[k] = (m / (r2 * numpy.sqrt(r2))) @ d
    return a


def programs(x, m):
    """Yields (name, accelerations())."""
    columns, none = numpy.asfortranarray(x.T), numpy.zeros(len(x))

    def tree(y, w, tolerance):
        return triangulum.forces(y, w, "gravity", pairs="tree", tolerance=tolerance, backend="cpu") / w[:, None]

    for dtype, tolerances in (("float32", (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 2e-6, 1e-6, 3e-7)), ("float64", (1e-6, 1e-7))):
        y, w = x.astype(dtype), m.astype(dtype)
        for tolerance in tolerances:
            yield f"tree, {tolerance:g}, {dtype}", lambda y=y, w=w, tolerance=tolerance: tree(y, w, tolerance)
    for theta in (1.0, 0.7, 0.5):
        for more in ({}, {"quadrupole": True}):
            name = f"pytreegrav, theta {theta}" + (", quadrupoles" if more else "")
            yield name, lambda theta=theta, more=more: pytreegrav.Accel(
                x, m, softening=none, theta=theta, parallel=True, method="tree", **more)
    for eps in (1e-3, 1e-5):  # its potential is that of 1 / (4 pi r)
        yield f"fmm3dpy, eps {eps:g}", lambda eps=eps: 4 * numpy.pi * fmm3dpy.lfmm3d(
            eps=eps, sources=columns, charges=m, pg=2).grad.T


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 65536
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    x, m = plummer(n).astype("float32").astype(float), numpy.full(n, 1 / n)  # places that float32 has, too
    bodies = numpy.random.default_rng(2).choice(n, SAMPLE, replace=False)
    right = exact(x, m, bodies)
    runs, errors = dict(programs(x, m)), {}
    for name, run in runs.items():  # also warms up
        errors[name] = numpy.sqrt(((numpy.asarray(run(), dtype=float)[bodies] - right) ** 2).sum() / (right**2).sum())
    times = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
    medians = {name: statistics.median(values) for name, values in times.items()}
    ours = [name for name in runs if name.startswith("tree")]
    print(f"n = {n:,}, {rounds} rounds")
    for name in runs:
        as_good = [medians[other] for other in ours if errors[other] <= errors[name]]
        ratio = f"{medians[name] / min(as_good):6.2f} x" if name not in ours and as_good else ""
        print(f"{name:36} {medians[name]:9.4f} s   error {errors[name]:.1e}  {ratio}")


if __name__ == "__main__":
    main()
