"""triangulum.contacts against NumPy and SciPy's cKDTree, of arrays in host memory and on a GPU."""

import numpy as np
import pytest
import triangulum
from device_libraries import Producer, points, there
from scipy.spatial import cKDTree


def brute_force(x, r):
    d2 = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    i, j = np.nonzero(np.triu(d2 <= (r[:, None] + r[None, :]) ** 2, 1))
    return np.stack([i, j], axis=1)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize(
    "n, d", ((0, 3), (1, 3), (2, 2), (2, 3), (3, 1), (3, 2), (60, 1), (300, 3), (2500, 3), (20000, 3), (20000, 2))
)
def test_pairs_and_order(place, n, d, dtype):
    rng = np.random.default_rng(n + d)
    # Multiples of 1/64, so that no rounding decides about a touch.
    x = (rng.integers(0, 640, (n, d)) / 64).astype(dtype)
    r = (rng.integers(0, 40 if n < 20000 else 6, n) / 64).astype(dtype)
    expected = brute_force(x, r) if n < 20000 else triangulum.contacts(x, r, backend="cpu")
    given, radii = place.device(x), place.device(r)
    result = place.host(triangulum.contacts(given, radii, **place.how))
    assert result.dtype == np.int64 and result.shape == expected.shape and np.array_equal(result, expected)
    counts = place.host(triangulum.contacts(given, radii, per_body=True, **place.how))
    assert counts.dtype == np.int64 and np.array_equal(counts, np.bincount(expected.ravel(), minlength=n))
    result = place.host(triangulum.contacts(given, 1 / 64, **place.how))
    assert np.array_equal(result, triangulum.contacts(x, np.full(n, 1 / 64, dtype), backend="cpu"))


def test_one_radius_is_query_pairs_of_twice_it():
    spatial = pytest.importorskip("scipy.spatial")
    x = np.random.default_rng(3).random((2000, 3))
    expected = spatial.cKDTree(x).query_pairs(2 * 0.03, output_type="ndarray")
    assert len(expected) > 100
    expected = expected[np.lexsort(expected.T[::-1])]
    for r in (0.03, np.float32(0.03)):
        assert np.array_equal(triangulum.contacts(x, r, backend="cpu"), expected)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_ties_are_those_of_query_pairs(dtype):
    """Decimal lattices, on which most neighbours touch but for a rounding."""
    spatial = pytest.importorskip("scipy.spatial")
    rng = np.random.default_rng(5)
    x = (0.1 * rng.integers(0, 15, (1500, 3))).astype(dtype)
    for r in (dtype(0.05), dtype(0.15)):
        expected = spatial.cKDTree(x).query_pairs(2 * r, output_type="ndarray")
        expected = expected[np.lexsort(expected.T[::-1])]
        assert len(expected) > 1000
        assert np.array_equal(triangulum.contacts(x, r, backend="cpu"), expected)


@pytest.mark.parametrize("scale", (1e-300, 1e-170, 1e-150, 1e150, 1e200, 1e300))
def test_any_order_of_magnitude(scale):
    i = np.arange(300.0)
    x = np.stack([i, 0 * i, 0 * i], axis=1)
    assert len(triangulum.contacts(scale * x, 0.50001 * scale, backend="cpu")) == 299
    assert len(triangulum.contacts(scale * x, 0.49999 * scale, backend="cpu")) == 0


def test_touching_counts_and_none_is_0_by_2():
    x = np.array([[0.0, 0, 0], [3, 0, 0], [0, 9, 0]])
    assert triangulum.contacts(x, np.array([1.0, 2, 0]), backend="cpu").tolist() == [[0, 1]]
    assert triangulum.contacts(x, np.array([1.0, 1, 0]), backend="cpu").shape == (0, 2)


X = np.zeros((4, 3))
BAD = np.array([[0.0, 0, 0], [0, np.inf, 0]])
REFUSED = (
    (TypeError, "x is a tuple", (((0, 0, 0),), 1.0)), (TypeError, "r is a list", (X, [1.0] * 4)),
    (TypeError, "r has dtype float64; give float32", (X.astype(np.float32), np.ones(4))),
    (ValueError, r"r has shape \(4, 1\); give \(n,\)", (X, np.ones((4, 1)))),
    (ValueError, "r holds 3 radii for 4 spheres", (X, np.ones(3))),
    (ValueError, "x has 4 columns; give 1 to 3", (np.zeros((2, 4)), 1.0)),
    (ValueError, "x has 0 columns", (np.zeros((2, 0)), 1.0)),
    (ValueError, "body 0 has r = -1; a radius may not be negative", (X, -1.0)),
    (ValueError, "r = nan", (X, float("nan"))), (ValueError, "body 1 has y = inf", (BAD, 1.0)),
)


@pytest.mark.parametrize("error, words, arguments", REFUSED)
def test_refusals_say_what_to_do(place, error, words, arguments):
    with pytest.raises(error, match=words):
        triangulum.contacts(*there(place, arguments), **place.how)


def test_refusals_on_a_gpu(lib):
    x = lib.device(X)
    for error, words, arguments, more in (
        (TypeError, "r is a numpy.ndarray and x a", (x, np.ones(4)), {}),
        (TypeError, "r has dtype float32; give float64", (x, lib.device(np.ones(4, np.float32))), {}),
        (ValueError, "r is not C-contiguous", (x, lib.device(np.ones(8))[::2]), {}),
        (ValueError, "body 1 has y = inf", (lib.device(BAD), 1.0), {"box": 1.0}),
        (ValueError, "backend is 'cpu' and x is on GPU 0", (x, 1.0), {"backend": "cpu"}),
    ):
        with pytest.raises(error, match=words):
            triangulum.contacts(*arguments, **more)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize(
    "n, d", ((0, 3), (1, 3), (2, 2), (300, 1), (400, 2), (300, 3), (3000, 3), (3000, 2), (20000, 3))
)
def test_periodic_box(place, n, d, dtype):
    """Centres outside by several sides, and boxes that are too small for a grid."""
    rng = np.random.default_rng(n + d)
    whole = rng.integers(-1280, 1280, (n, d)) / 64
    far, odd = 40 * rng.normal(size=(n, d)), (8.0, 10.1, 12.3)
    for sides, x in ((8.0, 10.0, 12.0), whole), (odd, whole), (odd, far):
        sides, x = np.array(sides)[:d], x.astype(dtype)
        given = place.device(x)
        for largest in (10, 100, 400) if n <= 1000 else (10,):  # the last: diameters beyond the box
            r = (rng.integers(0, largest, n) / 64).astype(dtype)
            radii = place.device(r)
            if sides[-1] == round(sides[-1]) and n <= 3000:
                apart = x[:, None, :].astype(float) - x[None, :, :]
                apart -= sides * np.round(apart / sides)
                reach = r[:, None].astype(float) + r[None, :]
                expected = np.stack(np.nonzero(np.triu((apart**2).sum(axis=2) <= reach**2, 1)), axis=1)
            else:
                expected = triangulum.contacts(x, r, box=sides, backend="cpu")
            for box in (tuple(sides), sides):
                result = place.host(triangulum.contacts(given, radii, box=box, **place.how))
                assert result.shape == expected.shape and np.array_equal(result, expected)
            counts = place.host(triangulum.contacts(given, radii, box=sides, per_body=True, **place.how))
            assert np.array_equal(counts, np.bincount(expected.ravel(), minlength=n))


@pytest.mark.parametrize("r", (0.02, 0.3, 0.6))
def test_one_side_is_ckdtree_with_boxsize(place, r):
    spatial = pytest.importorskip("scipy.spatial")
    x = np.random.default_rng(7).random((1200 if r < 0.1 else 150, 3))
    expected = spatial.cKDTree(x, boxsize=1.0).query_pairs(2 * r, output_type="ndarray")
    expected = expected[np.lexsort(expected.T[::-1])]
    given = place.device(x)
    assert np.array_equal(place.host(triangulum.contacts(given, r, box=1.0, **place.how)), expected)
    assert len(expected) > len(place.host(triangulum.contacts(given, r, **place.how)))


@pytest.mark.parametrize(
    "error, words, box",
    (
        (ValueError, "box has 2 sides; give one number, or 3", (1.0, 2.0)), (ValueError, "box has a side of 0", 0.0),
        (ValueError, "box has a side of -1", (1.0, -1.0, 1.0)), (ValueError, "box has a side of nan", float("nan")),
        (ValueError, "box has a side of inf", np.inf), (TypeError, "box is 'wide'", "wide"),
        (TypeError, "box is", [None] * 3),
        (TypeError, "box has a mask", np.ma.array(np.ones(3), mask=[1, 0, 0])),
        (ValueError, r"box has shape \(\); give \(n,\), or one number: float\(box\)", np.array(1.0)),
        (TypeError, r"box is a set; give an array: numpy.array\(list\(box\), float\)", {1.0, 2.0, 3.0}),
    ),
)
def test_boxes_that_are_refused(place, error, words, box):
    with pytest.raises(error, match=words):
        triangulum.contacts(place.device(X), 1.0, box=box, **place.how)


def test_many_contacts(lib):
    """More of them than fit in the list at first, and a million spheres."""
    x = points(800, 3)
    i, j = np.triu_indices(800, 1)
    assert np.array_equal(lib.host(triangulum.contacts(lib.device(x), 100.0)), np.stack([i, j], axis=1))
    x = np.random.default_rng(9).random((1_000_000, 3), dtype=np.float32)
    result = lib.host(triangulum.contacts(lib.device(x), 0.006))
    assert len(result) > 2_000_000 and np.array_equal(result, triangulum.contacts(x, 0.006, backend="cuda"))


def test_contacts_of_a_producer(lib):
    x = points(500, 3)
    result = lib.from_dlpack(triangulum.contacts(Producer(lib.device(x)), 0.2))
    assert np.array_equal(lib.host(result), triangulum.contacts(x, 0.2, backend="cpu"))


def test_counts_keep_no_list_of_pairs():
    """18 million pairs would be 150 MB and more."""
    from test_pdist import peak_of

    x = np.random.default_rng(0).random((6000, 3))
    counts = []
    more, _ = peak_of(lambda: counts.append(triangulum.contacts(x, 1.0, per_body=True, backend="cpu")))
    assert counts[0].dtype == np.int64 and (counts[0] == 5999).all() and more < 24 << 20
    for box in (None, 1.0):
        pairs = triangulum.contacts(x, 0.02, box=box, backend="cpu")
        counts = triangulum.contacts(x, 0.02, box=box, per_body=True, backend="cpu")
        assert np.array_equal(counts, np.bincount(pairs.ravel(), minlength=6000))


def test_few_cells_with_many_spheres():
    """One large sphere makes cells large: threads share the pairs of one that has many neighbours."""
    rng = np.random.default_rng(8)
    x = rng.random((36_000, 3)) * 0.98
    x[:1000, 0] += 1
    x[0] = 1.5, 0.5, 0.5
    r = np.full(len(x), 0.005)
    r[0] = 0.5
    pairs = cKDTree(x[1:]).query_pairs(0.01, output_type="ndarray") + 1
    touched = np.flatnonzero(np.linalg.norm(x[1:] - x[0], axis=1) <= 0.505) + 1
    expected = np.bincount(pairs.ravel(), minlength=len(x))
    expected[touched] += 1
    expected[0] = len(touched)
    assert np.array_equal(triangulum.contacts(x, r, per_body=True, backend="cpu"), expected)
    found = triangulum.contacts(x, r, backend="cpu")
    want = np.concatenate([np.stack([0 * touched, touched], 1), np.sort(pairs, axis=1)])
    assert np.array_equal(found, want[np.lexsort(want.T[::-1])])
