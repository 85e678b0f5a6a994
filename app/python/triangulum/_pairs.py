"""Work on all pairs and triples of the rows of an array. Arrays are checked here: every refusal says what to do."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from . import _core

Backend = Literal["cpu", "cuda"]

_LARGEST_BLOCK = 1 << 20


def _checked(name: str, array, ndim: int, dtype=None) -> None:
    """Refuses what would have to be cast or copied."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} is a {type(array).__name__}; give a NumPy array: numpy.asarray({name}).")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} has a mask, which would be ignored; give an array without: {name}.filled(...).")
    if array.dtype not in ((np.float32, np.float64) if dtype is None else (dtype,)) or not array.dtype.isnative:
        wanted = "float32 or float64" if dtype is None else f"{np.dtype(dtype)}"
        cast = np.dtype(dtype if dtype is not None else np.float64)
        raise TypeError(f"{name} has dtype {array.dtype}; give {wanted}: {name}.astype(numpy.{cast}).")
    if array.ndim != ndim:
        shape = "(n, d)" if ndim == 2 else "(n,)"
        raise ValueError(f"{name} has shape {array.shape}; give {shape}: {name}.reshape(...).")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise ValueError(f"{name} is not C-contiguous; give a copy that is: numpy.ascontiguousarray({name}).")


def _name(what: str, value) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{what} is a {type(value).__name__}; give a name, or None for the best.")
    return value


def _shape(n: int, layout: str) -> tuple[int, ...]:
    shapes = {"condensed": (n * (n - 1) // 2,), "square": (n, n), "lower": (n * (n + 1) // 2,)}
    if layout not in shapes:
        raise ValueError(f"layout is {layout!r}; give 'condensed', 'square' or 'lower'.")
    return shapes[layout]


def pdist(
    X: NDArray,
    metric: Literal["euclidean"] = "euclidean",
    *,
    layout: Literal["condensed", "square", "lower"] = "condensed",
    out: NDArray | None = None,
    map: str | None = None,
    block: int | None = None,
    backend: Backend | None = None,
) -> NDArray:
    """Euclidean distances of all pairs of the rows of X, in X's dtype: float32 is computed in float32.

    X: (n, d), float32 or float64, C-contiguous, finite, 1 <= d <= 16.
    layout: 'condensed' (n(n-1)/2,) in the order of scipy.spatial.distance.pdist; 'square' (n, n); 'lower'
    (n(n+1)/2,), the lower triangle with its diagonal, row by row.
    out: an array of that shape and X's dtype, which is filled and returned.
    map: a map of pairs from maps(), None: lambda. block: the side of a tile, None: chosen for n. Neither changes a bit.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    A distance whose square leaves the range of the dtype is inf. Raises TypeError and ValueError (an array or a name
    that does not fit, with what to do), MemoryError (predicted), RuntimeError (no such backend). Ctrl-C ends it.
    """
    if metric != "euclidean":
        raise ValueError(f"metric is {metric!r}; 'euclidean' is the one there is.")
    _checked("X", X, 2)
    shape = _shape(len(X), layout)
    if out is not None:
        _checked("out", out, len(shape), X.dtype)
        if out.shape != shape:
            raise ValueError(f"out has shape {out.shape}; give {shape}: numpy.empty({shape}, X.dtype).")
        if not out.flags.writeable:
            raise ValueError("out is read-only; give an array that may be written.")
    if block is not None and not 1 <= operator.index(block) <= _LARGEST_BLOCK:
        raise ValueError(f"block is {block}; give 1 to {_LARGEST_BLOCK}, or None.")
    flat = None if out is None else out.reshape(-1)
    values = _core.distances(X, layout, _name("map", map), block or 0, _name("backend", backend), flat)
    return values.reshape(shape) if out is None else out


def _sides(box, columns: int, dtype=np.float64) -> list[float]:
    """The sides of a periodic box as `columns` numbers."""
    sides = [box] * columns if isinstance(box, numbers.Real) else list(np.asarray(box, dtype=object).ravel())
    if not all(isinstance(side, numbers.Real) for side in sides):
        raise TypeError(f"box is {box!r}; give the length of a side, or one for each axis.")
    if len(sides) != columns:
        raise ValueError(f"box has {len(sides)} sides; give one number, or {columns}.")
    for side in sides:
        if not 0 < np.dtype(dtype).type(side) < np.inf:
            raise ValueError(f"box has a side of {side}; give finite ones above 0 in {np.dtype(dtype)}.")
    return [float(side) for side in sides]


def contacts(
    x: NDArray, r: NDArray | float, *, box=None, per_body: bool = False, backend: Backend | None = None
) -> NDArray[np.int64]:
    """Pairs of spheres that overlap or touch, |x_i - x_j| <= r_i + r_j: (k, 2) with i < j, sorted; (0, 2) for none.

    x: (n, d) centres, float32 or float64, C-contiguous, finite, 1 <= d <= 3; sums are in that dtype.
    r: (n,) radii >= 0 of x's dtype, or one number for all: cKDTree(x).query_pairs(2 * r) has the same pairs.
    box: the sides of a periodic box from 0, one number or (d,): distances are those of nearest images, as with
    cKDTree(x, boxsize=box), and each pair is there once, however large its spheres. Centres may lie outside.
    per_body: the number of contacts of each sphere (n,) instead.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    Raises TypeError and ValueError (with what to do), MemoryError, RuntimeError (no such backend). Ctrl-C ends it.
    """
    _checked("x", x, 2)
    if isinstance(r, numbers.Real):
        r = np.full(len(x), r, x.dtype)
    _checked("r", r, 1, x.dtype)
    sides = [] if box is None else _sides(box, x.shape[1], x.dtype)
    pairs = _core.contacts(x, r, sides, _name("backend", backend))
    return np.bincount(pairs.ravel(), minlength=len(x)) if per_body else pairs


def triplets(
    x: NDArray, edges: Iterable[float], *, map: str | None = None, backend: Backend | None = None
) -> tuple[NDArray[np.uint64], int]:
    """Counts of all triples of the rows of x by the lengths of their three sides, exact and alike on every backend.

    x: (n, d), float32 or float64, C-contiguous, finite, 1 <= d <= 16; lengths are compared in float64.
    edges: 2 to 65 numbers >= 0, increasing; bin b holds edges[b] <= length < edges[b + 1].
    map: a map of triples from maps(), None: tetra. It changes no count.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    Returns (counts, outside): counts (b, b, b) has at [p, q, r], p <= q <= r, the triples with sides in these bins, and
    outside is the number of those with a side in no bin. Raises TypeError and ValueError (with what to do),
    MemoryError, RuntimeError (no such backend). Ctrl-C ends it.
    """
    _checked("x", x, 2)
    return _core.triplets(x, [float(e) for e in edges], _name("map", map), _name("backend", backend))
