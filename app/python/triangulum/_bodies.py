"""Bodies from arrays, and simulations. Arrays are checked here: every refusal says what to do."""

from __future__ import annotations

import contextlib
import numbers
import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._laws import Laws, _is_text, _refuse_unknown, _typed
from ._maps import Map
from ._pairs import Backend, Box, Number, PairSearch, _host, _map, _name, _sides, _tolerance


def _text(key: str, value) -> list[tuple[str, str]]:
    """A value of a scene's file as the engine reads it; three numbers as K-x, K-y and K-z."""
    if isinstance(value, (bool, np.bool_)):
        return [(key, "true" if value else "false")]
    if isinstance(value, str):
        return [(key, value)]
    if key in ("low", "high", "field") and np.ndim(value) == 0:
        raise TypeError(f"{key} is {value!r}; give three numbers.")
    if isinstance(value, numbers.Integral) and abs(int(value)) < 1 << 53:
        return [(key, str(int(value)))]
    if isinstance(value, numbers.Real):
        return [(key, repr(_arrays.number(key, value)))]
    three = list(value) if isinstance(value, (tuple, list, np.ndarray)) and np.ndim(value) == 1 else []
    if len(three) == 3 and all(isinstance(v, numbers.Real) for v in three):
        return [(f"{key}-{axis}", repr(_arrays.number(key, v))) for axis, v in zip("xyz", three)]
    raise TypeError(f"{key} is a {type(value).__name__}; give a number, a text, True, False, or three numbers.")


def _settings(laws: Laws | None, box) -> list[tuple[str, str]]:
    if laws is not None and not isinstance(laws, Mapping):
        raise TypeError(f"laws is a {type(laws).__name__}; give a dict: {{'pair': 'gravity', 'eps': 0.01}}.")
    laws = dict(laws or {})
    if box is not None:
        for key in ("walls", "low", "high"):
            if key in laws:
                raise ValueError(f"box is short for walls, low and high, and laws has {key!r}; give one of the two.")
        laws |= {"walls": "periodic", "low": (0.0, 0.0, 0.0), "high": tuple(_sides(box, 3))}
    settings = []
    for key, value in laws.items():
        if not isinstance(key, str):
            raise TypeError(f"laws has the key {key!r}; keys are texts, as in the file of a scene.")
        if value is None:
            raise TypeError(f"laws[{key!r}] is None; leave the key out.")
        settings += _text(key, value)
    return settings


def _column(name: str, values, n: int, dtype=None) -> NDArray:
    """(n,) numbers of an array or of one number."""
    if isinstance(values, numbers.Real):
        dtype = np.float64 if dtype is None else dtype
        return np.full(n, _arrays.number(name, values, dtype), dtype)
    values = _host(name, values, 1, dtype)
    if len(values) != n:
        raise ValueError(f"{name} has length {len(values)} and there are {n} bodies; give one for each.")
    return values


def _rows(name: str, values, n: int | None = None, dtype=None) -> NDArray:
    values = _host(name, values, 2, dtype)
    if values.shape[1] != 3:
        raise ValueError(f"{name} has shape {values.shape}; give (n, 3).")
    if n is not None and len(values) != n:
        raise ValueError(f"{name} has {len(values)} rows and there are {n} bodies; give one for each.")
    return values


class DeviceArray:
    """A part of a simulation's state in GPU memory, without a copy: cupy.asarray() and torch.as_tensor() take it, and
    whatever knows `__cuda_array_interface__` or `__dlpack__`. After the block that gave it, it refuses; the memory is there
    as long as it or an array that was made of it."""

    __slots__ = ("_array", "_address", "_ended", "shape", "strides", "typestr")

    def __init__(self, array, address: int, shape: tuple[int, ...], strides: tuple[int, ...], typestr: str):
        self._array, self._address, self._ended = array, address, False
        self.shape, self.strides, self.typestr = shape, strides, typestr

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.typestr)

    def _alive(self):
        if self._ended:
            raise RuntimeError("this array is of a block `with sim.arrays()` that has ended; begin another.")
        return self._array

    def __dlpack__(self, **how):
        return self._alive().__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._alive().__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self._alive()
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.typestr,
            "data": (self._address, False),
            "stream": None,  # the engine's work is done, and the end of the block waits for everybody's
            "version": 3,
        }

    def __repr__(self) -> str:
        return f"<triangulum.DeviceArray {self.shape} {self.dtype}{', ended' if self._ended else ''}>"


class Arrays:
    """The state of a simulation itself: NumPy arrays on the cpu backend, DeviceArrays on cuda."""

    __slots__ = ("positions", "velocities", "masses", "radii")
    positions: Any  # a NumPy array, whose operators write into it, or a DeviceArray, which has none
    velocities: Any
    masses: Any
    radii: Any

    def __init__(self, parts):
        arrays = (DeviceArray(*part) if isinstance(part, tuple) else part for part in parts)
        self.positions, self.velocities, self.masses, self.radii = arrays

    def __setattr__(self, name: str, array) -> None:
        if getattr(self, name, array) is not array:  # but a.masses *= 2 gives the same array back
            raise AttributeError(f"another array would be ignored; write into the one there is: a.{name}[:] = ...")
        object.__setattr__(self, name, array)

    def _end(self) -> bool:
        """Whether somebody has more than this: a view of a NumPy array, which may be written later, or the array."""
        arrays = [self.positions, self.velocities, self.masses, self.radii]
        for array in arrays:
            if isinstance(array, DeviceArray):
                array._ended = True
            else:
                array.flags.writeable = False
        del array
        holder = [np.empty(0)]  # in place of this object: what it holds has the references of an array without views
        arrays.append(holder[0])
        counts = [sys.getrefcount(array) for array in arrays]
        return isinstance(arrays[0], np.ndarray) and max(counts) > counts[-1]


def _one_law(law, laws: Laws | None, parameters: dict) -> Laws | None:
    """laws=, or what law= and the parameters are short for."""
    if law is None and not parameters:
        return laws
    if law is not None and not isinstance(law, str):
        raise TypeError(f"law is a {type(law).__name__}; give a text, or a law(...).")
    if laws is not None:
        if law is None:
            raise TypeError(f"laws is a dict, so {next(iter(parameters))!r} belongs into it.")
        raise ValueError("law is short for laws={'pair': ...}; give one of the two.")
    if law is not None and _is_text(law):
        return _typed(law, parameters)
    _refuse_unknown(parameters)
    if law is None:
        return parameters
    return {"pair": "none", "triple" if law in _core.triple_laws else "pair": law, **parameters}


class Simulation(_core.Simulation):
    """A scene, or bodies of yours, in motion.

    Either scene: 'NAME:key=value,...' of scenes(), or the path of a scene (.toml) or of bodies; a snapshot of a run
    (.h5) goes on from its step. Or bodies, float32 or float64, C-contiguous and finite:

    positions: (n, 3). velocities: (n, 3), None: at rest. masses: (n,) >= 0, or one number for all.
    radii: (n,) >= 0, or one number for all. charges: (n,), or one number for all, for laws that read qi and qj.
    law: the law of pairs by its name or by an energy of yours, as law() makes it; law(..., over='triples') is one of
    triples. A scene takes it in place of its own. Its parameters are keywords, also of the law that a scene has:
    epsilon, sigma, cutoff, shifted; stiffness, damping, shear, response, restitution; nu; G, eps; or those in the text.
    laws: for several at once, a dict with the keys of [physics] in a scene's file (docs/scenes.md), such as pair, triple,
    walls, low, high, field, and G, eps. Defaults: gravity with G = 1 and eps = 0, open.
    box: the sides of a periodic box, one number or three; short for walls, low = 0 and high.
    units: the system of units that the numbers are in, which sets G.

    For both:

    dt: the time step, or 'auto'; 0.01 for arrays and files. integrator: 'kdk', 'symplectic-euler', 'yoshida4'
    or 'hermite'. eta: the accuracy of steps of automatic length.
    map: a name of maps(). precision: 'fp32' or 'fp64'; None: what the scene needs, which is fp32 unless a scheme needs
    more or float32 would lose the motion, whatever the dtype of arrays; notes says so. Motion that is lost all the same is
    a RuntimeWarning, as all that a command would print about bodies and files. accumulate: 'fast' or 'ordered' (bit-equal over maps, blocks and threads).
    pairs: of gravity 'all' or 'tree', and tolerance: the rms error that the tree may make, as in forces().
    backend: 'cpu', 'cuda', or None: the GPU where there is one.

    Quantities are in the scene's units, arrays are float64 copies; arrays() has the state itself. Raises TypeError and
    ValueError (with what to do), OSError (a file), MemoryError (before it is taken), NumericalError, RuntimeError (no
    such backend, at work in another thread, in a forked process). Ctrl-C ends a call after a step.
    """

    __slots__ = ()

    def __init__(
        self, scene: str | os.PathLike[str] | None = None, *, positions: NDArray | None = None,
        velocities: NDArray | None = None, masses: NDArray | Number | None = None, radii: NDArray | Number = 0.0,
        charges: NDArray | Number | None = None, law: str | None = None, laws: Laws | None = None,
        box: Box | None = None, units: str | None = None, dt: Number | Literal["auto"] | None = None,
        integrator: str | None = None, eta: Number | None = None, map: str | Map | None = None,
        precision: Literal["fp32", "fp64"] | None = None, accumulate: Literal["fast", "ordered"] | None = None,
        pairs: PairSearch | None = None, tolerance: Number | None = None, backend: Backend | None = None,
        **parameters: Number | str,
    ):
        if isinstance(dt, str) and dt != "auto":
            raise ValueError(f"dt is {dt!r}; give a number, or 'auto'.")
        if not isinstance(eta, (numbers.Real, type(None))):
            raise TypeError(f"eta is a {type(eta).__name__}; give a number.")
        run = []
        for key, value in (("dt", dt), ("integrator", _name("integrator", integrator)), ("eta", eta)):
            if value is not None:
                run += _text(key, value)
        choices = (_map(map), _name("precision", precision), _name("accumulate", accumulate))
        choices += (_name("backend", backend), _name("pairs", pairs), _tolerance(tolerance))
        again = (isinstance(laws, Mapping) and "precision" in laws) or re.search("[:,]precision=", str(scene))
        if precision is not None and again:
            raise ValueError("precision is given twice, by itself and among the keys of the scene or laws; keep one.")
        laws = _one_law(law, laws, parameters)
        if scene is not None and (law is not None or parameters):
            run += _settings({k: v for k, v in laws.items() if law is None or v != "none" or v == law}, None)
            laws = None
        given = {"positions": positions, "velocities": velocities, "masses": masses, "laws": laws, "box": box}
        given |= {"charges": charges}
        given |= {"units": units, "radii": None if isinstance(radii, float) and radii == 0 else radii}
        if scene is not None:
            if not isinstance(scene, (str, os.PathLike)):
                raise TypeError(f"scene is a {type(scene).__name__}; give a name or a path, or bodies as positions=.")
            for name, value in given.items():
                if value is not None:
                    raise TypeError(f"{name} is of bodies given as arrays; a scene takes keys: 'plummer:eps=0.1'.")
            super().__init__(_arrays.path("scene", scene), run, *choices)
            _map(map, self.laws)
            return
        if positions is None:
            raise TypeError("there are no bodies; give a scene, or positions= and masses=.")
        if masses is None:
            raise TypeError("masses is missing; give an array (n,), or one number for all.")
        positions = _rows("positions", positions)
        n = len(positions)
        velocities = np.zeros((n, 3)) if velocities is None else _rows("velocities", velocities, n)
        masses, radii = _column("masses", masses, n), _column("radii", radii, n)
        settings = _settings(laws, box) + run
        if units is not None:
            settings += _text("units", _name("units", units))
        columns = [positions, velocities, masses, radii]
        if charges is not None:
            columns.append(_column("charges", charges, n))
        wide = [np.ascontiguousarray(a, np.float64) for a in columns]  # exactly
        in_core = [_arrays.in_core(a) for a in wide] + [None] * (charges is None)
        if positions.dtype == np.float32:
            _core.check_places(in_core[0], in_core[3], settings)
        super().__init__(*in_core, settings, *choices)
        _map(map, self.laws)

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(getattr(type(self), name, None), property):
            how = "write the state in a block: with sim.arrays() as a: a.positions[0] = 0"
            raise AttributeError(f"{name} cannot be set; {how if hasattr(Arrays, name) else 'make another simulation'}.")
        super().__setattr__(name, value)

    def step(self, n: SupportsIndex = 1) -> None:
        """Takes n >= 0 steps."""
        super().step(_arrays.whole("n", n))

    def run(self, *, until: Number) -> int:
        """Runs to the step nearest to this time (to the time itself with dt='auto'); returns how many steps it took."""
        if not isinstance(until, numbers.Real):
            raise TypeError(f"until is a {type(until).__name__}; give a number.")
        return super().run(until=_arrays.number("until", until))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state by the extension of the path: .h5 is a snapshot, from which load() goes on exactly; .npy,
        .csv, .tab, .xyz, .ply, .vtp hold the bodies. An earlier file survives any failure. A file that the scene names
        is not replaced (ValueError); the one that was given as the scene may be."""
        super().save(_arrays.path("path", path))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, map: str | Map | None = None,
        accumulate: Literal["fast", "ordered"] | None = None, pairs: PairSearch | None = None,
        tolerance: Number | None = None, backend: Backend | None = None,
    ) -> Simulation:
        """Goes on from a snapshot that save() or `triangulum run` wrote (.h5), with all that it holds: bodies, laws,
        step, clock, precision, map, and the energies that errors are relative to. On the same backend, with ordered
        sums or the same map and threads, it is bit for bit the run that was never interrupted.

        map, accumulate, pairs, tolerance, backend: another way to compute from here on. Raises OSError (no file, a damaged one),
        ValueError (bodies without a run).
        """
        path = _arrays.path("path", path)
        if not os.path.isfile(path):
            raise FileNotFoundError(f"'{path}' is no file; give the path of a snapshot, as save() wrote it.")
        if not _core.holds_run(path):
            raise ValueError(f"'{path}' holds no run; begin one with its bodies: Simulation(path).")
        how = {"map": map, "accumulate": accumulate, "pairs": pairs, "tolerance": tolerance, "backend": backend}
        return cls(path, **how)

    @contextlib.contextmanager
    def arrays(self) -> Iterator[Arrays]:
        """The state itself, without a copy, for a block: `with sim.arrays() as a: a.velocities *= 0.5`.

        a.positions and a.velocities (n, 3), a.masses and a.radii (n,) are in the order of the bodies, in the precision
        of the simulation (charges are not among them), with strides: NumPy arrays on the cpu backend, DeviceArrays on
        cuda. Within the block no step can be taken. When it ends, the simulation goes on from what was written, and
        energy errors are relative to that state; a run that was changed on its way is saved as step 0 of a new one.
        Numbers that a simulation cannot have (not finite, a negative mass) are a ValueError, and then, as after any
        exception in the block, the state is that of before. Later the NumPy arrays are read-only and show the present
        state. What a view of them writes later acts at the next call, as if it was written in a block, and is a
        RuntimeWarning; while such a view lives, each call compares the state with a copy, and copies it (16 ms of a core
        for a million bodies). On a GPU, arrays made of them must not be written later, which nothing checks.
        """
        arrays = Arrays(self._borrow())
        try:
            yield arrays
        except BaseException:
            self._return_borrowed(True, arrays._end())
            raise
        self._return_borrowed(False, arrays._end())
