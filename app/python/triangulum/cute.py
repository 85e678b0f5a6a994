"""The exact maps as functions of the CuTe DSL (package nvidia-cutlass-dsl), for kernels of your own.

    import cutlass, cutlass.cute as cute
    from triangulum.cute import lambda_tile

    @cute.kernel
    def kernel(...):
        row, column = lambda_tile(cute.arch.block_idx()[0])    # a grid of m(m+1)/2 blocks, one a tile of m x m tiles

Arguments are integers of any type, results Int64. Every function gives the tiles of triangulum.maps of that name in the
same order: row >= column, or x <= y <= z. Without the diagonal, take m - 1 rows and add 1 to the row (of a tetrahedron: m
- 2 layers, and 1 to y, 2 to z). Roots are float64, repaired in integers.

attention_row(), band_tile() and batch_tile() are the parts of kernels with masks, windows and batches, next_tile() that of
a persistent kernel with a counter; attention_mask(), band_count(), attention_table() and batch_table() prepare them.
"""

import cutlass
import cutlass.cute as cute
from cutlass import Float64, Int64

from ._bands import attention_mask, attention_table, band_count, batch_table

__all__ = ["attention_mask", "attention_row", "attention_table", "band_count", "band_tile", "batch_table", "batch_tile",
           "fold_tile", "h_tile", "lambda_next", "lambda_tile", "next_tile", "share", "tetra_next", "tetra_tile"]


@cute.jit
def _where(condition, a, b):
    result = Int64(b)
    if condition:
        result = Int64(a)
    return result


@cute.jit
def _min(a, b):
    return _where(a < b, a, b)


@cute.jit
def _max(a, b):
    return _where(a > b, a, b)


@cute.jit
def _log2(v):  # floor, for 1 <= v < 2^32
    level = _where(v >> 16 > 0, 16, 0)
    level = level + _where(v >> (level + 8) > 0, 8, 0)
    level = level + _where(v >> (level + 4) > 0, 4, 0)
    level = level + _where(v >> (level + 2) > 0, 2, 0)
    return level + _where(v >> (level + 1) > 0, 1, 0)


@cute.jit
def lambda_tile(omega):
    """(row, column) of the tile omega in row order. Exact for rows below 2^31: omega < 2^61 + 2^30."""
    w = Int64(omega)
    row = Int64(cute.math.sqrt(2.0 * Float64(w) + 0.25) - 0.5)  # at most one off
    first = (row * (row + 1)) >> 1
    row += _where(w - first > row, 1, 0) - _where(first > w, 1, 0)
    return row, w - ((row * (row + 1)) >> 1)


@cute.jit
def lambda_next(row, column):
    """The tile after this one in row order: what a persistent kernel takes instead of a root."""
    ends = column == row
    return row + _where(ends, 1, 0), _where(ends, 0, column + 1)


@cute.jit
def fold_tile(omega, m):
    """(row, column) of the tile omega of m rows by folding a rectangle: no root, one division. Exact for m <= 2^31."""
    w, m = Int64(omega), Int64(m)
    even = 1 - (m & 1)
    r = w // (m + even)
    c = w - r * (m + even)
    lower = c < m - r
    return _where(lower, m - 1 - r, r - 1 + even), _where(lower, c, c - (m - r))


@cute.jit
def h_tile(omega, m):
    """(row, column) of the tile omega of m rows by halving: shifts, no root, no division. Exact for m <= 2^31."""
    w, m = Int64(omega), Int64(m)
    row, column = w * 0, w * 0
    for b in cutlass.range_constexpr(32):  # a bit p of m is the triangle of side p at (o, o), the rectangle of p x o left of it
        k = Int64(31 - b)
        p = ((m >> k) & 1) << k
        o = ((m >> k) << k) - p
        half = p >> 1
        strict, full, size = half * (p - 1), (p * (p + 1)) >> 1, ((p * (p + 1)) >> 1) + p * o
        mine = (w >= 0) & (w < size)
        y = 1 + (w >> _max(k - 1, 0))
        level = _log2(y)
        x = w & _max(half - 1, 0)
        q = (x >> level) << level
        i = _where(w < strict, o + y + 2 * q, _where(w < full, o + w - strict, o + ((w - full) & (p - 1))))
        j = _where(w < strict, o + x + q, _where(w < full, o + w - strict, (w - full) >> k))
        row, column = _where(mine, i, row), _where(mine, j, column)
        w -= size
    return row, column


@cute.jit
def tetra_tile(omega):
    """(x, y, z) of the tile omega in layer order, x <= y <= z. Exact for layers below 2,642,244: omega < 3.07e18."""
    w = Int64(omega)
    z = Int64(cute.math.exp2(cute.math.log2(6.0 * Float64(_max(w, Int64(1)))) / 3.0))  # the layer, or one above
    z -= _where(((z * (z + 1)) >> 1) * (z + 2) > 3 * w, 1, 0)
    y, x = lambda_tile(w - ((z * (z + 1)) >> 1) * (z + 2) // 3)
    return x, y, z


@cute.jit
def tetra_next(x, y, z):
    """The tile after this one in layer order."""
    row = x == y
    layer = row & (y == z)
    return (_where(row, 0, x + 1), _where(layer, 0, y + _where(row, 1, 0)), z + _where(layer, 1, 0))


@cute.jit
def share(tiles, workers, worker):
    """(first omega, number) of the run of one worker of a persistent kernel: the runs of lambda-stream, tetra-stream."""
    tiles, workers, worker = Int64(tiles), Int64(workers), Int64(worker)
    base = tiles // workers
    extra = tiles - base * workers
    return worker * base + _min(worker, extra), base + _where(worker < extra, 1, 0)


@cute.jit
def next_tile(ticket, tiles, workers):
    """(omega, last) for a ticket, the value of a counter before 1 was added to it. Each of the workers, min(workers,
    tiles) of them, starts with the omega of its own number, then takes tickets until omega is -1. After the last ticket of
    a launch the counter may be set to 0."""
    ticket, tiles, workers = Int64(ticket), Int64(tiles), Int64(workers)
    return _where(ticket + workers < tiles, ticket + workers, -1), ticket + 1 == tiles


@cute.jit
def band_tile(omega, cols, shift, window):
    """(row, column) of the tile omega of a band in row order: column <= row + shift, column > row + shift - window, column
    < cols. Exact for cols and window to 2^31, and without a window (2^31) for rows + shift to 2^31."""
    w, shift = Int64(omega), Int64(shift)
    cols, window = Int64(cols), Int64(window)
    least, most = _min(cols, window), _max(cols, window)
    growing, constant, strict = (least * (least + 1)) >> 1, (most - least) * least, (least * (least - 1)) >> 1
    t = _max(shift, 0)  # the tiles above the first row
    left = most + least - 1 - t
    shrunk = growing + constant + strict - ((left * (left + 1)) >> 1)
    w += _where(t < least, (t * (t + 1)) >> 1, _where(t <= most, growing + (t - least) * least, shrunk))
    upper, middle = w < growing, (w >= growing) & (w < growing + constant)
    back = strict - 1 - (w - growing - constant)
    i, j = lambda_tile(_where(upper, w, _where(middle, 0, back)))
    line = _where(middle, w - growing, 0) // _max(least, 1)
    t = _where(upper, i, _where(middle, least + line, most + least - 2 - i))
    k = _where(upper, j, _where(middle, w - growing - line * least, i - j))
    return t - shift, _max(t - window + 1, 0) + k


@cute.jit
def _floor(a, b):  # of a negative a, however // rounds
    return _where(a < 0, -1 - (-1 - a) // b, a // b)


@cute.jit
def _range(row, queries, keys, low, high, tile_queries, tile_keys):
    top, last = row * tile_queries, _min((row + 1) * tile_queries, queries) - 1
    some = (low <= high) & (top + low < keys) & (last + high >= 0)
    first = _max(_floor(top + low, tile_keys), 0)
    end = _max(_min(_floor(last + high, tile_keys) + 1, (keys + tile_keys - 1) // tile_keys), first)
    whole = _min(_max(_floor(last + low + tile_keys - 1, tile_keys), first), end)
    whole_end = _min(_floor(top + high + 1, tile_keys), keys // tile_keys)
    whole_end = _min(_max(whole_end, whole), end)
    first, end = _where(some, first, 0), _where(some, end, 0)
    full = some & (whole < whole_end)
    return first, end, _where(full, whole, end), _where(full, whole_end, end)


@cute.jit
def attention_row(rank, queries, keys, low, high, tile_queries, tile_keys):
    """(row, first, end, whole, whole_end) of a program of masked attention: the tile of queries that has `rank` longer or
    equal ones before it, the tiles of keys [first, end) that it meets, and those of them, [whole, whole_end), that need no
    mask. Query r sees key c where low <= c - r <= high (attention_mask()); a launch has ceil(queries / tile_queries) ranks."""
    rank, queries, keys = Int64(rank), Int64(queries), Int64(keys)
    low, high = Int64(low), Int64(high)
    tq, tk = Int64(tile_queries), Int64(tile_keys)
    rows, cols = (queries + tq - 1) // tq, (keys + tk - 1) // tk
    past_start = _min(_max(_floor(_min(tk, keys) - low + tq - 1, tq), 0), rows)
    needed = (cols - 1) * tk - high  # the query that meets the last tile
    at_end = _min(_max(_floor(needed, tq), 0), rows)
    at_end = _where((cols == 0) | (needed > queries - 1), rows, at_end)
    begin, end = _min(past_start, at_end), _max(past_start, at_end)  # the longest rows
    f, e, _, _ = _range(rows - 1, queries, keys, low, high, tq, tk)
    f1, e1, _, _ = _range(rows - 2, queries, keys, low, high, tq, tk)
    short = (begin < end) & (end == rows) & (rows > 1) & (e - f < e1 - f1)  # the last tile may hold fewer queries
    end -= _where(short, 1, 0)
    f, e, _, _ = _range(begin - 1, queries, keys, low, high, tq, tk)
    f1, e1, _, _ = _range(end, queries, keys, low, high, tq, tk)
    upper_first = (begin == 0) | (end == rows) | (e - f >= e1 - f1)
    behind, lower = rank - (end - begin), rows - end
    both = 2 * _min(begin, lower)
    rest = _where(begin > lower, begin + lower - 1 - behind, end + behind - begin)
    turn = _where(((behind & 1) == 0) == upper_first, begin - 1 - (behind >> 1), end + (behind >> 1))
    row = _where(behind < 0, end - 1 - rank, _where(behind >= both, rest, turn))
    first, end, whole, whole_end = _range(row, queries, keys, low, high, tq, tk)
    return row, first, end, whole, whole_end


@cute.jit
def batch_tile(position, prefix, triangles):
    """(triangle, row, column) of a position of a batch; prefix is batch_table(), a tensor of Int64. 32 reads of it."""
    w = Int64(position)
    low = w * 0
    high = low + Int64(triangles)
    for _ in cutlass.range(32):
        middle = (low + high) >> 1
        before = prefix[middle] <= w
        low, high = _where(before, middle, low), _where(before, high, middle)
    row, column = lambda_tile(w - prefix[low])
    return low, row, column
