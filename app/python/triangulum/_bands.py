"""What a program prepares on the host for the kernels of triangulum.triton, .numba, .warp and .cute: counts and tables.

Integers of any size and type; a mask is (queries, keys, low, high): query r sees key c where low <= c - r <= high.
Raises TypeError for what is no whole number, ValueError for one out of range.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ._arrays import whole

__all__ = ["attention_mask", "attention_table", "band_count", "batch_table"]

_FAR = 1 << 32  # beyond every c - r
Mask = tuple[int, int, int, int]


def _wholes(call: str, **values) -> list[int]:
    return [whole(f"{call}: {name}", value) for name, value in values.items()]


def attention_mask(queries: int, keys: int, left: int = -1, right: int = 0) -> Mask:
    """The mask (queries, keys, low, high) of attention: the last query is aligned with the last key, and sees `left` keys
    before it and `right` behind it; negative: all. The defaults are the causal mask."""
    queries, keys, left, right = _wholes("attention_mask", queries=queries, keys=keys, left=left, right=right)
    if not (0 <= queries <= 2**31 and 0 <= keys <= 2**31):
        raise ValueError(f"attention_mask: queries and keys lie between 0 and 2^31, not {queries} and {keys}.")
    shift = keys - queries
    return queries, keys, shift - left if 0 <= left <= _FAR else -_FAR, shift + right if 0 <= right <= _FAR else _FAR


def band_count(rows: int, cols: int, shift: int, window: int = 2**31) -> int:
    """Tiles (row, column) of rows x cols with column <= row + shift and column > row + shift - window: programs of a
    launch whose tiles are band_tile(omega, cols, shift, window)."""
    rows, cols, shift, window = _wholes("band_count", rows=rows, cols=cols, shift=shift, window=window)
    if not (0 <= rows <= 2**31 and 0 <= cols <= 2**31 and 0 <= window <= 2**31 and abs(shift) < 2**32):
        raise ValueError("band_count: rows, cols and window lie between 0 and 2^31, shift within 2^32.")

    def growing(t: int) -> int:  # tiles above diagonal column t that a band without a left side has
        inside = min(max(t, 0), cols)
        return inside * (inside + 1) // 2 + max(t - cols, 0) * cols

    return growing(rows + shift) - growing(shift) - growing(rows + shift - window) + growing(shift - window)


def attention_table(masks: Iterable[Mask], tile_queries: int, tile_keys: int) -> npt.NDArray[np.int64]:
    """Row tiles of sequences of different lengths, the longest first: an array of (sequence, row, first, end, whole,
    whole_end), whose columns attention_row() explains."""
    call = "attention_table"
    tile_queries, tile_keys = _wholes(call, tile_queries=tile_queries, tile_keys=tile_keys)
    if tile_queries < 1 or tile_keys < 1:
        raise ValueError(f"{call}: tile_queries and tile_keys are 1 or more, not {tile_queries} and {tile_keys}.")
    table = []
    for sequence, mask in enumerate(masks):
        parts = list(mask) if isinstance(mask, Iterable) else []
        if len(parts) != 4:
            raise ValueError(f"{call}: mask {sequence} is {mask!r}; give (queries, keys, low, high) of attention_mask().")
        queries, keys, low, high = _wholes(call, **dict(zip(("queries", "keys", "low", "high"), parts)))
        if not (0 <= queries <= 2**31 and 0 <= keys <= 2**31):
            raise ValueError(f"{call}: mask {sequence} is of {queries} queries and {keys} keys; give 0 to 2^31 of each.")
        for row in range(-(-queries // tile_queries)):
            table.append((sequence, row, *_range(row, queries, keys, low, high, tile_queries, tile_keys)))
    table.sort(key=lambda r: (r[2] - r[3], r[0], r[1]))
    return np.array(table, np.int64).reshape(len(table), 6)


def _range(row: int, queries: int, keys: int, low: int, high: int, tile_queries: int, tile_keys: int) -> Sequence[int]:
    top, last = row * tile_queries, min((row + 1) * tile_queries, queries) - 1
    if low > high or top + low >= keys or last + high < 0:
        return 0, 0, 0, 0
    first = max((top + low) // tile_keys, 0)
    end = max(min((last + high) // tile_keys + 1, -(-keys // tile_keys)), first)
    whole = min(max(-(-(last + low) // tile_keys), first), end)
    whole_end = min(max(min((top + high + 1) // tile_keys, keys // tile_keys), whole), end)
    return (first, end, whole, whole_end) if whole < whole_end else (first, end, end, end)


def batch_table(sides: Iterable[int]) -> npt.NDArray[np.int64]:
    """Tiles before each triangle of a batch, and last those of all: what batch_tile() reads. sides: tiles a side, 0 for an
    empty one."""
    prefix = [0]
    for side in sides:
        (side,) = _wholes("batch_table", side=side)
        if not 0 <= side <= 2**31:
            raise ValueError(f"batch_table: a side lies between 0 and 2^31, not {side}.")
        prefix.append(prefix[-1] + side * (side + 1) // 2)
    if prefix[-1] >= 2**63:
        raise ValueError("batch_table: a batch of 2^63 tiles or more.")
    return np.array(prefix, np.int64)
