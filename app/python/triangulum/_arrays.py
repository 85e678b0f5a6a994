"""Arrays of any library, where they are: NumPy, PyTorch and CuPy by name, all others by DLPack.

checked() tells what the engine must know: address, device, stream. In host memory it converts what floats hold
exactly (integers, other byte orders and strides, float16), and refuses the rest; on a device it refuses what is no
float32 or float64, C-contiguous. empty() and from_host() make a result in the library of an array. No library is
imported here: an array of one comes from a module that is loaded.

Order of work on a GPU. PyTorch and CuPy: on their current stream, so a call waits for nothing and may be captured. A
DLPack producer is asked to make its array ready for the legacy default stream, and finish() waits for that, because how
its library orders work is not known.
"""

from __future__ import annotations

import math
import numbers
import operator
import os
import sys
from collections.abc import Iterator, Set, ValuesView
from typing import NoReturn

import numpy as np

from . import _core

_ITEM = {"float32": 4, "float64": 8, "int64": 8, "uint8": 1}
_HOST, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType
_LEGACY_STREAM = 1
Number = float | np.floating | np.integer  # as type checkers see one
_NATIVE = {np.dtype(name): name for name in ("float32", "float64", "int64")}


_TO_FILL = "give an array to fill, as numpy.empty() makes"


def _dtype_name(dtype: np.dtype) -> str:
    """dtype.name takes microseconds."""
    return _NATIVE.get(dtype) or (dtype.name if dtype.isnative else str(dtype))


def _is_sparse(x) -> bool:
    return hasattr(x, "nnz") or hasattr(x, "nse")


def _instead(name: str, x) -> str:
    """How to make an array of what is none."""
    kind = type(x)
    if name == "out":  # a copy would be filled, and lost
        return _TO_FILL
    if isinstance(x, numbers.Number) or isinstance(x, (str, bytes, dict)) or x is None:
        return "give an array"
    if _is_sparse(x):
        dense = "toarray" if hasattr(x, "toarray") else "todense"
        return f"give a dense array, with memory for every zero: {name}.{dense}()"
    if hasattr(x, "to_numpy"):
        return f"give an array: {name}.to_numpy({'float' if kind.__module__.startswith('pandas') else ''})"
    if isinstance(x, (Iterator, Set, ValuesView)):
        return f"give an array: numpy.array(list({name}), float)"
    if hasattr(x, "magnitude") and hasattr(x, "units"):
        return f"give the numbers, in units that fit: {name}.magnitude"
    return f"give an array: numpy.asarray({name}, float)"


def _refuse_kind(name: str, dtype: str) -> None:
    """dtypes of which no float is made by a cast alone."""
    if dtype.startswith(("complex", ">c", "<c")):
        raise TypeError(
            f"{name} has dtype {dtype}, and coordinates are real; give {name}.real, or the real and imaginary parts as "
            f"columns: numpy.hstack(({name}.real, {name}.imag))."
        )
    if dtype.startswith(("datetime", "timedelta")):
        raise TypeError(f"{name} has dtype {dtype}; give numbers: ({name} - {name}.min()) / numpy.timedelta64(1, 's').")


def _refuse_dtype(name: str, given: str, wanted: str | None, library) -> NoReturn:
    cast = library.cast(name, wanted or "float64")
    raise TypeError(f"{name} has dtype {given}; give {wanted or 'float32 or float64'}: {cast}.")


def _exact(name: str, x: np.ndarray, dtype: str | None, library) -> np.ndarray:
    """The numbers of an array in host memory as float32 or float64 (dtype None), or as dtype; C-contiguous."""
    wanted = dtype or ("float32" if x.dtype.kind == "f" and x.dtype.itemsize == 4 else "float64")
    if x.dtype.names:
        as_numbers = f"numpy.lib.recfunctions.structured_to_unstructured({name})"
        raise TypeError(f"{name} has named columns; give numbers: {as_numbers}.")
    _refuse_kind(name, x.dtype.name)
    integers = x.dtype.kind in "biu"
    if not integers and not (x.dtype.kind == "f" and np.can_cast(x.dtype, wanted)):
        _refuse_dtype(name, _dtype_name(x.dtype), dtype, library)
    if integers and x.size and x.dtype.itemsize > (1 if wanted == "float32" else 4):
        bits = 53 if wanted == "float64" else 24
        if int(x.max()) > 1 << bits or int(x.min()) < -(1 << bits):
            raise ValueError(f"{name} has integers beyond 2^{bits}, which {wanted} would round; subtract an origin.")
    made = np.asarray(x, wanted, order="C")
    return made if made.flags.aligned else made.copy()


def number(name: str, value, dtype="float64") -> float:
    """A number as an array of dtype holds it. One that it has not, too large or too near to 0, is refused; what is not
    finite goes through, for those who know its range.
    """
    if isinstance(value, bool):
        raise TypeError(f"{name} is {value}; give a number.")
    try:
        wide = float(value)
    except OverflowError:
        raise ValueError(f"{name} is a whole number beyond the range of float64; use another unit.") from None
    with np.errstate(all="ignore"):
        held = float(np.dtype(dtype).type(wide))
    if (math.isinf(held) and value != held) or (held == 0) != (value == 0):
        other = "use float64 arrays, or another unit" if np.dtype(dtype).itemsize < 8 else "use another unit"
        raise ValueError(f"{name} is {value!s}, which {np.dtype(dtype)} has not: it would be {held:g}; {other}.")
    return held


def flag(name: str, value) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; give True or False.")
    return bool(value)


def whole(name: str, value) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{name} is {value}; give a whole number.")
    try:
        index = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a {type(value).__name__}; give a whole number.") from None
    if not -(1 << 63) <= index < 1 << 63:
        raise ValueError(f"{name} is a whole number beyond 64 bits; give a smaller one.")
    return index


def path(name: str, value) -> str:
    try:
        text = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is a {type(value).__name__}; give the path of a file.") from None
    if "\0" in text:
        raise ValueError(f"{name} is {text!r}, with a NUL, which no path has; give the path of a file.")
    return text


class Array:
    """An array that a call works on: C-contiguous, aligned, of a dtype that was asked for."""

    __slots__ = ("address", "device", "dtype", "given", "host", "library", "shape", "stream")

    given: object  # the caller's array
    library: type[_Library]
    dtype: str  # as NumPy names it
    shape: tuple[int, ...]
    device: int | None  # number of the GPU; None: host memory
    host: np.ndarray | None  # the same memory, where that is the host's
    address: int  # on a device
    stream: int  # a cudaStream_t, on a device

    def __init__(self, given, library, dtype, shape, device=None, host=None, address=0, stream=0):
        self.given, self.library, self.dtype, self.shape = given, library, dtype, shape
        self.device, self.host, self.address, self.stream = device, host, address, stream

    @property
    def bytes(self) -> int:
        count = _ITEM[self.dtype]
        for side in self.shape:
            count *= side
        return count

    @property
    def place(self) -> str:
        return "in host memory" if self.device is None else f"on GPU {self.device}"

    def empty(self, shape: tuple[int, ...], dtype: str) -> Array:
        """A new array of this library on this device, for finish(). GPU only."""
        return self.library.empty(self, shape, dtype)

    def from_host(self, result: np.ndarray):
        """A NumPy array as one of this library, with the same memory."""
        return self.library.from_host(self, result)

    def finish(self, made: Array | None = None):
        """Call it after work on a device. Returns what the caller gets of an array that empty() made."""
        return self.library.finish(self, made)


def in_core(array: Array | np.ndarray | None) -> _core.GivenArray | None:
    """As the compiled part takes an array of one or two dimensions, which it does not keep: the caller does."""
    if array is None:
        return None
    if isinstance(array, Array) and array.host is not None:
        array = array.host
    columns = array.shape[1] if len(array.shape) == 2 else 1
    if isinstance(array, Array):
        is_double = array.dtype == "float64"
        return _core.GivenArray(array.address, array.shape[0], columns, is_double, array.device, array.stream)
    return _core.GivenArray(array.ctypes.data, array.shape[0], columns, array.dtype.itemsize == 8, -1, 0)


class _Library:
    """What is done for each library. `look` returns an Array, its contiguity and whether it may be written."""

    copy = "give a copy that is"

    @staticmethod
    def cast(name, dtype):
        return "cast it"

    @staticmethod
    def from_host(like, result):
        return result

    @staticmethod
    def finish(like, made):
        return None if made is None else made.given


class _NumPy(_Library):
    copy = "give a copy that is: numpy.ascontiguousarray({name})"

    @staticmethod
    def cast(name, dtype):
        return f"{name}.astype(numpy.{dtype})"

    @staticmethod
    def look(name, x):
        host = x
        if type(x) is not np.ndarray:
            to_fill = name == "out"
            if isinstance(x, np.ma.MaskedArray):
                instead = _TO_FILL if to_fill else f"give an array without: {name}.filled(...)"
                raise TypeError(f"{name} has a mask, which would be ignored; {instead}.")
            unit = getattr(x, "unit", None) or getattr(x, "units", None)
            if unit is not None:
                instead = _TO_FILL if to_fill else f"give the numbers: numpy.asarray({name})"
                raise TypeError(f"{name} has the unit {unit}, which would be lost; {instead}.")
            host = np.asarray(x)
        flags = x.flags
        found = Array(x, _NumPy, _dtype_name(x.dtype), x.shape, None, host)
        return found, flags.c_contiguous and flags.aligned, flags.writeable


class _Torch(_Library):
    copy = "give a copy that is: {name}.contiguous()"

    @staticmethod
    def cast(name, dtype):
        return f"{name}.to(torch.{dtype})"

    @staticmethod
    def look(name, x):
        torch = sys.modules["torch"]
        if x.layout is not torch.strided:
            raise TypeError(f"{name} has layout {x.layout}; give a dense tensor: {name}.to_dense().")
        if x.requires_grad and torch.is_grad_enabled():
            raise TypeError(f"{name} requires a gradient, and none is computed here; give {name}.detach().")
        if x.is_neg() or x.is_conj():
            raise TypeError(f"{name} is a negated view; give {name}.resolve_neg().resolve_conj().")
        dtype = str(x.dtype).removeprefix("torch.")
        kind, shape = x.device.type, tuple(x.shape)
        if kind == "cuda" and torch.version.cuda is not None:
            device = x.device.index
            stream = torch.cuda.current_stream(device).cuda_stream
            return Array(x, _Torch, dtype, shape, device, None, x.data_ptr(), stream), x.is_contiguous(), True
        if kind != "cpu":
            raise TypeError(f"{name} is on {x.device}; give a tensor on a CPU or an NVIDIA GPU: {name}.cpu().")
        try:
            host = x.detach().numpy()
        except TypeError:  # a dtype that NumPy lacks
            return Array(x, _Torch, dtype, shape), True, True
        return Array(x, _Torch, dtype, shape, None, host), host.flags.c_contiguous and host.flags.aligned, True

    @staticmethod
    def empty(like, shape, dtype):
        torch = sys.modules["torch"]
        made = torch.empty(shape, dtype=getattr(torch, dtype), device=like.given.device)
        return Array(made, _Torch, dtype, shape, like.device, None, made.data_ptr(), like.stream)

    @staticmethod
    def from_host(like, result):
        return sys.modules["torch"].from_numpy(result)


class _CuPy(_Library):
    copy = "give a copy that is: cupy.ascontiguousarray({name})"

    @staticmethod
    def cast(name, dtype):
        return f"{name}.astype(cupy.{dtype})"

    @staticmethod
    def look(name, x):
        device = x.device.id
        stream = sys.modules["cupy"].cuda.get_current_stream(device).ptr
        found = Array(x, _CuPy, _dtype_name(x.dtype), x.shape, device, None, x.data.ptr, stream)
        return found, x.flags.c_contiguous, True

    @staticmethod
    def empty(like, shape, dtype):
        cupy = sys.modules["cupy"]
        with like.given.device:
            made = cupy.empty(shape, dtype)
        return Array(made, _CuPy, dtype, shape, like.device, None, made.data.ptr, like.stream)


class _DLPack(_Library):
    @staticmethod
    def look(name, x):
        kind, device = x.__dlpack_device__()
        kind = int(kind)
        if kind not in (_HOST, _CUDA, _CUDA_HOST, _CUDA_MANAGED):
            raise TypeError(f"{name} is on DLPack device ({kind}, {device}); give one of a CPU or an NVIDIA GPU.")
        on_gpu = kind in (_CUDA, _CUDA_MANAGED)
        stream = _LEGACY_STREAM if on_gpu else None
        try:
            capsule = x.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # a producer of version 0
            capsule = x.__dlpack__(stream=stream)
        held = _core.Imported(capsule)
        found = Array(x, _DLPack, held.dtype, held.shape)
        contiguous, writable = held.contiguous and held.address % _ITEM.get(held.dtype, 1) == 0, held.writable
        if on_gpu:
            found.device, found.address, found.stream = int(device), held.address, _LEGACY_STREAM
        elif contiguous and held.dtype in ("float32", "float64") and len(held.shape) <= 2:
            found.host = getattr(held, held.dtype)()
        elif held.dtype and not held.dtype.startswith("bfloat"):
            del held  # a capsule is for one reader
            found.host = np.from_dlpack(x)
        return found, contiguous, writable

    @staticmethod
    def namespace(like):
        """The producer's from_dlpack(), if it has one as the array API standard says."""
        namespace = getattr(like.given, "__array_namespace__", None)
        return None if namespace is None else getattr(namespace(), "from_dlpack", None)

    @staticmethod
    def empty(like, shape, dtype):
        made, address = _core.device_memory(dtype, shape, like.device)
        return Array(made, _DLPack, dtype, shape, like.device, None, address, like.stream)

    @staticmethod
    def from_host(like, result):
        take = _DLPack.namespace(like)
        return result if take is None else take(result)

    @staticmethod
    def finish(like, made):
        _core.wait_for(like.device, like.stream)
        return None if made is None else _DLPack.from_host(like, made.given)


def _library_of(name: str, array) -> type[_Library]:
    if isinstance(array, np.ndarray):
        return _NumPy
    for module, attribute, library in (("torch", "Tensor", _Torch), ("cupy", "ndarray", _CuPy)):
        loaded = sys.modules.get(module)
        kind = getattr(loaded, attribute, None)
        if kind is not None and isinstance(array, kind):
            return library
    has_units = hasattr(array, "magnitude")  # pint's have every attribute of their numbers, too
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__") and not has_units:
        return _DLPack
    raise TypeError(f"{name} is a {type(array).__name__}; {_instead(name, array)}.")


def checked(name: str, array, ndim: int, dtype: str | None = None, like: tuple[str, Array] | None = None) -> Array:
    """The array in a dtype that the engine takes: float32 or float64 (dtype None), or dtype. like: the name and the
    array whose library and device it must share.
    """
    found, contiguous, _ = _looked(name, array, like)
    if len(found.shape) != ndim:
        raise ValueError(f"{name} has shape {found.shape}; {_of_shape(name, found.shape, ndim)}.")
    host = found.host
    if host is not None:
        if not contiguous or found.dtype not in ((dtype,) if dtype else ("float32", "float64")):
            found.host = _exact(name, host, dtype, found.library)
            found.dtype = found.host.dtype.name
        return found
    if found.dtype not in (("float32", "float64") if dtype is None else (dtype,)):
        _refuse_kind(name, found.dtype)
        _refuse_dtype(name, found.dtype, dtype, found.library)
    _require_contiguous(name, found, contiguous)
    return found


def checked_out(out, shape: tuple[int, ...], dtype: str, like: tuple[str, Array]) -> Array:
    """An array that a call fills: of dtype, or in host memory of float64, into which float32 goes exactly."""
    found, contiguous, writable = _looked("out", out, like)
    wider = found.host is not None and (dtype, found.dtype) == ("float32", "float64")
    if found.dtype != dtype and not wider:
        raise ValueError(f"out has dtype {found.dtype}; give {dtype}, as that of the result is.")
    if found.shape != shape:
        raise ValueError(f"out has shape {found.shape}; give {shape}.")
    _require_contiguous("out", found, contiguous)
    if not writable:
        raise ValueError("out is read-only; give an array that may be written.")
    name, other = like
    if found.device is not None:
        apart = found.address + found.bytes <= other.address or other.address + other.bytes <= found.address
        if not apart and found.bytes and other.bytes:
            raise ValueError(f"out and {name} overlap; give out memory of its own.")
    return found


def _looked(name, array, like):
    library = _library_of(name, array)
    if like is not None and library is not like[1].library:
        other, given = like[0], like[1].given
        raise TypeError(f"{name} is a {_kind(array)} and {other} a {_kind(given)}; give both of one library.")
    found, contiguous, writable = library.look(name, array)
    if like is not None and found.device != like[1].device:
        raise ValueError(f"{name} is {found.place} and {like[0]} {like[1].place}; give both in one place.")
    return found, contiguous, writable


def _require_contiguous(name, found, contiguous) -> None:
    if not contiguous or found.address % _ITEM[found.dtype]:
        copy = found.library.copy.format(name=name)
        if name == "out":
            copy = "give one that is, and copy from it"
        raise ValueError(f"{name} is not C-contiguous; {copy}.")


def _of_shape(name: str, shape: tuple[int, ...], ndim: int) -> str:
    """What to give instead of an array of this shape."""
    if ndim == 1 and shape == ():
        return f"give (n,), or one number: float({name})"
    if ndim == 1:
        return f"give (n,): {name}[:, 0]" if len(shape) == 2 and shape[1] == 1 else "give (n,)"
    if len(shape) == 1:
        return f"give (n, d): {name}[:, None] for points on a line"
    if len(shape) > 2:
        return f"give (n, d), one batch at a time: for part in {name}: ..."
    return "give (n, d)"


def _kind(array) -> str:
    return f"{type(array).__module__.partition('.')[0]}.{type(array).__name__}"


def backend_of(name: str, array: Array, backend: str | None) -> str | None:
    """The backend for a call: where the array is on a GPU, that GPU."""
    if array.device is None or backend in (None, "cuda"):
        return backend
    if backend == "cpu":
        raise ValueError(f"backend is 'cpu' and {name} is {array.place}; give None, or {name} in host memory.")
    raise ValueError(f"backend is {backend!r}; give 'cpu', 'cuda' or None.")
