"""Forces on bodies, without a simulation."""

# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

import numbers
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._bodies import _charges, _column, _rows, _settings
from ._laws import Laws, _law
from ._maps import Map
from ._pairs import _LARGEST_BLOCK, AnyArray, Backend, Box, Real, Whole, _map, _name

Accumulate = Literal["fast", "ordered"]
Column = NDArray[np.float32] | NDArray[np.float64] | Whole


def _of_device(name: str, values, x: _arrays.Array, columns: int = 1) -> _arrays.Array | None:
    """The same of an array beside x on a GPU; None for a number, or for None."""
    if values is None or isinstance(values, numbers.Real):
        return None
    found = _arrays.checked(name, values, 1 if columns == 1 else 2, x.dtype, ("x", x))
    n, shape = x.shape[0], (x.shape[0], columns)[: len(found.shape)]
    if found.shape != shape:
        raise ValueError(f"{name} has shape {found.shape} and there are {n} bodies; give {shape}.")
    return found


def _device_forces(x: _arrays.Array, m, radii, charges, velocities, settings, names, energy: bool):
    if x.shape[1] != 3:
        raise ValueError(f"x has shape {x.shape}; give (n, 3).")
    columns = []
    for name, values in (("m", m), ("radii", radii), ("charges", 0.0 if charges is None else charges)):
        found = _of_device(name, values, x)
        columns += (None, _arrays.number(name, values, x.dtype)) if found is None else (found.in_core(), 0.0)
    moving = _of_device("velocities", velocities, x, 3)
    made = x.empty(x.shape, x.dtype)
    at = None if moving is None else moving.in_core()
    total = _core.device_forces(x.in_core(), at, *columns, settings, *names, energy, made.in_core())
    values = x.finish(made)
    return (values, total) if energy else values


@overload
def forces(
    x: NDArray[Real],
    m: Column | float,
    law: str | Laws,
    *,
    energy: Literal[False] = False,
    radii: Column | float = 0.0,
    charges: Column | float | None = None,
    velocities: Column | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> NDArray[Real]: ...
@overload
def forces(
    x: Whole,
    m: Column | float,
    law: str | Laws,
    *,
    energy: Literal[False] = False,
    radii: Column | float = 0.0,
    charges: Column | float | None = None,
    velocities: Column | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> NDArray[np.float64]: ...
@overload
def forces(
    x: AnyArray,
    m: AnyArray | float,
    law: str | Laws,
    *,
    energy: Literal[False] = False,
    radii: AnyArray | float = 0.0,
    charges: AnyArray | float | None = None,
    velocities: AnyArray | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> AnyArray: ...
@overload
def forces(
    x: NDArray[Real],
    m: Column | float,
    law: str | Laws,
    *,
    energy: Literal[True],
    radii: Column | float = 0.0,
    charges: Column | float | None = None,
    velocities: Column | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> tuple[NDArray[Real], float]: ...
@overload
def forces(
    x: Whole,
    m: Column | float,
    law: str | Laws,
    *,
    energy: Literal[True],
    radii: Column | float = 0.0,
    charges: Column | float | None = None,
    velocities: Column | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> tuple[NDArray[np.float64], float]: ...
@overload
def forces(
    x: AnyArray,
    m: AnyArray | float,
    law: str | Laws,
    *,
    energy: Literal[True],
    radii: AnyArray | float = 0.0,
    charges: AnyArray | float | None = None,
    velocities: AnyArray | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> tuple[AnyArray, float]: ...
@overload
def forces(
    x: NDArray[Real],
    m: Column | float,
    law: str | Laws,
    *,
    energy: bool,
    radii: Column | float = 0.0,
    charges: Column | float | None = None,
    velocities: Column | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> NDArray[Real] | tuple[NDArray[Real], float]: ...
@overload
def forces(
    x: Whole,
    m: Column | float,
    law: str | Laws,
    *,
    energy: bool,
    radii: Column | float = 0.0,
    charges: Column | float | None = None,
    velocities: Column | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> NDArray[np.float64] | tuple[NDArray[np.float64], float]: ...
@overload
def forces(
    x: AnyArray,
    m: AnyArray | float,
    law: str | Laws,
    *,
    energy: bool,
    radii: AnyArray | float = 0.0,
    charges: AnyArray | float | None = None,
    velocities: AnyArray | None = None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters: float | bool,
) -> AnyArray | tuple[AnyArray, float]: ...
def forces(
    x,
    m,
    law: str | Laws,
    *,
    energy: bool = False,
    radii=0.0,
    charges=None,
    velocities=None,
    box: Box | None = None,
    map: str | Map | None = None,
    block: int | None = None,
    accumulate: Accumulate | None = None,
    backend: Backend | None = None,
    **parameters,
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
    box: the sides of a periodic box, one number or three, with nearest images; for laws that end within half a side.
    map: a map of maps() for the pairs or triples. block: the side of a tile, None: chosen for n.
    accumulate: 'fast', or 'ordered': equal bits over maps, blocks and threads.
    backend: 'cpu', 'cuda', or None: the GPU where there is one.
    energy: return (forces, energy), the potential energy of all pairs and triples, summed in float64.

    x on a GPU: m, radii, charges and velocities are of its library and there too, or numbers; the forces are made
    there, and nothing passes through the host, except under contact and where a value is near the limits of float32.
    Work is that of the library's current stream, for which the call waits; so it cannot be captured into a CUDA graph.

    Raises TypeError and ValueError (with what to do), NumericalError (two bodies at one place), MemoryError,
    RuntimeError (no such backend). Ctrl-C ends it.
    """
    energy, law = _arrays.flag("energy", energy), _law(law, parameters)
    settings = _settings(law, box)
    if block is not None and not 1 <= _arrays.whole("block", block) <= _LARGEST_BLOCK:
        raise ValueError(f"block is {block}; give 1 to {_LARGEST_BLOCK}, or None.")
    names = _map(map), block or 0, _name("accumulate", accumulate)
    _name("backend", backend)
    given = _arrays.checked("x", x, 2)
    backend = _arrays.backend_of("x", given, backend)
    if given.device is not None:
        return _device_forces(given, m, radii, charges, velocities, settings, names, energy)
    x = _rows("x", given.host)
    n = len(x)
    masses = _column("m", m, n, x.dtype)
    radii = _column("radii", radii, n, x.dtype)
    charges = _charges(charges, n, x.dtype)
    velocities = np.zeros_like(x) if velocities is None else _rows("velocities", velocities, n, x.dtype)
    if n == 0:
        one = np.ones((1, 3), x.dtype)  # whose settings are checked alike
        _core.forces(one, one, one[0, :1], one[0, :1], charges, settings, *names, backend)
        values, total = x.copy(), 0.0
    else:
        values, total = _core.forces(x, velocities, masses, radii, charges, settings, *names, backend)
    values = given.from_host(values)
    return (values, total) if energy else values
