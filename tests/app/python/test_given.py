"""What calls make of the arrays that they are given: each is right, or refused with a sentence that helps at once."""

import re
import subprocess
import sys

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
