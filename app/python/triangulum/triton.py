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

attention_row(), band_tile() and batch_tile() are the parts of kernels with masks, windows and batches, next_tile() that of
a persistent kernel with a counter; attention_mask(), band_count(), attention_table() and batch_table() prepare them.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._bands import attention_mask, attention_table, band_count, batch_table

__all__ = ["attention_mask", "attention_row", "attention_table", "band_count", "band_tile", "batch_table", "batch_tile",
           "fold_tile", "h_tile", "lambda_next", "lambda_tile", "next_tile", "share", "tetra_next", "tetra_tile"]


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


@triton.jit
def next_tile(ticket, tiles, workers):
    """(omega, last) for a ticket, what tl.atomic_add() of 1 to a counter of int64 returned. Each of the workers,
    min(workers, tiles) of them, starts with the omega of its own number, then takes tickets until omega is -1. After the
    last ticket of a launch the counter may be set to 0."""
    ticket, tiles, workers = tl.cast(ticket, tl.int64), tl.cast(tiles, tl.int64), tl.cast(workers, tl.int64)
    return tl.where(ticket + workers < tiles, ticket + workers, -1), ticket + 1 == tiles


@triton.jit
def band_tile(omega, cols, shift, window):
    """(row, column) of the tile omega of a band in row order: column <= row + shift, column > row + shift - window, column
    < cols. Exact for cols and window to 2^31, and without a window (2^31) for rows + shift to 2^31."""
    w, shift = tl.cast(omega, tl.int64), tl.cast(shift, tl.int64)
    cols, window = tl.cast(cols, tl.int64), tl.cast(window, tl.int64)
    least, most = tl.minimum(cols, window), tl.maximum(cols, window)
    growing, constant, strict = (least * (least + 1)) >> 1, (most - least) * least, (least * (least - 1)) >> 1
    t = tl.maximum(shift, 0)  # the tiles above the first row
    left = most + least - 1 - t
    shrunk = growing + constant + strict - ((left * (left + 1)) >> 1)
    w += tl.where(t < least, (t * (t + 1)) >> 1, tl.where(t <= most, growing + (t - least) * least, shrunk))
    upper, middle = w < growing, (w >= growing) & (w < growing + constant)
    back = strict - 1 - (w - growing - constant)
    i, j = lambda_tile(tl.where(upper, w, tl.where(middle, 0, back)))
    line = tl.where(middle, w - growing, 0) // tl.maximum(least, 1)
    t = tl.where(upper, i, tl.where(middle, least + line, most + least - 2 - i))
    k = tl.where(upper, j, tl.where(middle, w - growing - line * least, i - j))
    return t - shift, tl.maximum(t - window + 1, 0) + k


@triton.jit
def _floor(a, b):  # Triton divides towards 0
    return tl.where(a < 0, -1 - (-1 - a) // b, a // b)


@triton.jit
def _range(row, queries, keys, low, high, tile_queries, tile_keys):
    top, last = row * tile_queries, tl.minimum((row + 1) * tile_queries, queries) - 1
    some = (low <= high) & (top + low < keys) & (last + high >= 0)
    first = tl.maximum(_floor(top + low, tile_keys), 0)
    end = tl.maximum(tl.minimum(_floor(last + high, tile_keys) + 1, (keys + tile_keys - 1) // tile_keys), first)
    whole = tl.minimum(tl.maximum(_floor(last + low + tile_keys - 1, tile_keys), first), end)
    whole_end = tl.minimum(_floor(top + high + 1, tile_keys), keys // tile_keys)
    whole_end = tl.minimum(tl.maximum(whole_end, whole), end)
    first, end = tl.where(some, first, 0), tl.where(some, end, 0)
    full = some & (whole < whole_end)
    return first, end, tl.where(full, whole, end), tl.where(full, whole_end, end)


@triton.jit
def attention_row(rank, queries, keys, low, high, tile_queries, tile_keys):
    """(row, first, end, whole, whole_end) of a program of masked attention: the tile of queries that has `rank` longer or
    equal ones before it, the tiles of keys [first, end) that it meets, and those of them, [whole, whole_end), that need no
    mask. Query r sees key c where low <= c - r <= high (attention_mask()); a launch has ceil(queries / tile_queries) ranks."""
    rank, queries, keys = tl.cast(rank, tl.int64), tl.cast(queries, tl.int64), tl.cast(keys, tl.int64)
    low, high = tl.cast(low, tl.int64), tl.cast(high, tl.int64)
    tq, tk = tl.cast(tile_queries, tl.int64), tl.cast(tile_keys, tl.int64)
    rows, cols = (queries + tq - 1) // tq, (keys + tk - 1) // tk
    past_start = tl.minimum(tl.maximum(_floor(tl.minimum(tk, keys) - low + tq - 1, tq), 0), rows)
    needed = (cols - 1) * tk - high  # the query that meets the last tile
    at_end = tl.minimum(tl.maximum(_floor(needed, tq), 0), rows)
    at_end = tl.where((cols == 0) | (needed > queries - 1), rows, at_end)
    begin, end = tl.minimum(past_start, at_end), tl.maximum(past_start, at_end)  # the longest rows
    f, e, _, _ = _range(rows - 1, queries, keys, low, high, tq, tk)
    f1, e1, _, _ = _range(rows - 2, queries, keys, low, high, tq, tk)
    short = (begin < end) & (end == rows) & (rows > 1) & (e - f < e1 - f1)  # the last tile may hold fewer queries
    end -= tl.where(short, 1, 0)
    f, e, _, _ = _range(begin - 1, queries, keys, low, high, tq, tk)
    f1, e1, _, _ = _range(end, queries, keys, low, high, tq, tk)
    upper_first = (begin == 0) | (end == rows) | (e - f >= e1 - f1)
    behind, lower = rank - (end - begin), rows - end
    both = 2 * tl.minimum(begin, lower)
    rest = tl.where(begin > lower, begin + lower - 1 - behind, end + behind - begin)
    turn = tl.where(((behind & 1) == 0) == upper_first, begin - 1 - (behind >> 1), end + (behind >> 1))
    row = tl.where(behind < 0, end - 1 - rank, tl.where(behind >= both, rest, turn))
    first, end, whole, whole_end = _range(row, queries, keys, low, high, tq, tk)
    return row, first, end, whole, whole_end


@triton.jit
def batch_tile(position, prefix, triangles):
    """(triangle, row, column) of a position of a batch; prefix points to batch_table(). 32 reads of it."""
    w = tl.cast(position, tl.int64)
    low = w * 0
    high = low + tl.cast(triangles, tl.int64)
    for _ in range(32):
        middle = (low + high) >> 1
        before = tl.load(prefix + middle) <= w
        low, high = tl.where(before, middle, low), tl.where(before, high, middle)
    row, column = lambda_tile(w - tl.load(prefix + low))
    return low, row, column
