"""Forces on bodies, without a simulation."""

# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

import numbers
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._bodies import _column, _rows, _settings
from ._laws import Laws, _law
from ._maps import Map
from ._pairs import _LARGEST_BLOCK, AnyArray, Backend, Box, Number, PairSearch, Whole, _map, _name, _tolerance

Accumulate = Literal["fast", "ordered"]
Column = Any  # an array of x's library, or one number for all


def _of_device(name: str, values, x: _arrays.Array, columns: int = 1) -> tuple[_arrays.Array | None, float]:
    """The same of an array beside x on a GPU, or one number for all."""
    if columns == 1 and (values is None or isinstance(values, numbers.Real)):
        return None, _arrays.number(name, values, x.dtype)
    found = _arrays.checked(name, values, 1 if columns == 1 else 2, x.dtype, ("x", x))
    n, shape = x.shape[0], (x.shape[0], columns)[: len(found.shape)]
    if found.shape != shape:
        raise ValueError(f"{name} has shape {found.shape} and there are {n} bodies; give {shape}.")
    return found, 0.0


@overload
def forces(
    x: Whole, m: Column, law: str | Laws, *, energy: Literal[False] = False, radii: Column = 0.0,
    charges: Column | None = None, velocities: Any | None = None, box: Box | None = None,
    map: str | Map | None = None, block: int | None = None, accumulate: Accumulate | None = None,
    pairs: PairSearch | None = None, tolerance: Number | None = None, backend: Backend | None = None,
    **parameters: Number,
) -> NDArray[np.float64]: ...
@overload
def forces(
    x: AnyArray, m: Column, law: str | Laws, *, energy: Literal[False] = False, radii: Column = 0.0,
    charges: Column | None = None, velocities: Any | None = None, box: Box | None = None,
    map: str | Map | None = None, block: int | None = None, accumulate: Accumulate | None = None,
    pairs: PairSearch | None = None, tolerance: Number | None = None, backend: Backend | None = None,
    **parameters: Number,
) -> AnyArray: ...
@overload
def forces(
    x: Whole, m: Column, law: str | Laws, *, energy: Literal[True], radii: Column = 0.0,
    charges: Column | None = None, velocities: Any | None = None, box: Box | None = None,
    map: str | Map | None = None, block: int | None = None, accumulate: Accumulate | None = None,
    pairs: PairSearch | None = None, tolerance: Number | None = None, backend: Backend | None = None,
    **parameters: Number,
) -> tuple[NDArray[np.float64], float]: ...
@overload
def forces(
    x: AnyArray, m: Column, law: str | Laws, *, energy: Literal[True], radii: Column = 0.0,
    charges: Column | None = None, velocities: Any | None = None, box: Box | None = None,
    map: str | Map | None = None, block: int | None = None, accumulate: Accumulate | None = None,
    pairs: PairSearch | None = None, tolerance: Number | None = None, backend: Backend | None = None,
    **parameters: Number,
) -> tuple[AnyArray, float]: ...
@overload
def forces(
    x: Whole, m: Column, law: str | Laws, *, energy: bool, radii: Column = 0.0, charges: Column | None = None,
    velocities: Any | None = None, box: Box | None = None, map: str | Map | None = None, block: int | None = None,
    accumulate: Accumulate | None = None, pairs: PairSearch | None = None, tolerance: Number | None = None,
    backend: Backend | None = None, **parameters: Number,
) -> NDArray[np.float64] | tuple[NDArray[np.float64], float]: ...
@overload
def forces(
    x: AnyArray, m: Column, law: str | Laws, *, energy: bool, radii: Column = 0.0, charges: Column | None = None,
    velocities: Any | None = None, box: Box | None = None, map: str | Map | None = None, block: int | None = None,
    accumulate: Accumulate | None = None, pairs: PairSearch | None = None, tolerance: Number | None = None,
    backend: Backend | None = None, **parameters: Number,
) -> AnyArray | tuple[AnyArray, float]: ...
def forces(
    x, m, law: str | Laws, *, energy: bool = False, radii=0.0, charges=None, velocities=None, box: Box | None = None,
    map: str | Map | None = None, block: int | None = None, accumulate: Accumulate | None = None,
    pairs: PairSearch | None = None, tolerance: Number | None = None, backend: Backend | None = None, **parameters,
):
    """Forces on bodies, (n, 3) in x's dtype: of each on all others, in units that follow from those of the arguments.

    Under gravity too these are forces: accelerations times mass.

    x: (n, 3) positions, finite, as pdist takes them. A float32 array is computed in float32.
    m: (n,) masses >= 0 of x's dtype, or one number for all; gravity depends on them, and energies that name mi and mj.
    law: an energy of your own, such as '-G*mi*mj/r', with its parameters as keywords (see law()); or 'gravity' (G=1,
    eps=0), 'lennard-jones' (epsilon=1, sigma=1, cutoff=0, shifted=False), 'contact' (springs: stiffness=1e4, damping=0,
    shear=0) or 'axilrod-teller' (nu=0.072), with its parameters as keywords; or a dict with the keys of laws= of
    Simulation: {'pair': 'lennard-jones', 'cutoff': 2.5, 'triple': 'axilrod-teller'}.
    radii: (n,) radii >= 0 of x's dtype, or one number for all. velocities: (n, 3) of x's dtype, None: at rest. Only
    contacts depend on them, and on radii also energies that name ri and rj. charges: (n,) of x's dtype, or one number
    for all, for laws that read qi and qj.
    box: the sides of a periodic box, one number or three, with nearest images; for laws that end within half a side. A
    body so far outside that x's dtype does not tell its place within is refused.
    map: a map of maps() for the pairs or triples. block: the side of a tile, None: chosen for n.
    accumulate: 'fast', or 'ordered': equal bits over maps, blocks and threads.
    pairs: of gravity 'all', or 'tree': far pairs by series, in open space. tolerance: the rms error of the accelerations
    that it may make, relative to their rms, one of 1e-9, 1e-8, ..., 3e-5, ..., 1e-3; None: about that of plain sums in
    x's dtype. 'auto' with a tolerance takes the faster of the two; None is 'auto'.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.
    energy: return (forces, energy), the potential energy of all pairs and triples, summed in float64.

    x on a GPU: m, radii, charges and velocities are of its library and there too, or numbers; the forces are made
    there, and nothing passes through the host, except under contact, where pairs or tolerance is given, and where a
    value is near the limits of float32.
    The call waits for the library's current stream, and cannot be captured into a CUDA graph.

    Raises TypeError and ValueError (with what to do), NumericalError (two bodies at one place), MemoryError,
    RuntimeError (no such backend). Ctrl-C ends it.
    """
    energy, law = _arrays.flag("energy", energy), _law(law, parameters)
    settings = _settings(law, box)
    if block is not None and not 1 <= _arrays.whole("block", block) <= _LARGEST_BLOCK:
        raise ValueError(f"block is {block}; give 1 to {_LARGEST_BLOCK}, or None.")
    names = _map(map, law), block or 0, _name("accumulate", accumulate), _name("pairs", pairs), _tolerance(tolerance)
    _name("backend", backend)
    given = _arrays.checked("x", x, 2)
    backend = _arrays.backend_of("x", given, backend)
    if given.device is None:
        x = _rows("x", given.host)
        n = len(x)
        columns = [(_column("m", m, n, x.dtype), 0.0), (_column("radii", radii, n, x.dtype), 0.0)]
        columns.append((None if charges is None else _column("charges", charges, n, x.dtype), 0.0))
        moving = None if velocities is None else _rows("velocities", velocities, n, x.dtype)
        made = np.empty_like(x)
    else:
        if given.shape[1] != 3:
            raise ValueError(f"x has shape {given.shape}; give (n, 3).")
        x, charges = given, 0.0 if charges is None else charges
        columns = [_of_device(name, of, x) for name, of in (("m", m), ("radii", radii), ("charges", charges))]
        moving = None if velocities is None else _of_device("velocities", velocities, x, 3)[0]
        made = x.empty(x.shape, x.dtype)
    in_core = _arrays.in_core
    bodies = [in_core(moving)] + [part for array, one in columns for part in (in_core(array), one)]
    total = _core.forces(in_core(x), *bodies, settings, *names, backend, energy, in_core(made))
    values = given.from_host(made) if given.device is None else given.finish(made)
    return (values, total) if energy else values
