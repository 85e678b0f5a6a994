"""triangulum.contacts against NumPy and SciPy's cKDTree."""

import numpy as np
import pytest
import triangulum


def brute_force(x, r):
    d2 = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    i, j = np.nonzero(np.triu(d2 <= (r[:, None] + r[None, :]) ** 2, 1))
    return np.stack([i, j], axis=1)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 3), (1, 3), (2, 3), (3, 2), (60, 1), (300, 3), (2500, 3)))
def test_pairs_and_order(n, d, dtype):
    rng = np.random.default_rng(n + d)
    # Multiples of 1/64, so that no rounding decides about a touch.
    x = (rng.integers(0, 640, (n, d)) / 64).astype(dtype)
    r = (rng.integers(0, 40, n) / 64).astype(dtype)
    result = triangulum.contacts(x, r, backend="cpu")
    assert result.dtype == np.int64 and result.shape[1:] == (2,)
    assert np.array_equal(result, brute_force(x, r))
    counts = triangulum.contacts(x, r, per_body=True, backend="cpu")
    assert counts.tolist() == [int((result == i).sum()) for i in range(n)]


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
REFUSED = (
    (TypeError, "x is a tuple", (((0, 0, 0),), 1.0)),
    (TypeError, "r is a list", (X, [1.0] * 4)),
    (TypeError, "r has dtype float64; give float32", (X.astype(np.float32), np.ones(4))),
    (ValueError, r"r has shape \(4, 1\); give \(n,\)", (X, np.ones((4, 1)))),
    (ValueError, "r holds 3 radii for 4 spheres", (X, np.ones(3))),
    (ValueError, "x has 4 columns; give 1 to 3", (np.zeros((2, 4)), 1.0)),
    (ValueError, "x has 0 columns", (np.zeros((2, 0)), 1.0)),
    (ValueError, "body 0 has r = -1; a radius may not be negative", (X, -1.0)),
    (ValueError, "r = nan", (X, float("nan"))),
    (ValueError, "body 1 has y = inf", (np.array([[0.0, 0, 0], [0, np.inf, 0]]), 1.0)),
)


@pytest.mark.parametrize("error, words, arguments", REFUSED)
def test_refusals_say_what_to_do(error, words, arguments):
    with pytest.raises(error, match=words):
        triangulum.contacts(*arguments, backend="cpu")


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n, d", ((0, 3), (1, 3), (2, 2), (300, 1), (400, 2), (300, 3), (3000, 3), (3000, 2)))
def test_periodic_box(n, d, dtype, backend):
    rng = np.random.default_rng(n + d)
    sides = np.array([8.0, 10.0, 12.0])[:d]
    x = (rng.integers(-1280, 1280, (n, d)) / 64).astype(dtype)  # some outside, by several sides
    for largest in (10, 100, 400):  # the last: diameters beyond the box
        if n > 1000 and largest > 10:
            continue
        r = (rng.integers(0, largest, n) / 64).astype(dtype)
        apart = x[:, None, :].astype(float) - x[None, :, :]
        apart -= sides * np.round(apart / sides)
        reach = r[:, None].astype(float) + r[None, :]
        i, j = np.nonzero(np.triu((apart**2).sum(axis=2) <= reach**2, 1))
        expected = np.stack([i, j], axis=1)
        for box in (tuple(sides), sides):
            assert np.array_equal(triangulum.contacts(x, r, box=box, backend=backend), expected)
        counts = triangulum.contacts(x, r, box=sides, per_body=True, backend=backend)
        assert np.array_equal(counts, np.bincount(expected.ravel(), minlength=n))


@pytest.mark.parametrize("r", (0.02, 0.3, 0.6))
def test_one_side_is_ckdtree_with_boxsize(r, backend):
    spatial = pytest.importorskip("scipy.spatial")
    x = np.random.default_rng(7).random((1200 if r < 0.1 else 150, 3))
    expected = spatial.cKDTree(x, boxsize=1.0).query_pairs(2 * r, output_type="ndarray")
    expected = expected[np.lexsort(expected.T[::-1])]
    assert np.array_equal(triangulum.contacts(x, r, box=1.0, backend=backend), expected)
    open_pairs = triangulum.contacts(x, r, backend=backend)
    assert len(expected) > len(open_pairs)


@pytest.mark.parametrize(
    "error, words, box",
    (
        (ValueError, "box has 2 sides; give one number, or 3", (1.0, 2.0)),
        (ValueError, "box has a side of 0", 0.0),
        (ValueError, "box has a side of -1", (1.0, -1.0, 1.0)),
        (ValueError, "box has a side of nan", float("nan")),
        (ValueError, "box has a side of inf", np.inf),
        (TypeError, "box is 'wide'", "wide"),
        (TypeError, "box is", [None] * 3),
    ),
)
def test_boxes_that_are_refused(error, words, box):
    with pytest.raises(error, match=words):
        triangulum.contacts(X, 1.0, box=box, backend="cpu")


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
