"""What calls make of the arrays that they are given: each is right, or refused with a sentence that helps at once. Of NumPy,
of PyTorch in host memory, and of a library that is known by DLPack alone."""

import ctypes
import gc
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest
import triangulum as tr
from triangulum import Simulation

X = np.random.default_rng(1).integers(0, 50, (12, 3)).astype(np.float64)

CALLS = {
    "X": lambda x: tr.pdist(x, backend="cpu"), "x": lambda x: tr.contacts(x, 4.0, backend="cpu"),
    "points": lambda x: tr.triplets(x, [0, 20, 60], backend="cpu")[0],
    "bodies": lambda x: tr.forces(x, 1.0, "gravity", eps=0.5, backend="cpu"),
    "positions": lambda x: Simulation(positions=x, masses=1.0, backend="cpu").positions,
}


def misaligned(x):
    """The same numbers, one byte off."""
    memory = np.empty(x.nbytes + 1, np.uint8)
    made = memory[1:].view(x.dtype).reshape(x.shape)
    made[:] = x
    return made


def field_of_rows(x):
    rows = np.zeros(len(x), [("place", "f8", 3), ("id", "i4")])
    rows["place"] = x
    return rows["place"]


SAME = {
    "int64": X.astype(np.int64), "uint8": X.astype(np.uint8), "float16": X.astype(np.float16),
    "other bytes": X.astype(">f8"), "int of other bytes": X.astype(">i4"), "Fortran": np.asfortranarray(X),
    "rows from the end": np.ascontiguousarray(X[::-1])[::-1],
    "columns from the end": np.ascontiguousarray(X[:, ::-1])[:, ::-1], "every other": np.repeat(X, 2, axis=0)[::2],
    "a field": field_of_rows(X), "one byte off": misaligned(X), "a matrix": np.asmatrix(X),
    "broadcast": np.broadcast_to(X[None], (1, *X.shape))[0],
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("form", SAME)
def test_the_same_numbers_give_the_same_results(form, call):
    read_only = SAME[form].view()
    read_only.flags.writeable = False
    for given in (SAME[form], read_only):
        assert np.array_equal(CALLS[call](given), CALLS[call](X))


def test_columns_are_converted_too():
    m, r = np.arange(1, 13, dtype=float), np.arange(12.0)
    expected = tr.forces(X, m, "gravity", eps=0.5, backend="cpu")
    for other in (m.astype(int), m.astype(np.float32), np.repeat(m, 2)[::2], m.astype(">f4"), m[::-1].copy()[::-1]):
        assert np.array_equal(tr.forces(X, other, "gravity", eps=0.5, backend="cpu"), expected)
        assert np.array_equal(Simulation(positions=X, masses=other, backend="cpu").masses, m)
    x = X.astype(np.float32)
    for other in (r.astype(int), r.astype(np.float16)):
        assert np.array_equal(tr.contacts(x, other, backend="cpu"), tr.contacts(X, r, backend="cpu"))
    assert tr.pdist(X.astype(bool), backend="cpu").dtype == np.float64


class Sparse:
    nnz, shape = 3, (2, 2)
    toarray = None


class Frame:
    def to_numpy(self):
        return X


class Quantity(np.ndarray):
    unit = "kpc"


class OfPint:
    """Its attributes are those of its numbers, __dlpack__ among them."""

    magnitude, units = X, "kpc"

    def __getattr__(self, name):
        return getattr(X, name)


class PandasFrame(Frame):
    __module__ = "pandas.core.frame"


REFUSED = (
    (TypeError, "has dtype complex128, and coordinates are real; give NAME.real, or", X.astype(complex)),
    (TypeError, "has dtype object; give float32 or float64: NAME.astype", X.astype(object)),
    (TypeError, "has dtype <?U|str", X.astype(str)),
    (TypeError, "has dtype longdouble|float128|float96", X.astype(np.longdouble)),
    (TypeError, "has dtype datetime64.*timedelta64", X.astype("M8[s]")),
    (TypeError, "named columns; give numbers: numpy.lib.recfunctions", np.zeros((3, 3), [("a", "f8")])),
    (ValueError, "integers beyond 2.53, which float64 would round", np.full((3, 3), 2**53 + 1)),
    (TypeError, "a mask, which would be ignored; .*NAME.filled", np.ma.zeros((3, 3))),
    (TypeError, "the unit kpc, which would be lost; .*numpy.asarray.NAME.", X.view(Quantity)),
    (TypeError, "is a OfPint; give the numbers, in units that fit: NAME.magnitude", OfPint()),
    (TypeError, "is a Sparse; give a dense array, .*: NAME.toarray..", Sparse()),
    (TypeError, "is a Frame; give an array: NAME.to_numpy..\\.", Frame()),
    (TypeError, "is a PandasFrame; give an array: NAME.to_numpy.float.", PandasFrame()),
    (TypeError, "is a list; give an array: numpy.asarray.NAME, float.", X.tolist()),
    (TypeError, "is a float; give an array", 1.0), (TypeError, "is a str; give an array", "positions.npy"),
    (ValueError, r"shape \(12,\); give \(n, d\): NAME\[:, None\]", X[:, 0]),
    (ValueError, r"shape \(2, 12, 3\); give \(n, d\), one batch at a time", np.stack([X, X])),
    (ValueError, r"shape \(\); give \(n, d\)", np.array(1.0)), (ValueError, "= nan", np.full((3, 3), np.nan)),
    (ValueError, "= -?inf", np.full((3, 3), -np.inf)),
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error, words, given", REFUSED)
def test_what_is_no_array_of_numbers_is_refused(error, words, given, call):
    name = {"points": "x", "bodies": "x"}.get(call, call)
    with pytest.raises(error, match=words.replace("NAME", name)) as caught:
        CALLS[call](given)
    assert "reshape" not in str(caught.value) and str(caught.value).endswith(".")


def test_columns_that_are_none():
    for given, words in (
        (np.array(1.0), r"m has shape \(\); give \(n,\), or one number: float\(m\)"),
        (np.ones((12, 1)), r"m has shape \(12, 1\); give \(n,\): m\[:, 0\]"),
        (np.ones((12, 2)), r"m has shape \(12, 2\); give \(n,\)\."),
        ([1.0] * 12, r"m is a list; give an array: numpy.asarray\(m, float\)"),
        (np.ones(11), "m has length 11 and there are 12 bodies; give one for each"),
        (1j, "m is a complex; give an array"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            tr.forces(X, given, "gravity", eps=0.5, backend="cpu")


X32 = X.astype(np.float32)
NUMBERS = {
    "r": lambda value: tr.contacts(X32, value, backend="cpu"),
    "m": lambda value: tr.forces(X32, value, "gravity", eps=1.0, backend="cpu"),
    "radii": lambda value: tr.forces(X32, 1.0, "contact", radii=value, backend="cpu"),
    "charges": lambda value: tr.forces(X32, 1.0, "qi*qj/(r + 1)", charges=value, backend="cpu"),
    "a side of box": lambda value: tr.contacts(X32, 0.1, box=value, backend="cpu"),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.filterwarnings("error")
def test_a_number_is_never_another_in_the_dtype_of_the_array(name):
    for value, words in (
        (1e-50, "is 1e-50, which float32 has not: it would be 0; use float64 arrays"),
        (1e39, r"is 1e\+39, which float32 has not: it would be inf; use float64 arrays"),
        (np.longdouble("1e4000"), r"is 1e\+4000, which float32 has not"),
        (10**400, "is a whole number beyond the range of float64; use another unit"),
    ):
        with pytest.raises(ValueError, match=f"{name} {words}"):
            NUMBERS[name](value)


def test_numbers_of_float64():
    for value, words in ((10**400, "whole number beyond"), (np.longdouble("1e-4000"), "would be 0; use another unit")):
        for call in (
            lambda: Simulation(positions=X, masses=value, backend="cpu"),
            lambda: Simulation(positions=X, masses=1.0, dt=value, backend="cpu"),
            lambda: Simulation(positions=X, masses=1.0, laws={"pair": "gravity", "eps": value}, backend="cpu"),
            lambda: tr.triplets(X, [0, value], backend="cpu"), lambda: tr.law("-p*mi*mj/r", p=value),
        ):
            with pytest.raises(ValueError, match=words):
                call()
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"p is {value}; give a finite number"):
            tr.law("-p*mi*mj/r", p=value)


def test_flags_and_whole_numbers_are_what_they_say():
    for value in ("no", "", 0, None, []):
        with pytest.raises(TypeError, match="per_body is .*; give True or False"):
            tr.contacts(X, 1.0, per_body=value, backend="cpu")
        with pytest.raises(TypeError, match="diagonal is .*; give True or False"):
            tr.maps["lambda"](3, diagonal=value)
    assert len(tr.maps["lambda"](3, diagonal=np.False_)) == 3
    for call, words in (
        (lambda: tr.pdist(X, block=8.0), "block is a float; give a whole number"),
        (lambda: tr.maps["lambda"]("3"), "side is a str; give a whole number"),
        (lambda: tr.maps["lambda"](3, workers=1.0), "workers is a float; give a whole number"),
    ):
        with pytest.raises(TypeError, match=words):
            call()
    with pytest.raises(ValueError, match="layout is"):
        tr.pdist(X, layout=[])


def test_out_is_never_a_copy():
    for given in ([0.0] * 66, np.ma.zeros(66), np.zeros(66).view(Quantity)):
        with pytest.raises(TypeError, match=r"give an array to fill, as numpy.empty\(\) makes\.$"):
            tr.pdist(X, out=given, backend="cpu")
    square = np.asmatrix(np.zeros((12, 12)))
    assert tr.pdist(X, layout="square", out=square, backend="cpu") is square
    assert np.array_equal(square, tr.pdist(X, layout="square", backend="cpu"))
    with pytest.raises(TypeError) as caught:
        tr.pdist((row for row in X), backend="cpu")
    assert "numpy.array(list(X), float)" in str(caught.value)


def test_what_a_refusal_says_works_at_once():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [0, 3, 6], "y": [0.0, 4, 8], "z": np.array([0, 0, 0], np.float32)})
    polars = pytest.importorskip("polars")
    sparse = pytest.importorskip("scipy.sparse")
    others = polars.DataFrame(frame.to_dict("list")), sparse.csr_array(frame.to_numpy()), frame.to_numpy().tolist()
    for given in (frame, *others):
        with pytest.raises(TypeError) as caught:
            tr.pdist(given, backend="cpu")
        said = re.search(r": ((?:X\.|numpy\.).*)\.$", str(caught.value))[1]
        assert tr.pdist(eval(said, {"X": given, "numpy": np}), backend="cpu").tolist() == [5, 10, 5]


def test_scipys_own_cases():
    """TestPdist of SciPy with triangulum in its place where that has the metric and the options; 100 features are many."""
    pytest.importorskip("scipy.spatial.tests.test_distance")
    done = subprocess.run([sys.executable, "-B", "-c", SCIPYS], capture_output=True, text=True, timeout=250)
    assert "passed" in done.stdout, done.stdout + done.stderr
    failed = len(re.findall(r"^FAILED ", done.stdout, re.M))
    too_wide = len(re.findall(r"^E +ValueError: the points have 100 features; give 1 to 16\.$", done.stdout, re.M))
    assert failed == too_wide <= 4, done.stdout


SCIPYS = """
import sys

import pytest
import scipy.spatial.distance as distance
import triangulum

scipys = distance.pdist

def pdist(X, metric="euclidean", *, out=None, **options):
    if options or metric not in ("euclidean", "test_euclidean", distance.euclidean):
        return scipys(X, metric, out=out, **options)
    return triangulum.pdist(X, metric, out=out, backend="cpu")

distance.pdist = pdist
sys.exit(pytest.main(["-q", "-rf", "-W", "ignore", "-p", "no:cacheprovider", "-k", "TestPdist and euclidean",
                      "--pyargs", "scipy.spatial.tests.test_distance"]))
"""


def test_true_is_no_number():
    x = np.random.default_rng(1).random((9, 3))
    for call in (
        lambda: tr.contacts(x, True, backend="cpu"), lambda: tr.contacts(x, 0.1, box=True, backend="cpu"),
        lambda: tr.forces(x, True, "gravity", backend="cpu"),
        lambda: tr.pdist(x, block=True, backend="cpu"), lambda: tr.triplets(x, [False, True], backend="cpu"),
        lambda: tr.maps["lambda"](True), lambda: Simulation("plummer:n=5", backend="cpu").step(True),
    ):
        with pytest.raises(TypeError, match="is (True|False); give a"):
            call()
    for edges in (b"\x00\x01", {0.0: 1, 0.5: 2}, {0.0, 0.5}, np.ma.array([0, 0.5, 1.0], mask=[0, 1, 0])):
        with pytest.raises(TypeError, match="give 2 to 65 numbers"):
            tr.triplets(x, edges, backend="cpu")


# Arrays in host memory that are not NumPy's.


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


SIX = points(6, 3)
REFUSED_PRODUCERS = (
    (TypeError, "X is on DLPack device", dict(X=Producer(SIX, device=(8, 0)))),
    (ValueError, "integers beyond 2.53", dict(X=Producer(SIX, code=0))),
    (TypeError, "dtype bfloat16", dict(X=Producer(SIX.astype(np.float16), code=4))),
    (TypeError, "X has dtype ; give", dict(X=Producer(SIX, lanes=2))),
    (ValueError, "out is not C-contiguous; give one that is", dict(X=Producer(SIX), out=Producer(np.empty(30)[::2]))),
    (ValueError, r"shape \(6, 3, 1\); give \(n, d\)", dict(X=Producer(SIX[:, :, None]))),
    (ValueError, r"shape \(\); give \(n, d\)", dict(X=Producer(np.array(1.0)))),
    (TypeError, "another version of DLPack", dict(X=Producer(SIX, version=(2, 0)))),
    (TypeError, "out is a numpy.ndarray and X a", dict(X=Producer(SIX), out=np.empty(15))),
    (TypeError, "and X a numpy.ndarray; give both of one library", dict(X=SIX, out=Producer(np.empty(15)))),
    (ValueError, "1 features|nan", dict(X=Producer(np.array([[np.nan], [1.0]])))),
)


@pytest.mark.parametrize("other", (SIX[:, ::2], np.asfortranarray(SIX), np.arange(18).reshape(6, 3), SIX.astype(np.float16)))
def test_numbers_that_floats_hold_are_converted(other):
    given = Producer(other, code={"f": 2, "i": 0}[other.dtype.kind])
    assert np.array_equal(tr.pdist(given, backend="cpu"), tr.pdist(other.astype(float), backend="cpu"))


@pytest.mark.parametrize("error, words, arguments", REFUSED_PRODUCERS)
def test_refusals(error, words, arguments):
    with pytest.raises(error, match=words):
        tr.pdist(**{"backend": "cpu", **arguments})


def on_gpu(array):
    """Says that it is; the address is never read, since all of these are refused before."""
    return Producer(np.ascontiguousarray(array), device=(2, 0))


THERE = on_gpu(SIX)


@pytest.mark.parametrize(
    "error, words, arguments",
    (
        (ValueError, "backend is 'cpu' and x is on GPU 0", dict(backend="cpu")),
        (ValueError, r"x has shape \(6, 2\); give \(n, 3\)", dict(x=on_gpu(SIX[:, :2]))),
        (TypeError, "m is a numpy.ndarray and x a", dict(m=np.ones(6))),
        (ValueError, "m is in host memory and x on GPU 0", dict(m=Producer(np.ones(6)))),
        (ValueError, r"m has shape \(5,\) and there are 6 bodies; give \(6,\)", dict(m=on_gpu(np.ones(5)))),
        (ValueError, r"radii has shape \(6, 1\)", dict(radii=on_gpu(np.ones((6, 1))))),
        (ValueError, r"velocities has shape \(6, 2\) and .*give \(6, 3\)", dict(velocities=on_gpu(np.ones((6, 2))))),
        (ValueError, "m is on GPU 0; give it in host memory", dict(x=SIX, m=on_gpu(np.ones(6)), backend="cpu")),
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
        tr.pdist(Broken(SIX))


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
    x = torch.from_numpy(SIX)
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
