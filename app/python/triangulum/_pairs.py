"""Work on all pairs and triples of the rows of an array. Arrays are checked here: every refusal says what to do."""

# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._arrays import Number
from ._maps import Map

Backend = Literal["cpu", "cuda"]
PairSearch = Literal["auto", "all", "tree"]
Metric = str | Callable[..., object]  # SciPy's names are many
Layout = Literal["condensed", "square", "lower", "blocks"]
AnyArray = TypeVar("AnyArray")  # of NumPy, CuPy, PyTorch, or with __dlpack__
Real = TypeVar("Real", np.float32, np.float64)
Whole = NDArray[np.integer] | NDArray[np.bool_] | NDArray[np.float16]  # becomes float64

_LARGEST_BLOCK = 1 << 20
_WIDENED_AT_ONCE = 1 << 16


def _name(what: str, value) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{what} is a {type(value).__name__}; give a name, or None for the best.")
    return value


def _tolerance(value) -> str | None:
    """3e-5 as the engine names it, also as text; of what it does not know the engine says what it knows."""
    if isinstance(value, str) and value not in _core.tolerances:
        try:
            value = float(value)
        except ValueError:
            return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        value = next((name for name in _core.tolerances if name != "auto" and float(name) == value), repr(float(value)))
    elif value is not None and not isinstance(value, str):
        raise TypeError(f"tolerance is a {type(value).__name__}; give a number such as 1e-6, or None.")
    return value


def _map(value, laws: Mapping[str, object] = {"pair": "any", "triple": "any"}) -> str | None:
    """The name of a map, which is one of the pairs or the triples that laws work on."""
    if isinstance(value, Map) and laws.get(value.domain.removesuffix("s"), "none") == "none":
        raise ValueError(f"map is a map of {value.domain}, which nothing here works on; give another, or None.")
    return value.name if isinstance(value, Map) else _name("map", value)


def _host(name: str, values, ndim: int, dtype=None) -> NDArray:
    """The memory of an array on the CPU."""
    found = _arrays.checked(name, values, ndim, None if dtype is None else np.dtype(dtype).name)
    if found.host is None:
        raise ValueError(f"{name} is {found.place}; give it in host memory.")
    return found.host


def _is_euclidean(metric) -> bool:
    """By SciPy's names, that of its tests among them, or as its function."""
    if isinstance(metric, str):
        return metric == "euclidean" or metric.lower() in ("euclidean", "euclid", "eu", "e", "test_euclidean")
    return getattr(metric, "__module__", "").startswith("scipy.") and getattr(metric, "__name__", "") == "euclidean"


def _shape(n: int, layout: str) -> tuple[int, ...]:
    b = -(-n // 32)
    shapes = {"condensed": (n * (n - 1) // 2,), "square": (n, n), "lower": (n * (n + 1) // 2,)}
    shapes["blocks"] = (b * (b + 1) // 2, 32, 32)
    if not isinstance(layout, str) or layout not in shapes:
        raise ValueError(f"layout is {layout!r}; give 'condensed', 'square', 'lower' or 'blocks'.")
    return shapes[layout]


@overload
def pdist(
    X: NDArray[np.float32] | NDArray[np.float64] | Whole, metric: Metric = "euclidean", *,
    layout: Layout = "condensed", out: NDArray[Real], map: str | Map | None = None, block: int | None = None,
    backend: Backend | None = None,
) -> NDArray[Real]: ...
@overload
def pdist(
    X: Whole, metric: Metric = "euclidean", *, layout: Layout = "condensed", out: None = None,
    map: str | Map | None = None, block: int | None = None, backend: Backend | None = None,
) -> NDArray[np.float64]: ...
@overload
def pdist(
    X: NDArray[Real], metric: Metric = "euclidean", *, layout: Layout = "condensed", out: None = None,
    map: str | Map | None = None, block: int | None = None, backend: Backend | None = None,
) -> NDArray[Real]: ...
@overload
def pdist(
    X: AnyArray, metric: Metric = "euclidean", *, layout: Layout = "condensed",
    out: AnyArray | None = None, map: str | Map | None = None, block: int | None = None,
    backend: Backend | None = None,
) -> AnyArray: ...
def pdist(
    X, metric="euclidean", *, layout: Layout = "condensed", out=None, map: str | Map | None = None,
    block: int | None = None, backend: Backend | None = None,
):
    """Euclidean distances of all pairs of the rows of X, in X's dtype: on the host float32 is computed in float64 and
    rounded once, on a GPU it is computed in float32.

    X: (n, d), float32 or float64, finite, 1 <= d <= 16, of NumPy, CuPy, PyTorch or any library with DLPack. In host
    memory other strides and byte orders do, and integers that float64 holds, which become that; on a GPU it is
    C-contiguous. The result is of X's library, on its device.
    metric: 'euclidean', also by SciPy's other names for it, or as scipy.spatial.distance.euclidean.
    layout: 'condensed' (n(n-1)/2,) in the order of scipy.spatial.distance.pdist; 'square' (n, n); 'lower'
    (n(n+1)/2,), the lower triangle with its diagonal, row by row; 'blocks' (b(b+1)/2, 32, 32) with b = ceil(n / 32), the
    lower triangle of blocks, row by row: those on the diagonal are symmetric, cells beyond n are 0.
    out: an array of that shape and X's dtype (in host memory also float64), C-contiguous, which is filled and returned.
    Nothing else takes memory; after an exception, Ctrl-C among them, it may be filled in part.
    map: a map of pairs, or its name, None: lambda. block: the side of a tile, None: chosen for n. Neither changes a
    bit.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    X on a GPU: one launch on the library's current stream, for which nothing waits, so that a CUDA graph can capture
    the call with `out`, after a first one and not along lambda-lut. Values are not looked at: a point that is not finite
    has distances that are not finite. out may not overlap X. DLPack alone: on the legacy default stream, and the call waits.

    Distances are right though their squares may leave the range of the dtype; one that leaves it itself is inf.
    Raises TypeError and ValueError (with what to do), MemoryError, RuntimeError (no such backend, or a GPU that failed).
    Ctrl-C ends it on the host. Any thread may call.
    """
    if not _is_euclidean(metric):
        raise ValueError(f"metric is {metric!r}; 'euclidean' is the one there is.")
    map, _ = _map(map, {"pair": "distances"}), _name("backend", backend)
    x = _arrays.checked("X", X, 2)
    shape = _shape(x.shape[0], layout)
    target = None if out is None else _arrays.checked_out(out, shape, x.dtype, ("X", x))
    if block is not None and not 1 <= _arrays.whole("block", block) <= _LARGEST_BLOCK:
        raise ValueError(f"block is {block}; give 1 to {_LARGEST_BLOCK}, or None.")
    backend = _arrays.backend_of("X", x, backend)
    if x.device is not None:
        made = x.empty(shape, x.dtype) if target is None else target
        _core.distances(_arrays.in_core(x), layout, map, block or 0, backend, _arrays.in_core(made))
        result = x.finish(made if out is None else None)
        return result if out is None else out
    if target is None:
        return x.from_host(_core.distances(_arrays.in_core(x), layout, map, block or 0, backend, None).reshape(shape))
    flat = target.host.reshape(-1)
    narrow = flat if target.dtype == x.dtype else flat.view(np.float32)[flat.size :]
    _core.distances(_arrays.in_core(x), layout, map, block or 0, backend, _arrays.in_core(narrow))
    if narrow is not flat:  # float32 at the end of float64, which it makes room for
        for low in range(0, flat.size, _WIDENED_AT_ONCE):
            flat[low : low + _WIDENED_AT_ONCE] = narrow[low : low + _WIDENED_AT_ONCE].copy()
    return out


Box = Number | Sequence[Number] | NDArray[np.floating] | NDArray[np.integer]


def _sides(box, columns: int, dtype=np.float64) -> list[float]:
    """The sides of a periodic box as `columns` numbers."""
    given = box if isinstance(box, (numbers.Real, Sequence)) else _host("box", box, 1)
    sides = [box] * columns if isinstance(box, numbers.Real) else list(given)
    if not all(isinstance(side, numbers.Real) for side in sides):
        raise TypeError(f"box is {box!r}; give the length of a side, or one for each axis.")
    if len(sides) != columns:
        raise ValueError(f"box has {len(sides)} sides; give one number, or {columns}.")
    sides = [_arrays.number("a side of box", side, dtype) for side in sides]
    for side in sides:
        if not 0 < side < np.inf:
            raise ValueError(f"box has a side of {side}; give finite ones above 0 in {np.dtype(dtype)}.")
    return sides


@overload
def contacts(
    x: NDArray[np.float32] | NDArray[np.float64] | Whole,
    r: NDArray[np.float32] | NDArray[np.float64] | Whole | Number, *, box: Box | None = None,
    per_body: bool = False, backend: Backend | None = None,
) -> NDArray[np.int64]: ...
@overload
def contacts(
    x: AnyArray, r: AnyArray | Number, *, box: Box | None = None, per_body: bool = False,
    backend: Backend | None = None,
) -> AnyArray: ...
def contacts(x, r, *, box: Box | None = None, per_body: bool = False, backend: Backend | None = None):
    """Pairs of spheres that overlap or touch, |x_i - x_j| <= r_i + r_j: (k, 2) int64, i < j, sorted; (0, 2) for none.

    x: (n, d) centres, finite, 1 <= d <= 3, as with pdist; sums are in its dtype. The result is of x's library, on its
    device, whole numbers of 64 bits whatever x's dtype.
    r: (n,) radii >= 0 of x's dtype and library, or one number, taken in it: cKDTree(x).query_pairs(2 * r) has the same
        pairs, those that just touch, too.
    box: the sides of a periodic box from 0, one number or (d,): distances are those of nearest images, as with
    cKDTree(x, boxsize=box), and each pair is there once, however large its spheres. Centres may lie outside.
    per_body: the number of contacts of each sphere (n,) instead, for which no list of pairs is made.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    x on a GPU: work and memory are those of the library's current stream. The call waits twice for it, and cannot be
    captured into a CUDA graph. Values are checked there, too.

    Raises TypeError and ValueError (with what to do), MemoryError, RuntimeError (no such backend). Ctrl-C ends it.
    """
    per_body, _ = _arrays.flag("per_body", per_body), _name("backend", backend)
    centres = _arrays.checked("x", x, 2)
    radii = None if isinstance(r, numbers.Real) else _arrays.checked("r", r, 1, centres.dtype, ("x", centres))
    backend = _arrays.backend_of("x", centres, backend)
    sides = [] if box is None else _sides(box, centres.shape[1], centres.dtype)
    radius = 0.0 if radii else _arrays.number("r", r, centres.dtype)
    made: list[_arrays.Array] = []

    def allocate(dtype: str, shape: tuple[int, ...]) -> int:
        """On a device, scratch memory is the library's, too; the result is the one array of integers."""
        made.append(centres.empty(shape, dtype))
        return made[-1].address

    in_core = _arrays.in_core
    found = _core.contacts(in_core(centres), in_core(radii), radius, sides, per_body, backend, allocate)
    if centres.device is None:
        return centres.from_host(found)
    return centres.finish(next(array for array in made if array.dtype == "int64"))


def triplets(
    x: object, edges: Iterable[Number], *, map: str | Map | None = None, backend: Backend | None = None
) -> tuple[NDArray[np.uint64], int]:
    """Counts of all triples of the rows of x by the lengths of their three sides, exact and alike on every backend.

    x: (n, d), finite, 1 <= d <= 16, as with pdist; lengths are compared in float64. Of any library; from a GPU the
    points stay there, and that GPU counts. The call waits for it.
    edges: 2 to 65 numbers >= 0, increasing; bin b holds edges[b] <= length < edges[b + 1].
    map: a map of triples from maps(), None: tetra. It changes no count.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    Returns (counts, outside): counts (b, b, b) has at [p, q, r], p <= q <= r, the triples with sides in these bins, and
    outside is the number of those with a side in no bin. Raises TypeError and ValueError (with what to do),
    MemoryError, RuntimeError (no such backend). Ctrl-C ends it.
    """
    map, _ = _map(map, {"triple": "counts"}), _name("backend", backend)
    points = _arrays.checked("x", x, 2)
    backend = _arrays.backend_of("x", points, backend)
    listed = isinstance(edges, Iterable) and not isinstance(edges, (str, bytes, bytearray, Mapping, Set))
    bins = list(edges) if listed else None
    masked = isinstance(edges, np.ma.MaskedArray)
    if bins is None or masked or not all(isinstance(edge, numbers.Real) for edge in bins):
        raise TypeError(f"edges is a {type(edges).__name__}; give 2 to 65 numbers, such as [0, 1, 2].")
    bins = [_arrays.number("an edge", edge) for edge in bins]
    return _core.triplets(_arrays.in_core(points), bins, map, backend)
