"""The exact maps as device functions of Triton, for kernels of your own.

    import triton, triton.language as tl
    from triangulum.triton import lambda_tile

    @triton.jit
    def kernel(out):
        omega = tl.program_id(0)                  # a grid of m(m+1)/2 programs, one a tile of m x m tiles
        row, column = lambda_tile(omega)

omega is one number or a block of numbers, of any integer type; the results are int64 of its shape. Every function gives
the tiles of triangulum.maps of that name in the same order: row >= column, or x <= y <= z. Without the diagonal, take
m - 1 rows and add 1 to the row (of a tetrahedron: m - 2 layers, and 1 to y, 2 to z). Roots are float64, repaired in
integers: no compiler flag makes them wrong.
"""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["fold_tile", "h_tile", "lambda_next", "lambda_tile", "share", "tetra_next", "tetra_tile"]


@triton.jit
def lambda_tile(omega):
    """(row, column) of the tile omega in row order. Exact for rows below 2^31: omega < 2^61 + 2^30."""
    w = tl.cast(omega, tl.int64)
    row = (tl.sqrt(2.0 * tl.cast(w, tl.float64) + 0.25) - 0.5).to(tl.int64)  # at most one off
    first = (row * (row + 1)) >> 1
    row += tl.where(w - first > row, 1, 0) - tl.where(first > w, 1, 0)
    return row, w - ((row * (row + 1)) >> 1)


@triton.jit
def lambda_next(row, column):
    """The tile after this one in row order: what a persistent kernel takes instead of a root."""
    ends = column == row
    return row + tl.where(ends, 1, 0), tl.where(ends, 0, column + 1)


@triton.jit
def fold_tile(omega, m):
    """(row, column) of the tile omega of m rows by folding a rectangle: no root, one division. Exact for m <= 2^31."""
    w, m = tl.cast(omega, tl.int64), tl.cast(m, tl.int64)
    even = 1 - (m & 1)
    r = w // (m + even)
    c = w - r * (m + even)
    lower = c < m - r
    return tl.where(lower, m - 1 - r, r - 1 + even), tl.where(lower, c, c - (m - r))


@triton.jit
def h_tile(omega, m):
    """(row, column) of the tile omega of m rows by halving: shifts, no root, no division. Exact for m <= 2^31."""
    w, m = tl.cast(omega, tl.int64), tl.cast(m, tl.int64)
    row, column = w * 0, w * 0
    for b in range(32):  # a bit p of m is the triangle of side p at (o, o) and the rectangle of p x o left of it
        k = tl.cast(31 - b, tl.int64)
        p = ((m >> k) & 1) << k
        o = ((m >> k) << k) - p
        half = p >> 1
        strict, full, size = half * (p - 1), (p * (p + 1)) >> 1, ((p * (p + 1)) >> 1) + p * o
        mine = (w >= 0) & (w < size)
        y = 1 + (w >> tl.maximum(k - 1, 0))
        level = (tl.cast(y, tl.float64).to(tl.int64, bitcast=True) >> 52) - 1023  # floor(log2(y)), exact
        x = w & tl.maximum(half - 1, 0)
        q = (x >> (level & 63)) << (level & 63)
        i = tl.where(w < strict, o + y + 2 * q, tl.where(w < full, o + w - strict, o + ((w - full) & (p - 1))))
        j = tl.where(w < strict, o + x + q, tl.where(w < full, o + w - strict, (w - full) >> k))
        row, column = tl.where(mine, i, row), tl.where(mine, j, column)
        w -= size
    return row, column


@triton.jit
def tetra_tile(omega):
    """(x, y, z) of the tile omega in layer order, x <= y <= z. Exact for layers below 2,642,244: omega < 3.07e18."""
    w = tl.cast(omega, tl.int64)
    z = tl.exp2(tl.log2(6.0 * tl.cast(tl.maximum(w, 1), tl.float64)) / 3.0).to(tl.int64)  # the layer, or one above
    z -= tl.where(((z * (z + 1)) >> 1) * (z + 2) > 3 * w, 1, 0)
    y, x = lambda_tile(w - ((z * (z + 1)) >> 1) * (z + 2) // 3)
    return x, y, z


@triton.jit
def tetra_next(x, y, z):
    """The tile after this one in layer order."""
    row = x == y
    layer = row & (y == z)
    return (tl.where(row, 0, x + 1), tl.where(layer, 0, y + tl.where(row, 1, 0)), z + tl.where(layer, 1, 0))


@triton.jit
def share(tiles, workers, worker):
    """(first omega, number) of the run of one worker of a persistent kernel: the runs of lambda-stream, tetra-stream."""
    tiles, workers, worker = tl.cast(tiles, tl.int64), tl.cast(workers, tl.int64), tl.cast(worker, tl.int64)
    base = tiles // workers
    extra = tiles - base * workers
    return worker * base + tl.minimum(worker, extra), base + tl.where(worker < extra, 1, 0)
