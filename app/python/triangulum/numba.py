"""The exact maps as functions of Numba, for kernels of your own, on GPUs and CPUs.

    from numba import cuda
    from triangulum.numba import lambda_tile

    @cuda.jit
    def kernel(out):
        row, column = lambda_tile(cuda.blockIdx.x)       # a grid of m(m+1)/2 blocks, one a tile of m x m tiles

They are `numba.njit` functions, which a CUDA kernel compiles for its device and any other caller for the CPU. Integers
are int64. Every function gives the tiles of triangulum.maps of that name in the same order: row >= column, or x <= y <=
z. They look at no argument, as a kernel has no time for it: one that is negative, no whole number, or beyond what a
docstring gives makes numbers without a meaning. Without the diagonal, take m - 1 rows and add 1 to the row (of a
tetrahedron: m - 2 layers, and 1 to y, 2 to z). Roots are float64, repaired in integers: no compiler flag makes them
wrong.

attention_row(), band_tile() and batch_tile() are the parts of kernels with masks, windows and batches, next_tile() that of
a persistent kernel with a counter; attention_mask(), band_count(), attention_table() and batch_table() prepare them.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from ._bands import attention_mask, attention_table, band_count, batch_table

__all__ = ["attention_mask", "attention_row", "attention_table", "band_count", "band_tile", "batch_table", "batch_tile",
           "fold_tile", "h_tile", "lambda_next", "lambda_tile", "next_tile", "share", "tetra_next", "tetra_tile"]


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


@numba.njit
def next_tile(ticket, tiles, workers):
    """(omega, last) for a ticket, the value of a counter before 1 was added to it. Each of the workers, min(workers,
    tiles) of them, starts with the omega of its own number, then takes tickets until omega is -1. After the last ticket of
    a launch the counter may be set to 0."""
    ticket, tiles = np.int64(ticket), np.int64(tiles)
    omega = ticket + np.int64(workers)
    return omega if omega < tiles else np.int64(-1), ticket + 1 == tiles


@numba.njit
def band_tile(omega, cols, shift, window):
    """(row, column) of the tile omega of a band in row order: column <= row + shift, column > row + shift - window, column
    < cols. Exact for cols and window to 2^31, and without a window (2^31) for rows + shift to 2^31."""
    cols, shift, window = np.int64(cols), np.int64(shift), np.int64(window)
    least, most = min(cols, window), max(cols, window)
    growing, constant = (least * (least + 1)) >> 1, (most - least) * least
    t = max(shift, np.int64(0))  # the tiles above the first row
    w = np.int64(omega)
    if t < least:
        w += (t * (t + 1)) >> 1
    elif t <= most:
        w += growing + (t - least) * least
    else:
        left = most + least - 1 - t
        w += growing + constant + ((least * (least - 1)) >> 1) - ((left * (left + 1)) >> 1)
    if w < growing:
        t, k = lambda_tile(w)
    elif w < growing + constant:
        t = least + (w - growing) // least
        k = w - growing - (t - least) * least
    else:
        i, j = lambda_tile(((least * (least - 1)) >> 1) - 1 - (w - growing - constant))
        t, k = most + least - 2 - i, i - j
    return t - shift, max(t - window + 1, np.int64(0)) + k


@numba.njit
def _range(row, queries, keys, low, high, tile_queries, tile_keys):
    top, last = row * tile_queries, min((row + 1) * tile_queries, queries) - 1
    if low > high or top + low >= keys or last + high < 0:
        return top * 0, top * 0, top * 0, top * 0
    first = max((top + low) // tile_keys, np.int64(0))
    end = max(min((last + high) // tile_keys + 1, (keys + tile_keys - 1) // tile_keys), first)
    whole = min(max((last + low + tile_keys - 1) // tile_keys, first), end)
    whole_end = min(max(min((top + high + 1) // tile_keys, keys // tile_keys), whole), end)
    if whole < whole_end:
        return first, end, whole, whole_end
    return first, end, end, end


@numba.njit
def attention_row(rank, queries, keys, low, high, tile_queries, tile_keys):
    """(row, first, end, whole, whole_end) of a program of masked attention: the tile of queries that has `rank` longer or
    equal ones before it, the tiles of keys [first, end) that it meets, and those of them, [whole, whole_end), that need no
    mask. Query r sees key c where low <= c - r <= high (attention_mask()); a launch has ceil(queries / tile_queries) ranks."""
    queries, keys, low, high = np.int64(queries), np.int64(keys), np.int64(low), np.int64(high)
    tq, tk, rank = np.int64(tile_queries), np.int64(tile_keys), np.int64(rank)
    zero = np.int64(0)
    rows, cols = (queries + tq - 1) // tq, (keys + tk - 1) // tk
    past_start = min(max((min(tk, keys) - low + tq - 1) // tq, zero), rows)  # the first row that meets no tile 0
    needed = (cols - 1) * tk - high  # the query that meets the last tile
    at_end = rows if cols == 0 or needed > queries - 1 else min(max(needed // tq, zero), rows)
    begin, end = min(past_start, at_end), max(past_start, at_end)  # the longest rows
    if begin < end and end == rows and rows > 1:  # the last tile may hold fewer queries
        f, e, _, _ = _range(rows - 1, queries, keys, low, high, tq, tk)
        f1, e1, _, _ = _range(rows - 2, queries, keys, low, high, tq, tk)
        end -= 1 if e - f < e1 - f1 else 0
    upper_first = True
    if begin > 0 and end < rows:
        f, e, _, _ = _range(begin - 1, queries, keys, low, high, tq, tk)
        f1, e1, _, _ = _range(end, queries, keys, low, high, tq, tk)
        upper_first = e - f >= e1 - f1
    behind, lower = rank - (end - begin), rows - end
    if behind < 0:
        row = end - 1 - rank
    elif behind >= 2 * min(begin, lower):
        row = begin + lower - 1 - behind if begin > lower else end + behind - begin
    elif ((behind & 1) == 0) == upper_first:
        row = begin - 1 - (behind >> 1)
    else:
        row = end + (behind >> 1)
    first, end, whole, whole_end = _range(row, queries, keys, low, high, tq, tk)
    return row, first, end, whole, whole_end


@numba.njit
def batch_tile(position, prefix, triangles):
    """(triangle, row, column) of a position of a batch; prefix is batch_table(), an array of int64."""
    w = np.int64(position)
    low, high = np.int64(0), np.int64(triangles)
    while high - low > 1:
        middle = (low + high) >> 1
        if prefix[middle] <= w:
            low = middle
        else:
            high = middle
    row, column = lambda_tile(w - prefix[low])
    return low, row, column
