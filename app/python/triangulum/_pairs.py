"""Work on all pairs and triples of the rows of an array. Arrays are checked here: every refusal says what to do."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Iterable
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._maps import Map

Backend = Literal["cpu", "cuda"]
AnyArray = TypeVar("AnyArray")  # of NumPy, CuPy, PyTorch, or with __dlpack__

_LARGEST_BLOCK = 1 << 20


def _name(what: str, value) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{what} is a {type(value).__name__}; give a name, or None for the best.")
    return value


def _map(value) -> str | None:
    return value.name if isinstance(value, Map) else _name("map", value)


def _shape(n: int, layout: str) -> tuple[int, ...]:
    shapes = {"condensed": (n * (n - 1) // 2,), "square": (n, n), "lower": (n * (n + 1) // 2,)}
    if layout not in shapes:
        raise ValueError(f"layout is {layout!r}; give 'condensed', 'square' or 'lower'.")
    return shapes[layout]


def pdist(
    X: AnyArray,
    metric: Literal["euclidean"] = "euclidean",
    *,
    layout: Literal["condensed", "square", "lower"] = "condensed",
    out: AnyArray | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    backend: Backend | None = None,
) -> AnyArray:
    """Euclidean distances of all pairs of the rows of X, in X's dtype: float32 is computed in float32.

    X: (n, d), float32 or float64, C-contiguous, finite, 1 <= d <= 16, of NumPy, CuPy, PyTorch or any library with
    DLPack. The result is of X's library, on its device.
    layout: 'condensed' (n(n-1)/2,) in the order of scipy.spatial.distance.pdist; 'square' (n, n); 'lower'
    (n(n+1)/2,), the lower triangle with its diagonal, row by row.
    out: an array of that shape and X's dtype, which is filled and returned.
    map: a map of pairs, or its name, None: lambda. block: the side of a tile, None: chosen for n. Neither changes a bit.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    X on a GPU: one launch on the library's current stream, for which nothing waits, so that a CUDA graph can capture
    the call with `out`. Values are not looked at: a point that is not finite has distances that are not finite. out may
    not overlap X. DLPack alone: on the legacy default stream, and the call waits.

    A distance whose square leaves the range of the dtype is inf. Raises TypeError and ValueError (an array or a name
    that does not fit, with what to do), MemoryError (predicted), RuntimeError (no such backend, or a GPU that failed).
    Ctrl-C ends it on the host. Any thread may call.
    """
    if metric != "euclidean":
        raise ValueError(f"metric is {metric!r}; 'euclidean' is the one there is.")
    map, _ = _map(map), _name("backend", backend)
    x = _arrays.checked("X", X, 2)
    shape = _shape(x.shape[0], layout)
    target = None if out is None else _arrays.checked_out(out, shape, x.dtype, ("X", x))
    if block is not None and not 1 <= operator.index(block) <= _LARGEST_BLOCK:
        raise ValueError(f"block is {block}; give 1 to {_LARGEST_BLOCK}, or None.")
    backend = _arrays.backend_of("X", x, backend)
    if x.device is not None:
        made = x.empty(shape, x.dtype) if target is None else target
        _core.device_distances(x.in_core(), layout, map, block or 0, made.in_core())
        result = x.finish(made if out is None else None)
        return result if out is None else out
    flat = None if target is None else target.host.reshape(-1)
    values = _core.distances(x.host, layout, map, block or 0, backend, flat)
    return x.from_host(values.reshape(shape)) if out is None else out


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
    x: AnyArray, r: AnyArray | float, *, box=None, per_body: bool = False, backend: Backend | None = None
) -> AnyArray:
    """Pairs of spheres that overlap or touch, |x_i - x_j| <= r_i + r_j: (k, 2) int64, i < j, sorted; (0, 2) for none.

    x: (n, d) centres, float32 or float64, C-contiguous, finite, 1 <= d <= 3; sums are in that dtype. The result is of
    x's library, on its device, as with pdist.
    r: (n,) radii >= 0 of x's dtype and library, or one number: cKDTree(x).query_pairs(2 * r) has the same pairs.
    box: the sides of a periodic box from 0, one number or (d,): distances are those of nearest images, as with
    cKDTree(x, boxsize=box), and each pair is there once, however large its spheres. Centres may lie outside.
    per_body: the number of contacts of each sphere (n,) instead.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    x on a GPU: work and memory are those of the library's current stream, for which the call waits twice; so it cannot
    be captured into a CUDA graph. Values are checked there, too.

    Raises TypeError and ValueError (with what to do), MemoryError, RuntimeError (no such backend). Ctrl-C ends it.
    """
    _name("backend", backend)
    centres = _arrays.checked("x", x, 2)
    radii = None if isinstance(r, numbers.Real) else _arrays.checked("r", r, 1, centres.dtype, ("x", centres))
    backend = _arrays.backend_of("x", centres, backend)
    n = centres.shape[0]
    sides = [] if box is None else _sides(box, centres.shape[1], centres.dtype)
    if centres.device is not None:
        return _device_contacts(centres, radii, 0.0 if radii else float(r), sides, per_body)
    radii_here = np.full(n, r, centres.dtype) if radii is None else radii.host
    pairs = _core.contacts(centres.host, radii_here, sides, backend)
    return centres.from_host(np.bincount(pairs.ravel(), minlength=n) if per_body else pairs)


def _device_contacts(centres: _arrays.Array, radii: _arrays.Array | None, radius: float, sides: list, per_body: bool):
    """Scratch memory is the library's, too; the result is the one array of integers."""
    made: list[_arrays.Array] = []

    def allocate(dtype: str, shape: tuple[int, ...]) -> int:
        made.append(centres.empty(shape, dtype))
        return made[-1].address

    in_core = None if radii is None else radii.in_core()
    _core.device_contacts(centres.in_core(), in_core, radius, sides, per_body, allocate)
    return centres.finish(next(array for array in made if array.dtype == "int64"))


def triplets(
    x: AnyArray, edges: Iterable[float], *, map: str | Map | None = None, backend: Backend | None = None
) -> tuple[NDArray[np.uint64], int]:
    """Counts of all triples of the rows of x by the lengths of their three sides, exact and alike on every backend.

    x: (n, d), float32 or float64, C-contiguous, finite, 1 <= d <= 16; lengths are compared in float64. Of any library;
    from a GPU the points stay there, and that GPU counts. The call waits for it.
    edges: 2 to 65 numbers >= 0, increasing; bin b holds edges[b] <= length < edges[b + 1].
    map: a map of triples from maps(), None: tetra. It changes no count.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    Returns (counts, outside): counts (b, b, b) has at [p, q, r], p <= q <= r, the triples with sides in these bins, and
    outside is the number of those with a side in no bin. Raises TypeError and ValueError (with what to do),
    MemoryError, RuntimeError (no such backend). Ctrl-C ends it.
    """
    map, _ = _map(map), _name("backend", backend)
    points = _arrays.checked("x", x, 2)
    backend = _arrays.backend_of("x", points, backend)
    if points.device is None:
        return _core.triplets(points.host, [float(e) for e in edges], map, backend)
    return _core.device_triplets(points.in_core(), [float(e) for e in edges], map)
