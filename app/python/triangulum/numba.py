"""The exact maps as functions of Numba, for kernels of your own, on GPUs and CPUs.

    from numba import cuda
    from triangulum.numba import lambda_tile

    @cuda.jit
    def kernel(out):
        row, column = lambda_tile(cuda.blockIdx.x)       # a grid of m(m+1)/2 blocks, one a tile of m x m tiles

They are `numba.njit` functions, which a CUDA kernel compiles for its device and any other caller for the CPU. Integers
are int64. Every function gives the tiles of triangulum.maps of that name in the same order: row >= column, or
x <= y <= z. Without the diagonal, take m - 1 rows and add 1 to the row (of a tetrahedron: m - 2 layers, and 1 to y,
2 to z). Roots are float64, repaired in integers: no compiler flag makes them wrong.
"""

from __future__ import annotations

import math

import numba
import numpy as np

__all__ = ["fold_tile", "h_tile", "lambda_next", "lambda_tile", "share", "tetra_next", "tetra_tile"]


@numba.njit
def lambda_tile(omega):
    """(row, column) of the tile omega in row order. Exact for rows below 2^31: omega < 2^61 + 2^30."""
    w = np.int64(omega)
    row = np.int64(math.sqrt(2.0 * w + 0.25) - 0.5)  # at most one off
    first = (row * (row + 1)) >> 1
    if first > w:
        row -= 1
    elif w - first > row:
        row += 1
    return row, w - ((row * (row + 1)) >> 1)


@numba.njit
def lambda_next(row, column):
    """The tile after this one in row order: what a persistent kernel takes instead of a root."""
    if column == row:
        return row + 1, column - column
    return row, column + 1


@numba.njit
def fold_tile(omega, m):
    """(row, column) of the tile omega of m rows by folding a rectangle: no root, one division. Exact for m <= 2^31."""
    w, m = np.int64(omega), np.int64(m)
    even = 1 - (m & 1)
    r = w // (m + even)
    c = w - r * (m + even)
    if c < m - r:
        return m - 1 - r, c
    return r - 1 + even, c - (m - r)


@numba.njit
def h_tile(omega, m):
    """(row, column) of the tile omega of m rows by halving: shifts, no root, no division. Exact for m <= 2^31."""
    w, m = np.int64(omega), np.int64(m)
    o = np.int64(0)
    for b in range(32):  # a bit p of m is the triangle of side p at (o, o) and the rectangle of p x o left of it
        k = 31 - b
        p = ((m >> k) & 1) << k
        half, full = p >> 1, (p * (p + 1)) >> 1
        strict = full - p
        if w < strict:
            y = 1 + (w >> (k - 1))
            level = 0
            while y >> (level + 1):
                level += 1
            x = w & (half - 1)
            q = (x >> level) << level
            return o + y + 2 * q, o + x + q
        if w < full:
            return o + w - strict, o + w - strict
        if w < full + p * o:
            return o + ((w - full) & (p - 1)), (w - full) >> k
        w -= full + p * o
        o += p
    return o, w  # omega is beyond the triangle


@numba.njit
def tetra_tile(omega):
    """(x, y, z) of the tile omega in layer order, x <= y <= z. Exact for layers below 2,642,244: omega < 3.07e18."""
    w = np.int64(omega)
    z = np.int64((6.0 * w) ** (1.0 / 3.0))  # the layer, or one above
    if ((z * (z + 1)) >> 1) * (z + 2) > 3 * w:
        z -= 1
    y, x = lambda_tile(w - (((z * (z + 1)) >> 1) * (z + 2)) // 3)
    return x, y, z


@numba.njit
def tetra_next(x, y, z):
    """The tile after this one in layer order."""
    if x != y:
        return x + 1, y, z
    if y != z:
        return x - x, y + 1, z
    return x - x, y - y, z + 1


@numba.njit
def share(tiles, workers, worker):
    """(first omega, number) of the run of one worker of a persistent kernel: the runs of lambda-stream, tetra-stream."""
    tiles, workers, worker = np.int64(tiles), np.int64(workers), np.int64(worker)
    base = tiles // workers
    extra = tiles - base * workers
    if worker < extra:
        return worker * base + worker, base + 1
    return worker * base + extra, base
