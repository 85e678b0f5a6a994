"""The exact maps as functions of NVIDIA Warp, for kernels of your own, on GPUs and CPUs.

    import warp as wp
    from triangulum.warp import lambda_tile

    @wp.kernel
    def kernel(out: wp.array(dtype=wp.int64)):
        row, column = lambda_tile(wp.int64(wp.tid()))    # m(m+1)/2 threads, one a pair of m bodies

Integers are int64, arguments too. Every function gives the tiles of triangulum.maps of that name in the same order: row
>= column, or x <= y <= z. Without the diagonal, take m - 1 rows and add 1 to the row (of a tetrahedron: m - 2 layers, and
1 to y, 2 to z). Roots are float64, repaired in integers. None of them has a gradient: they are integers.

attention_row(), band_tile() and batch_tile() are the parts of kernels with masks, windows and batches, next_tile() that of
a persistent kernel with a counter; attention_mask(), band_count(), attention_table() and batch_table() prepare them.
"""

from __future__ import annotations

import warp as wp

from ._bands import attention_mask, attention_table, band_count, batch_table

__all__ = ["attention_mask", "attention_row", "attention_table", "band_count", "band_tile", "batch_table", "batch_tile",
           "fold_tile", "h_tile", "lambda_next", "lambda_tile", "next_tile", "share", "tetra_next", "tetra_tile"]

i64 = wp.int64
f64 = wp.float64
_0 = wp.constant(wp.int64(0))
_1 = wp.constant(wp.int64(1))
_2 = wp.constant(wp.int64(2))
_3 = wp.constant(wp.int64(3))


@wp.func
def lambda_tile(omega: wp.int64):
    """(row, column) of the tile omega in row order. Exact for rows below 2^31: omega < 2^61 + 2^30."""
    row = i64(wp.sqrt(f64(2.0) * f64(omega) + f64(0.25)) - f64(0.5))  # at most one off
    first = (row * (row + _1)) >> _1
    if first > omega:
        row = row - _1
    elif omega - first > row:
        row = row + _1
    return row, omega - ((row * (row + _1)) >> _1)


@wp.func
def lambda_next(row: wp.int64, column: wp.int64):
    """The tile after this one in row order: what a persistent kernel takes instead of a root."""
    if column == row:
        return row + _1, _0
    return row, column + _1


@wp.func
def fold_tile(omega: wp.int64, m: wp.int64):
    """(row, column) of the tile omega of m rows by folding a rectangle: no root, one division. Exact for m <= 2^31."""
    even = _1 - (m & _1)
    r = omega // (m + even)
    c = omega - r * (m + even)
    if c < m - r:
        return m - _1 - r, c
    return r - _1 + even, c - (m - r)


@wp.func
def h_tile(omega: wp.int64, m: wp.int64):
    """(row, column) of the tile omega of m rows by halving: shifts, no root, no division. Exact for m <= 2^31."""
    w = omega
    o = i64(0)
    k = i64(31)
    while k >= _0:  # a bit p of m is the triangle of side p at (o, o) and the rectangle of p x o left of it
        p = ((m >> k) & _1) << k
        half = p >> _1
        full = (p * (p + _1)) >> _1
        if w < full - p:
            y = _1 + (w >> (k - _1))
            level = i64(0)
            while y >> (level + _1) > _0:
                level = level + _1
            x = w & (half - _1)
            q = (x >> level) << level
            return o + y + _2 * q, o + x + q
        if w < full:
            return o + w - (full - p), o + w - (full - p)
        if w < full + p * o:
            return o + ((w - full) & (p - _1)), (w - full) >> k
        w = w - (full + p * o)
        o = o + p
        k = k - _1
    return o, w  # omega is beyond the triangle


@wp.func
def tetra_tile(omega: wp.int64):
    """(x, y, z) of the tile omega in layer order, x <= y <= z. Exact for layers below 2,642,244: omega < 3.07e18."""
    z = i64(wp.pow(f64(6.0) * f64(omega), f64(1.0) / f64(3.0)))  # the layer, or one above
    if ((z * (z + _1)) >> _1) * (z + _2) > _3 * omega:
        z = z - _1
    y, x = lambda_tile(omega - (((z * (z + _1)) >> _1) * (z + _2)) // _3)
    return x, y, z


@wp.func
def tetra_next(x: wp.int64, y: wp.int64, z: wp.int64):
    """The tile after this one in layer order."""
    if x != y:
        return x + _1, y, z
    if y != z:
        return _0, y + _1, z
    return _0, _0, z + _1


@wp.func
def share(tiles: wp.int64, workers: wp.int64, worker: wp.int64):
    """(first omega, number) of the run of one worker of a persistent kernel: the runs of lambda-stream, tetra-stream."""
    base = tiles // workers
    extra = tiles - base * workers
    if worker < extra:
        return worker * base + worker, base + _1
    return worker * base + extra, base


@wp.func
def next_tile(ticket: wp.int64, tiles: wp.int64, workers: wp.int64):
    """(omega, last) for a ticket, what wp.atomic_add() of 1 to a counter returned. Each of the workers, min(workers, tiles)
    of them, starts with the omega of its own number, then takes tickets until omega is -1. After the last ticket of a
    launch the counter may be set to 0."""
    omega = ticket + workers
    if omega >= tiles:
        omega = i64(-1)
    return omega, ticket + _1 == tiles


@wp.func
def band_tile(omega: wp.int64, cols: wp.int64, shift: wp.int64, window: wp.int64):
    """(row, column) of the tile omega of a band in row order: column <= row + shift, column > row + shift - window, column
    < cols. Exact for cols and window to 2^31, and without a window (2^31) for rows + shift to 2^31."""
    least = wp.min(cols, window)
    most = wp.max(cols, window)
    growing = (least * (least + _1)) >> _1
    constant = (most - least) * least
    strict = (least * (least - _1)) >> _1
    t = wp.max(shift, _0)  # the tiles above the first row
    w = omega
    if t < least:
        w = w + ((t * (t + _1)) >> _1)
    elif t <= most:
        w = w + growing + (t - least) * least
    else:
        left = most + least - _1 - t
        w = w + growing + constant + strict - ((left * (left + _1)) >> _1)
    k = i64(0)
    if w < growing:
        t, k = lambda_tile(w)
    elif w < growing + constant:
        t = least + (w - growing) // least
        k = w - growing - (t - least) * least
    else:
        i, j = lambda_tile(strict - _1 - (w - growing - constant))
        t = most + least - _2 - i
        k = i - j
    return t - shift, wp.max(t - window + _1, _0) + k


@wp.func
def _floor(a: wp.int64, b: wp.int64):  # Warp divides towards 0
    if a < _0:
        return -_1 - (-_1 - a) // b
    return a // b


@wp.func
def _range(row: wp.int64, queries: wp.int64, keys: wp.int64, low: wp.int64, high: wp.int64, tq: wp.int64, tk: wp.int64):
    top = row * tq
    last = wp.min((row + _1) * tq, queries) - _1
    if low > high or top + low >= keys or last + high < _0:
        return _0, _0, _0, _0
    first = wp.max(_floor(top + low, tk), _0)
    end = wp.max(wp.min(_floor(last + high, tk) + _1, (keys + tk - _1) // tk), first)
    whole = wp.min(wp.max(_floor(last + low + tk - _1, tk), first), end)
    whole_end = wp.min(wp.max(wp.min(_floor(top + high + _1, tk), keys // tk), whole), end)
    if whole < whole_end:
        return first, end, whole, whole_end
    return first, end, end, end


@wp.func
def attention_row(rank: wp.int64, queries: wp.int64, keys: wp.int64, low: wp.int64, high: wp.int64,
                  tile_queries: wp.int64, tile_keys: wp.int64):
    """(row, first, end, whole, whole_end) of a program of masked attention: the tile of queries that has `rank` longer or
    equal ones before it, the tiles of keys [first, end) that it meets, and those of them, [whole, whole_end), that need no
    mask. Query r sees key c where low <= c - r <= high (attention_mask()); a launch has ceil(queries / tile_queries) ranks."""
    tq = tile_queries
    tk = tile_keys
    rows = (queries + tq - _1) // tq
    cols = (keys + tk - _1) // tk
    past_start = wp.min(wp.max(_floor(wp.min(tk, keys) - low + tq - _1, tq), _0), rows)
    needed = (cols - _1) * tk - high  # the query that meets the last tile
    at_end = rows
    if cols > _0 and needed <= queries - _1:
        at_end = wp.min(wp.max(_floor(needed, tq), _0), rows)
    begin = wp.min(past_start, at_end)
    end = wp.max(past_start, at_end)  # the longest rows
    if begin < end and end == rows and rows > _1:  # the last tile may hold fewer queries
        f, e, w0, w1 = _range(rows - _1, queries, keys, low, high, tq, tk)
        f1, e1, w2, w3 = _range(rows - _2, queries, keys, low, high, tq, tk)
        if e - f < e1 - f1:
            end = end - _1
    odd = i64(0)  # of the turns at which a row above comes first
    if begin > _0 and end < rows:
        f4, e4, w4, w5 = _range(begin - _1, queries, keys, low, high, tq, tk)
        f5, e5, w6, w7 = _range(end, queries, keys, low, high, tq, tk)
        if e4 - f4 < e5 - f5:
            odd = i64(1)
    behind = rank - (end - begin)
    lower = rows - end
    row = end - _1 - rank
    if behind >= _2 * wp.min(begin, lower) and behind >= _0:
        if begin > lower:
            row = begin + lower - _1 - behind
        else:
            row = end + behind - begin
    elif behind >= _0 and (behind & _1) == odd:
        row = begin - _1 - (behind >> _1)
    elif behind >= _0:
        row = end + (behind >> _1)
    first, last, whole, whole_end = _range(row, queries, keys, low, high, tq, tk)
    return row, first, last, whole, whole_end


@wp.func
def batch_tile(position: wp.int64, prefix: wp.array(dtype=wp.int64), triangles: wp.int64):
    """(triangle, row, column) of a position of a batch; prefix is batch_table(), an array of int64."""
    low = i64(0)
    high = triangles
    while high - low > _1:
        middle = (low + high) >> _1
        if prefix[middle] <= position:
            low = middle
        else:
            high = middle
    row, column = lambda_tile(position - prefix[low])
    return low, row, column
