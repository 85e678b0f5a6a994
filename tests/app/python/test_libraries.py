"""Arrays in host memory that are not NumPy's: PyTorch's, and those of a library that is known by DLPack alone."""

import ctypes
import gc
import weakref

import numpy as np
import pytest
import triangulum as tr


class Tensor(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64))  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor))  # fmt: skip


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Producer:
    """A home-made producer of any version, with counts of what is taken and given back."""

    def __init__(self, array, version=None, read_only=False, device=(1, 0), strides=True, flat_offset=0, **fields):
        self.array, self.version, self.read_only, self.device = array, version, read_only, device
        self.strides, self.flat_offset, self.fields = strides, flat_offset, fields
        self.taken = self.given_back = 0
        self.calls = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None, **asked):
        if self.version is None and asked:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.calls.append((stream, asked))
        a = self.array
        sides = ctypes.c_int64 * a.ndim
        self.shape, self.steps = sides(*a.shape), sides(*(s // a.itemsize for s in a.strides))
        tensor = Tensor(a.ctypes.data - self.flat_offset, *self.device, a.ndim, 2, 8 * a.itemsize, 1, self.shape,
                        self.steps if self.strides else None, self.flat_offset)  # fmt: skip
        for field, value in self.fields.items():
            setattr(tensor, field, value)

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def deleter(_):
            self.given_back += 1

        self.keep = deleter, self.array
        at = ctypes.cast(deleter, ctypes.c_void_p)
        self.taken += 1
        if self.version is None:
            self.managed, self.name = Managed(tensor, None, at), b"dltensor"
        else:
            self.managed = Versioned(*self.version, None, at, int(self.read_only), tensor)
            self.name = b"dltensor_versioned"
        return new_capsule(ctypes.addressof(self.managed), self.name, None)


def points(n, d, dtype=np.float64):
    return np.random.default_rng(n + d).normal(size=(n, d)).astype(dtype)


@pytest.mark.parametrize("options", ({}, {"version": (1, 0)}, {"version": (1, 1), "read_only": True},
                                     {"strides": False}, {"flat_offset": 64}))  # fmt: skip
@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (0, 1, 2, 130))
def test_a_home_made_producer(n, dtype, options):
    x = points(n, 3, dtype)
    given = Producer(x, **options)
    result = tr.pdist(given, backend="cpu")
    assert isinstance(result, np.ndarray) and np.array_equal(result, tr.pdist(x, backend="cpu"))
    assert given.calls[0][0] is None
    gc.collect()
    assert given.taken == given.given_back == 1
    assert np.array_equal(tr.contacts(Producer(x, **options), 0.3), tr.contacts(x, 0.3))
    counts, outside = tr.triplets(Producer(x, **options), [0, 1, 2], backend="cpu")
    expected, beyond = tr.triplets(x, [0, 1, 2], backend="cpu")
    assert np.array_equal(counts, expected) and outside == beyond


def test_out_of_a_producer():
    x, out = points(9, 2), np.empty(36)
    target = Producer(out, version=(1, 0))
    assert tr.pdist(Producer(x), out=target, backend="cpu") is target
    assert np.array_equal(out, tr.pdist(x, backend="cpu"))
    with pytest.raises(ValueError, match="out is read-only"):
        tr.pdist(Producer(x), out=Producer(out, version=(1, 0), read_only=True), backend="cpu")


def test_the_namespace_of_a_producer_takes_the_result():
    class Other(Producer):
        class Namespace:
            @staticmethod
            def from_dlpack(array):
                return ["taken", array]

        def __array_namespace__(self):
            return self.Namespace

    result = tr.pdist(Other(points(4, 2)), backend="cpu")
    assert result[0] == "taken" and np.array_equal(result[1], tr.pdist(points(4, 2), backend="cpu"))


X = points(6, 3)
REFUSED = (
    (TypeError, "X is on DLPack device", dict(X=Producer(X, device=(8, 0)))),
    (ValueError, "integers beyond 2.53", dict(X=Producer(X, code=0))),
    (TypeError, "dtype bfloat16", dict(X=Producer(X.astype(np.float16), code=4))),
    (TypeError, "X has dtype ; give", dict(X=Producer(X, lanes=2))),
    (ValueError, "out is not C-contiguous; give one that is", dict(X=Producer(X), out=Producer(np.empty(30)[::2]))),
    (ValueError, r"shape \(6, 3, 1\); give \(n, d\)", dict(X=Producer(X[:, :, None]))),
    (ValueError, r"shape \(\); give \(n, d\)", dict(X=Producer(np.array(1.0)))),
    (TypeError, "another version of DLPack", dict(X=Producer(X, version=(2, 0)))),
    (TypeError, "out is a numpy.ndarray and X a", dict(X=Producer(X), out=np.empty(15))),
    (TypeError, "and X a numpy.ndarray; give both of one library", dict(X=X, out=Producer(np.empty(15)))),
    (ValueError, "1 features|nan", dict(X=Producer(np.array([[np.nan], [1.0]])))),
)


@pytest.mark.parametrize("other", (X[:, ::2], np.asfortranarray(X), np.arange(18).reshape(6, 3), X.astype(np.float16)))
def test_numbers_that_floats_hold_are_converted(other):
    given = Producer(other, code={"f": 2, "i": 0}[other.dtype.kind])
    assert np.array_equal(tr.pdist(given, backend="cpu"), tr.pdist(other.astype(float), backend="cpu"))


@pytest.mark.parametrize("error, words, arguments", REFUSED)
def test_refusals(error, words, arguments):
    with pytest.raises(error, match=words):
        tr.pdist(**{"backend": "cpu", **arguments})


def on_gpu(array):
    """Says that it is; the address is never read, since all of these are refused before."""
    return Producer(np.ascontiguousarray(array), device=(2, 0))


THERE = on_gpu(X)


@pytest.mark.parametrize(
    "error, words, arguments",
    (
        (ValueError, "backend is 'cpu' and x is on GPU 0", dict(backend="cpu")),
        (ValueError, r"x has shape \(6, 2\); give \(n, 3\)", dict(x=on_gpu(X[:, :2]))),
        (TypeError, "m is a numpy.ndarray and x a", dict(m=np.ones(6))),
        (ValueError, "m is in host memory and x on GPU 0", dict(m=Producer(np.ones(6)))),
        (ValueError, r"m has shape \(5,\) and there are 6 bodies; give \(6,\)", dict(m=on_gpu(np.ones(5)))),
        (ValueError, r"radii has shape \(6, 1\)", dict(radii=on_gpu(np.ones((6, 1))))),
        (ValueError, r"velocities has shape \(6, 2\) and .*give \(6, 3\)", dict(velocities=on_gpu(np.ones((6, 2))))),
        (ValueError, "m is on GPU 0; give it in host memory", dict(x=X, m=on_gpu(np.ones(6)), backend="cpu")),
    ),
)
def test_refusals_of_forces_on_a_gpu(error, words, arguments):
    given = {"x": THERE, "m": 1.0, "law": "gravity", **arguments}
    with pytest.raises(error, match=words):
        tr.forces(**given)


def test_a_box_on_a_gpu_is_checked_first():
    for box, words in ((0.0, "box has a side of 0"), ((1.0, 2.0), "box has 2 sides; give one number, or 3")):
        with pytest.raises(ValueError, match=words):
            tr.contacts(THERE, 1.0, box=box)


def test_a_capsule_that_is_none():
    class Broken:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            return 3

    with pytest.raises(TypeError):
        tr.pdist(Broken())


def test_errors_of_a_producer_pass():
    class Broken(Producer):
        def __dlpack__(self, **_):
            raise BufferError("not today")

    with pytest.raises(BufferError, match="not today"):
        tr.pdist(Broken(X))


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("layout", ("condensed", "square", "lower", "blocks"))
@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (0, 1, 2, 130))
def test_torch(torch, n, dtype, layout):
    x = points(n, 3, dtype)
    given = torch.from_numpy(x)
    expected = tr.pdist(x, layout=layout, backend="cpu")
    result = tr.pdist(given, layout=layout, backend="cpu")
    assert isinstance(result, torch.Tensor) and result.dtype == given.dtype and result.shape == expected.shape
    assert np.array_equal(result.numpy(), expected)
    out = torch.empty(expected.shape, dtype=given.dtype)
    assert tr.pdist(given, layout=layout, out=out, backend="cpu") is out and torch.equal(out, result)
    for r in (0.3, torch.full((n,), 0.3, dtype=given.dtype)):
        pairs = tr.contacts(given, r, backend="cpu")
        assert pairs.dtype == torch.int64 and np.array_equal(pairs.numpy(), tr.contacts(x, dtype(0.3), backend="cpu"))
    counts = tr.contacts(given, 0.3, per_body=True, backend="cpu")
    assert counts.dtype == torch.int64 and counts.tolist() == tr.contacts(x, 0.3, per_body=True, backend="cpu").tolist()
    assert np.array_equal(tr.triplets(given, [0, 1], backend="cpu")[0], tr.triplets(x, [0, 1], backend="cpu")[0])


def test_torch_refusals(torch):
    x = torch.from_numpy(X)
    for error, words, arguments in (
        (TypeError, "dtype bfloat16", dict(X=x.bfloat16())),
        (TypeError, "dtype complex128", dict(X=x.to(torch.complex128))),
        (TypeError, r"requires a gradient, and none is computed here; give X.detach\(\)",
         dict(X=x.clone().requires_grad_())),
        (TypeError, r"give a dense tensor: X.to_dense\(\)", dict(X=x.to_sparse())),
        (TypeError, "X is on meta", dict(X=x.to("meta"))),
        (TypeError, "out is a numpy.ndarray and X a torch.Tensor", dict(X=x, out=np.empty(15))),
        (ValueError, r"out has shape \(14,\); give \(15,\)", dict(X=x, out=torch.empty(14, dtype=x.dtype))),
    ):
        with pytest.raises(error, match=words):
            tr.pdist(**{"backend": "cpu", **arguments})
    for exact in (x.half(), x.T, x.flip(0)[:, ::2]):  # become C-contiguous float64
        assert np.array_equal(tr.pdist(exact, backend="cpu"), tr.pdist(exact.double().contiguous(), backend="cpu"))
    with torch.no_grad():
        assert tr.pdist(x.clone().requires_grad_(), backend="cpu").shape == (15,)


def test_a_result_outlives_what_it_came_from(torch):
    given = torch.rand(50, 3, dtype=torch.float64)
    seen = weakref.ref(given)
    expected = tr.pdist(given.numpy().copy(), backend="cpu")
    result = tr.pdist(given, backend="cpu")
    del given
    gc.collect()
    assert seen() is None and np.array_equal(result.numpy(), expected)
